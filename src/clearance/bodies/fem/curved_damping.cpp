#include "clearance/bodies/fem/curved_damping.h"

#include <algorithm>

#include "clearance/bodies/fem/curved_kernels.h"

namespace clearance {

namespace {

using curved_kernels::add_forces;
using curved_kernels::gather_nodes;
using curved_kernels::map_derivative;
using curved_kernels::store_point_hessian;
using curved_kernels::write_hessians;
using material_kernels::PrincipalHessian;
using material_kernels::project_modes;

constexpr int packs_per_task = 4;

template <int dim>
const MaterialParameters& material_of(const CurvedElementMesh<dim>& mesh, int element) {
  return mesh.materials[static_cast<std::size_t>(mesh.material_of_element[static_cast<std::size_t>(element)])];
}

template <int dim>
CurvedElementSet<dim> damped_elements(const CurvedElementMesh<dim>& mesh) {
  // Take the elements with damping.
  std::vector<int> members;
  for (int e = 0; e < static_cast<int>(mesh.num_elements()); ++e) {
    if (material_of(mesh, e).damping > 0.0) members.push_back(e);
  }
  return CurvedElementSet<dim>(mesh, members);
}

/// Returns the derivative by dx/dxi of 1/2 slope : C : slope, where C belongs to one point.
template <int dim>
CLEARANCE_INLINE SmallMatrix<Lanes, dim> stress(const SmallMatrix<Lanes, dim>* c,
                                                const SmallMatrix<Lanes, dim>& slope) {
  SmallMatrix<Lanes, dim> sum;
  for (Lanes& entry : sum.m) entry = Lanes(0.0);
#pragma GCC unroll 3
  for (int i = 0; i < dim; ++i) {
#pragma GCC unroll 3
    for (int j = 0; j < dim; ++j) {
#pragma GCC unroll 3
      for (int s = 0; s < dim; ++s) {
#pragma GCC unroll 3
        for (int r = 0; r < dim; ++r) sum(r, i) += c[i * dim + j](r, s) * slope(s, j);
      }
    }
  }
  return sum;
}

}  // namespace

template <int dim>
CurvedDampingPotential<dim>::CurvedDampingPotential(const CurvedElementMesh<dim>& mesh)
    : elements_(damped_elements(mesh)), first_tensor_{0} {
  for (const CurvedPack<dim>& pack : elements_.packs()) {
    // Store the damping coefficient of each lane, and the place of the pack's tensors.
    Lanes coefficients(0.0);
    for (int lane = 0; lane < num_lanes; ++lane) {
      const int element = pack.elements[static_cast<std::size_t>(lane)];
      coefficients.set(lane, material_of(mesh, elements_.mesh_element(element)).damping);
    }
    coefficients_.push_back(coefficients);
    const auto num_points = static_cast<std::size_t>(elements_.gradients(pack).num_points());
    first_tensor_.push_back(first_tensor_.back() + num_points * dim * dim);
  }
}

template <int dim>
Result<Done> CurvedDampingPotential<dim>::begin_step(const VecX& x_t0, double h, double /*time_t1*/) {
  // Without a time step there is no speed and no damping.
  is_active_ = h > 0.0 && has_elements();
  if (!is_active_) return Done{};
  x_t0_ = x_t0;
  tensors_.resize(first_tensor_.back());
  parallel_for(static_cast<int>(elements_.packs().size()), packs_per_task, [&](int p) {
    const CurvedPack<dim>& pack = elements_.packs()[static_cast<std::size_t>(p)];
    const ShapeGradients<dim>& gradients = elements_.gradients(pack);
    const std::size_t num_nodes = pack.nodes.size();
    // Evaluate the elastic Hessian at the start of the step, point by point,
    thread_local std::vector<Lanes> positions;
    positions.resize(num_nodes * dim);
    gather_nodes(pack, x_t0, positions.data());
    const Lanes factor = coefficients_[static_cast<std::size_t>(p)] * Lanes(1.0 / h);
    for (int q = 0; q < gradients.num_points(); ++q) {
      const auto at = static_cast<std::size_t>(q);
      const SmallMatrix<Lanes, dim>& inverse = pack.inverse_rest_at(at);
      const SvdFrame<Lanes, dim> svd = curved_kernels::principal_frame(
          pack.model, multiply(map_derivative(pack, gradients.of_point(q), at, positions.data()), inverse));
      PrincipalHessian<Lanes, dim> h_of_point =
          material_kernels::principal_hessian(pack.model, svd.sigma, pack.mu, pack.lambda);
      // project it, and store it times c / h.
      project_modes(h_of_point);
      store_point_hessian(svd, h_of_point, inverse, factor * pack.weights[at],
                          tensors_.data() + first_tensor_[static_cast<std::size_t>(p)] + at * dim * dim);
    }
  });
  return Done{};
}

template <int dim>
const Lanes* CurvedDampingPotential<dim>::displacements(const CurvedPack<dim>& pack, const VecX& x) const {
  // Gather the nodes at x and at the start, and subtract.
  thread_local std::vector<Lanes> ends, starts;
  ends.resize(pack.nodes.size() * dim);
  starts.resize(ends.size());
  gather_nodes(pack, x, ends.data());
  gather_nodes(pack, x_t0_, starts.data());
  for (std::size_t k = 0; k < ends.size(); ++k) ends[k] -= starts[k];
  return ends.data();
}

template <int dim>
CompensatedSum CurvedDampingPotential<dim>::energy(const VecX& x) const {
  if (!is_active_) return {};
  const std::vector<int>& active = elements_.active_packs();
  return ordered_sum(
      static_cast<int>(active.size()),
      [&](int i) {
        const int p = active[static_cast<std::size_t>(i)];
        const CurvedPack<dim>& pack = elements_.packs()[static_cast<std::size_t>(p)];
        const ShapeGradients<dim>& gradients = elements_.gradients(pack);
        const Lanes* u = displacements(pack, x);
        // Sum 1/2 slope : C : slope over the points, where the slope is the gradient of x - x_t0.
        Lanes energies(0.0);
        for (int q = 0; q < gradients.num_points(); ++q) {
          const SmallMatrix<Lanes, dim> slope = map_derivative<dim>(gradients.of_point(q), u, pack.nodes.size());
          const SmallMatrix<Lanes, dim> of_point = stress<dim>(tensors(p, q), slope);
          for (std::size_t k = 0; k < dim * dim; ++k) energies += of_point.m[k] * slope.m[k];
        }
        double sum = 0.0;
        // Lanes beyond the count repeat an element and are left out.
        for (int lane = 0; lane < pack.count; ++lane) sum += 0.5 * energies[lane];
        return sum;
      },
      packs_per_task);
}

template <int dim>
void CurvedDampingPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  if (!is_active_) return;
  const std::vector<int>& active = elements_.active_packs();
  elements_.reserve_forces();
  parallel_for(static_cast<int>(active.size()), packs_per_task, [&](int i) {
    const int p = active[static_cast<std::size_t>(i)];
    const CurvedPack<dim>& pack = elements_.packs()[static_cast<std::size_t>(p)];
    const ShapeGradients<dim>& gradients = elements_.gradients(pack);
    const std::size_t num_nodes = pack.nodes.size();
    const Lanes* u = displacements(pack, x);
    // Sum the forces over the points.
    Lanes* forces = elements_.pack_forces(p);
    std::fill(forces, forces + num_nodes * dim, Lanes(0.0));
    for (int q = 0; q < gradients.num_points(); ++q) {
      const double* of_point = gradients.of_point(q);
      add_forces<dim>(stress<dim>(tensors(p, q), map_derivative<dim>(of_point, u, num_nodes)), of_point, num_nodes,
                      forces);
    }
  });
  elements_.gather_forces(scale, gradient);
}

template <int dim>
void CurvedDampingPotential<dim>::add_hessian(const VecX& /*x*/, double scale, BlockSparseMatrix& matrix) {
  if (!is_active_) return;
  elements_.assemble_hessians(
      scale, matrix, elements_.active_packs(), [&](int p, const std::array<double*, num_lanes>& targets) {
        const CurvedPack<dim>& pack = elements_.packs()[static_cast<std::size_t>(p)];
        thread_local std::vector<SmallMatrix<Lanes, dim>> of_node;
        write_hessians<dim>(elements_.gradients(pack), pack.nodes.size(), tensors(p, 0), of_node, targets);
      });
}

template class CurvedDampingPotential<2>;
template class CurvedDampingPotential<3>;

}  // namespace clearance
