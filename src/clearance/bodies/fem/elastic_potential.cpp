#include "clearance/bodies/fem/elastic_potential.h"

#include <numeric>

#include "clearance/bodies/fem/element_kernels.h"
#include "clearance/bodies/fem/step_bound.h"

namespace clearance {
namespace {

using namespace element_kernels;

/// Number of packs worth a task of their own: about 20 microseconds of Hessians.
constexpr int packs_per_task = 32;

template <int dim>
ElementSet<dim> all_elements(const ElementMesh<dim>& mesh) {
  std::vector<int> members(mesh.elements.size());
  std::iota(members.begin(), members.end(), 0);
  return ElementSet<dim>(mesh, members);
}

}  // namespace

template <int dim>
ElasticPotential<dim>::ElasticPotential(const ElementMesh<dim>& mesh) : elements_(all_elements(mesh)) {}

template <int dim>
CompensatedSum ElasticPotential<dim>::energy(const VecX& x) const {
  const std::vector<int>& active = elements_.active_packs();
  return ordered_reduce(
      static_cast<int>(active.size()), CompensatedSum{},
      [&](int i) {
        const ElementPack<dim>& pack = elements_.packs()[active[i]];
        // Lanes beyond the count repeat an element and are left out.
        const Lanes energies = element_energy(pack, x);
        CompensatedSum sum;
        for (int lane = 0; lane < pack.count; ++lane) sum.add(energies[lane]);
        return sum;
      },
      [](CompensatedSum a, const CompensatedSum& b) {
        // A sum with infinity must stay infinite, not become the difference of two infinities.
        if (!(a.sum < infinity && b.sum < infinity)) return CompensatedSum{infinity, 0.0};
        a.add(b);
        return a;
      },
      64);
}

template <int dim>
void ElasticPotential<dim>::add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const {
  for (const ElementPack<dim>& pack : elements_.packs()) {
    const Lanes energies = element_energy(pack, x);
    for (int lane = 0; lane < pack.count; ++lane) {
      // All nodes of an element belong to one body.
      const int node = pack.nodes[0][static_cast<std::size_t>(lane)];
      sums[body_of_block[static_cast<std::size_t>(node)]] += energies[lane];
    }
  }
}

template <int dim>
std::vector<ElementState> ElasticPotential<dim>::element_states(const VecX& x) const {
  const auto& packs = elements_.packs();
  std::vector<ElementState> states(static_cast<std::size_t>(elements_.num_elements()));
  parallel_for(static_cast<int>(packs.size()), packs_per_task, [&](int p) {
    const ElementPack<dim>& pack = packs[p];
    const SmallMatrix<Lanes, dim> of_lanes = deformation_gradient(pack, x);
    for (int lane = 0; lane < pack.count; ++lane) {
      // Take F of the lane; 2D is plane strain.
      Mat<3> f = Mat<3>::Identity();
      for (int c = 0; c < dim; ++c) {
        for (int r = 0; r < dim; ++r) f(r, c) = of_lanes(r, c)[lane];
      }
      const MaterialParameters material{pack.model, pack.mu[lane], pack.lambda[lane]};
      states[static_cast<std::size_t>(elements_.mesh_element(pack.stencils[lane]))] = element_state(material, f);
    }
  });
  return states;
}

template <int dim>
void ElasticPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  const std::vector<int>& active = elements_.active_packs();
  elements_.reserve_forces();
  parallel_for(static_cast<int>(active.size()), packs_per_task, [&](int i) {
    const int p = active[i];
    const ElementPack<dim>& pack = elements_.packs()[p];
    const SmallMatrix<Lanes, dim> f = deformation_gradient(pack, x);
    store_forces(pack, stress(pack.model, f, pack.mu, pack.lambda), elements_.pack_forces(p));
  });
  elements_.gather_forces(scale, gradient);
}

template <int dim>
void ElasticPotential<dim>::compute_local_derivatives(const VecX& x, bool is_projected) {
  const std::vector<int>& active = elements_.active_packs();
  elements_.reserve_forces();
  elements_.reserve_hessians();
  parallel_for(static_cast<int>(active.size()), packs_per_task, [&](int i) {
    const int p = active[i];
    const ElementPack<dim>& pack = elements_.packs()[p];
    const SmallMatrix<Lanes, dim> f = deformation_gradient(pack, x);
    // Forces and Hessians share the decomposition of F.
    const SvdFrame<Lanes, dim> svd = principal_frame(pack.model, f);
    store_forces(pack, stress(pack.model, f, svd, pack.mu, pack.lambda), elements_.pack_forces(p));
    store_hessian(pack, svd, is_projected, elements_);
  });
}

template <int dim>
void ElasticPotential<dim>::add_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) {
  // Compute forces and Hessians in one pass.
  compute_local_derivatives(x, true);
  elements_.gather_forces(scale, gradient);
  elements_.assemble_hessians(scale, matrix);
}

template <int dim>
void ElasticPotential<dim>::add_exact_derivatives(const VecX& x, double scale, VecX& gradient,
                                                  BlockSparseMatrix& matrix) {
  compute_local_derivatives(x, false);
  elements_.gather_forces(scale, gradient);
  elements_.assemble_hessians(scale, matrix);
}

template <int dim>
void ElasticPotential<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  compute_local_derivatives(x, true);
  elements_.assemble_hessians(scale, matrix);
}

template <int dim>
void ElasticPotential<dim>::add_unprojected_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  compute_local_derivatives(x, false);
  elements_.assemble_hessians(scale, matrix);
}

template <int dim>
StepLimit ElasticPotential<dim>::max_feasible_step(const VecX& x, const VecX& dx) {
  return bound_step(elements_, x, dx, x_trial_);
}

template <int dim>
bool ElasticPotential<dim>::is_feasible(const VecX& x) const {
  return find_inverted_element(elements_, x) < 0;
}

template class ElasticPotential<2>;
template class ElasticPotential<3>;

}  // namespace clearance
