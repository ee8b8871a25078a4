#include "clearance/bodies/fem/damping_potential.h"

#include "clearance/bodies/fem/element_kernels.h"

namespace clearance {
namespace {

template <int dim>
ElementSet<dim> damped_elements(const ElementMesh<dim>& mesh) {
  // Take the elements with damping.
  std::vector<int> members;
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    if (mesh.materials[mesh.material_of_element[e]].damping > 0) members.push_back(static_cast<int>(e));
  }
  return ElementSet<dim>(mesh, members);
}

}  // namespace

template <int dim>
LaggedDampingPotential<dim>::LaggedDampingPotential(const ElementMesh<dim>& mesh) : elements_(damped_elements(mesh)) {
  for (int i = 0; i < elements_.num_elements(); ++i) {
    coefficients_.push_back(mesh.materials[mesh.material_of_element[elements_.mesh_element(i)]].damping);
  }
}

template <int dim>
Result<Done> LaggedDampingPotential<dim>::begin_step(const VecX& x_t0, double h, double /*time_t1*/) {
  // Without a time step there is no speed and no damping.
  is_active_ = h > 0 && has_elements();
  if (!is_active_) return Done{};
  x_t0_ = x_t0;
  elements_.reserve_hessians();
  const auto& packs = elements_.packs();
  parallel_for(static_cast<int>(packs.size()), 32, [&](int p) {
    using namespace element_kernels;
    // Store the projected elastic Hessian at the start of the step, then scale it by c / h.
    const ElementPack<dim>& pack = packs[p];
    store_hessian(pack, principal_frame(pack.model, deformation_gradient(pack, x_t0)), true, elements_);
    for (int lane = 0; lane < pack.count; ++lane) {
      double* local = elements_.local_hessian(pack.stencils[lane]);
      const double factor = coefficients_[pack.stencils[lane]] / h;
      for (int k = 0; k < ElementSet<dim>::num_blocks * dim * dim; ++k) local[k] *= factor;
    }
  });
  return Done{};
}

template <int dim>
typename LaggedDampingPotential<dim>::ElementVector LaggedDampingPotential<dim>::displacement(int i,
                                                                                              const VecX& x) const {
  ElementVector u;
  const auto& nodes = elements_.element_nodes(i);
  for (int a = 0; a <= dim; ++a) block<dim>(u, a) = block<dim>(x, nodes[a]) - block<dim>(x_t0_, nodes[a]);
  return u;
}

template <int dim>
typename LaggedDampingPotential<dim>::ElementVector LaggedDampingPotential<dim>::local_product(
    int i, const ElementVector& u) const {
  ElementVector product = ElementVector::Zero();
  const double* local = elements_.local_hessian(i);
  for (int a = 0; a <= dim; ++a) {
    for (int b = 0; b <= a; ++b, local += dim * dim) {
      // A block of the lower triangle also acts as its transpose.
      const Eigen::Map<const Mat<dim>> k(local);
      block<dim>(product, a) += k * block<dim>(u, b);
      if (a != b) block<dim>(product, b) += k.transpose() * block<dim>(u, a);
    }
  }
  return product;
}

template <int dim>
CompensatedSum LaggedDampingPotential<dim>::energy(const VecX& x) const {
  if (!is_active_) return {};
  return ordered_sum(elements_.num_elements(), [&](int i) {
    // 1/2 u^T (c / h) K u
    const ElementVector u = displacement(i, x);
    return 0.5 * u.dot(local_product(i, u));
  });
}

template <int dim>
void LaggedDampingPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  if (!is_active_) return;
  const auto& packs = elements_.packs();
  elements_.reserve_forces();
  parallel_for(static_cast<int>(packs.size()), 64, [&](int p) {
    // The force of each element is (c / h) K u, written to its lane.
    Lanes* forces = elements_.pack_forces(p);
    for (int lane = 0; lane < packs[p].count; ++lane) {
      const int i = packs[p].stencils[lane];
      const ElementVector force = local_product(i, displacement(i, x));
      for (int k = 0; k < dim * (dim + 1); ++k) forces[k].set(lane, force[k]);
    }
  });
  elements_.gather_forces(scale, gradient);
}

template <int dim>
void LaggedDampingPotential<dim>::add_hessian(const VecX& /*x*/, double scale, BlockSparseMatrix& matrix) {
  if (is_active_) elements_.assemble_hessians(scale, matrix);
}

template class LaggedDampingPotential<2>;
template class LaggedDampingPotential<3>;

}  // namespace clearance
