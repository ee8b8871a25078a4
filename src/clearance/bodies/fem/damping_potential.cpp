#include "clearance/bodies/fem/damping_potential.h"

#include <algorithm>

#include "clearance/bodies/fem/element_kernels.h"

namespace clearance {
namespace {

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

/// Returns the elements of a mesh whose material has damping.
template <int dim>
std::shared_ptr<const ElementMesh<dim>> damped_part(const ElementMesh<dim>& mesh) {
  auto part = std::make_shared<ElementMesh<dim>>(mesh);
  part->nodes.clear();
  part->material_of_element.clear();
  part->shapes_at_rest.clear();
  const std::size_t shape_size = mesh.num_elements() > 0 ? mesh.shapes_at_rest.size() / mesh.num_elements() : 0;
  for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
    if (!(mesh.material_of(e).damping > 0.0)) continue;
    part->add(mesh.nodes_of(e), mesh.material_of_element[e]);
    const auto shape = mesh.shapes_at_rest.begin() + static_cast<std::ptrdiff_t>(e * shape_size);
    part->shapes_at_rest.insert(part->shapes_at_rest.end(), shape, shape + static_cast<std::ptrdiff_t>(shape_size));
  }
  return part;
}

}  // namespace

template <int dim>
LaggedDampingPotential<dim>::LaggedDampingPotential(const ElementMesh<dim>& mesh)
    : mesh_(damped_part(mesh)),
      elements_(ElementSet<dim>::of(mesh, [&](std::size_t e) { return mesh.material_of(e).damping > 0.0; })) {
  for (const ElementPack<dim>& pack : elements_.packs()) {
    // Store the damping coefficient of each lane, and the place of the pack's tensors.
    Lanes coefficients(0.0);
    for (int lane = 0; lane < num_lanes; ++lane) {
      const int element = elements_.mesh_element(pack.elements[lane]);
      coefficients.set(lane, mesh.material_of(element).damping);
    }
    coefficients_.push_back(coefficients);
    first_tensor_.push_back(first_tensor_.back() + pack.weights.size() * dim * dim);
  }
}

template <int dim>
void LaggedDampingPotential<dim>::restrict_to(const std::vector<char>& part) {
  // Linear elements are cheap here, and all of them take part.
  if (!elements_.is_linear()) elements_.restrict_to(part);
}

template <int dim>
Result<Done> LaggedDampingPotential<dim>::begin_step(const VecX& x_t0, double h, double /*time_t1*/) {
  // Without a time step there is no speed and no damping.
  is_active_ = h > 0.0 && has_elements();
  if (!is_active_) return Done{};
  x_t0_ = x_t0;
  h_ = h;
  if (elements_.is_linear()) {
    // Store the projected elastic Hessian at the start of the step, then scale it by c / h.
    // The projection makes the damping dissipative: u^T K u >= 0 for every displacement u, whatever the strain at the
    // start is.
    const auto write = [&](int p, const LaneTargets& targets) {
      const std::size_t at = p;
      element_kernels::write_derivatives(elements_, elements_.packs()[at], x_t0, true, nullptr, targets);
      for (int lane = 0; lane < elements_.packs()[at].count; ++lane) {
        const double factor = coefficients_[at][lane] / h;
        double* local = targets[lane];
        for (std::size_t k = 0; k < elements_.hessian_size(); ++k) local[k] *= factor;
      }
    };
    elements_.write_hessians(0, write, stiffness_);
    return Done{};
  }
  tensors_.resize(first_tensor_.back());
  parallel_for(static_cast<int>(elements_.packs().size()), elements_.packs_per_task(), [&](int p) {
    const std::size_t at = p;
    const ElementPack<dim>& pack = elements_.packs()[at];
    element_kernels::store_point_derivatives<dim>(pack, elements_.gradients(pack), x_t0, true,
                                                  coefficients_[at] * Lanes(1.0 / h),
                                                  tensors_.data() + first_tensor_[at], nullptr);
  });
  return Done{};
}

template <int dim>
typename LaggedDampingPotential<dim>::ElementVector LaggedDampingPotential<dim>::displacement(int i,
                                                                                              const VecX& x) const {
  ElementVector u;
  const std::span<const int> nodes = elements_.nodes_of(i);
  for (int a = 0; a <= dim; ++a) block<dim>(u, a) = block<dim>(x, nodes[a]) - block<dim>(x_t0_, nodes[a]);
  return u;
}

template <int dim>
typename LaggedDampingPotential<dim>::ElementVector LaggedDampingPotential<dim>::local_product(
    int i, const ElementVector& u) const {
  ElementVector product = ElementVector::Zero();
  const double* local = stiffness_.data() + i * elements_.hessian_size();
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
const Lanes* LaggedDampingPotential<dim>::displacements(const ElementPack<dim>& pack, const VecX& x) const {
  // Gather the nodes at x and at the start, and subtract.
  thread_local std::vector<Lanes> u;
  const std::size_t size = pack.nodes.size() * dim;
  const Lanes* gathered = element_kernels::gather_nodes(pack, x);
  u.assign(gathered, gathered + size);
  gathered = element_kernels::gather_nodes(pack, x_t0_);
  for (std::size_t k = 0; k < size; ++k) u[k] -= gathered[k];
  return u.data();
}

/// Returns 1/2 slope : C : slope summed over the points, where the slope is the gradient of x - x_t0.
template <int dim>
double LaggedDampingPotential<dim>::pack_energy(int p, const VecX& x) const {
  const ElementPack<dim>& pack = elements_.packs()[p];
  const ShapeGradients<dim>& gradients = elements_.gradients(pack);
  const Lanes* u = displacements(pack, x);
  Lanes energies(0.0);
  for (int q = 0; q < gradients.num_points(); ++q) {
    const SmallMatrix<Lanes, dim> slope =
        element_kernels::map_derivative<dim>(gradients.of_point(q), u, pack.nodes.size());
    const SmallMatrix<Lanes, dim> of_point = stress<dim>(tensors(p, q), slope);
    for (std::size_t k = 0; k < dim * dim; ++k) energies += of_point.m[k] * slope.m[k];
  }
  double sum = 0.0;
  // Lanes beyond the count repeat an element and are left out.
  for (int lane = 0; lane < pack.count; ++lane) sum += 0.5 * energies[lane];
  return sum;
}

template <int dim>
CompensatedSum LaggedDampingPotential<dim>::energy(const VecX& x) const {
  if (!is_active_) return {};
  if (elements_.is_linear()) {
    return ordered_sum(elements_.num_elements(), [&](int i) {
      // The energy is 1/2 u^T (c / h) K u.
      const ElementVector u = displacement(i, x);
      return 0.5 * u.dot(local_product(i, u));
    });
  }
  const std::vector<int>& active = elements_.active_packs();
  return ordered_sum(
      static_cast<int>(active.size()), [&](int i) { return pack_energy(active[i], x); }, elements_.packs_per_task());
}

template <int dim>
void LaggedDampingPotential<dim>::store_forces(int p, const VecX& x) {
  const ElementPack<dim>& pack = elements_.packs()[p];
  Lanes* forces = elements_.pack_forces(p);
  if (elements_.is_linear()) {
    // The force of each element is (c / h) K u, written to its lane.
    for (int lane = 0; lane < pack.count; ++lane) {
      const int i = pack.elements[lane];
      const ElementVector force = local_product(i, displacement(i, x));
      for (int k = 0; k < dim * (dim + 1); ++k) forces[k].set(lane, force[k]);
    }
    return;
  }
  // Sum the forces over the points.
  const ShapeGradients<dim>& gradients = elements_.gradients(pack);
  const std::size_t num_nodes = pack.nodes.size();
  const Lanes* u = displacements(pack, x);
  std::fill_n(forces, num_nodes * dim, Lanes(0.0));
  for (int q = 0; q < gradients.num_points(); ++q) {
    const double* slopes = gradients.of_point(q);
    const SmallMatrix<Lanes, dim> slope = element_kernels::map_derivative<dim>(slopes, u, num_nodes);
    element_kernels::add_forces<dim>(stress<dim>(tensors(p, q), slope), slopes, num_nodes, forces);
  }
}

template <int dim>
void LaggedDampingPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  if (!is_active_) return;
  const std::vector<int>& active = elements_.active_packs();
  elements_.reserve_forces();
  parallel_for(static_cast<int>(active.size()), elements_.packs_per_task(), [&](int i) { store_forces(active[i], x); });
  elements_.gather_forces(scale, gradient);
}

template <int dim>
void LaggedDampingPotential<dim>::add_hessian(const VecX& /*x*/, double scale, BlockSparseMatrix& matrix) {
  if (!is_active_) return;
  if (elements_.is_linear()) return elements_.add_hessians(scale, matrix, stiffness_);
  elements_.assemble_hessians(scale, matrix, [&](int p, const LaneTargets& targets) {
    const ElementPack<dim>& pack = elements_.packs()[p];
    element_kernels::write_hessians<dim>(elements_.gradients(pack), pack.nodes.size(), tensors(p, 0),
                                         element_kernels::scratch<dim>().of_node, targets);
  });
}

template class LaggedDampingPotential<2>;
template class LaggedDampingPotential<3>;

}  // namespace clearance
