#include "clearance/bodies/fem/elastic_potential.h"

#include <Eigen/LU>

#include "clearance/bodies/fem/element_kernels.h"
#include "clearance/bodies/fem/energy_sum.h"
#include "clearance/bodies/fem/step_bound.h"

namespace clearance {

using element_kernels::pack_energy;
using element_kernels::store_pack_forces;
using element_kernels::write_derivatives;

template <int dim>
ElasticPotential<dim>::ElasticPotential(const ElementMesh<dim>& mesh)
    : elements_(ElementSet<dim>::of(mesh, [](std::size_t) { return true; })) {
  if (mesh.is_linear()) return;
  curved_ = std::make_shared<Shapes>(Shapes{mesh, mesh.shapes(), CurvedVolume<dim>(mesh.shape_order())});
}

template <int dim>
CompensatedSum ElasticPotential<dim>::energy(const VecX& x) const {
  const std::vector<int>& active = elements_.active_packs();
  return sum_energies(
      static_cast<int>(active.size()),
      [&](int i) {
        const ElementPack<dim>& pack = elements_.packs()[active[i]];
        // Lanes beyond the count repeat an element and are left out.
        const Lanes energies = pack_energy(elements_, pack, x);
        CompensatedSum sum;
        for (int lane = 0; lane < pack.count; ++lane) sum.add(energies[lane]);
        return sum;
      },
      elements_.is_linear() ? 64 : 4);
}

template <int dim>
void ElasticPotential<dim>::add_body_energies(const VecX& x, const std::vector<int>& body_of_block, VecX& sums) const {
  for (const ElementPack<dim>& pack : elements_.packs()) {
    const Lanes energies = pack_energy(elements_, pack, x);
    for (int lane = 0; lane < pack.count; ++lane) {
      // All nodes of an element belong to one body.
      const int node = pack.nodes[0][lane];
      sums[body_of_block[node]] += energies[lane];
    }
  }
}

template <int dim>
void ElasticPotential<dim>::add_gradient(const VecX& x, double scale, VecX& gradient) {
  const std::vector<int>& active = elements_.active_packs();
  elements_.reserve_forces();
  // Tasks write the forces of a pack to slots of their own; gather_forces then sums them node by node in a fixed
  // order, which makes the bits independent of the threads.
  parallel_for(static_cast<int>(active.size()), elements_.packs_per_task(), [&](int i) {
    const int p = active[i];
    store_pack_forces(elements_, elements_.packs()[p], x, elements_.pack_forces(p));
  });
  elements_.gather_forces(scale, gradient);
}

template <int dim>
auto ElasticPotential<dim>::derivatives(const VecX& x, bool is_projected, bool has_forces) {
  if (has_forces) elements_.reserve_forces();
  return [&x, is_projected, has_forces, this](int p, const LaneTargets& targets) {
    Lanes* forces = has_forces ? elements_.pack_forces(p) : nullptr;
    write_derivatives(elements_, elements_.packs()[p], x, is_projected, forces, targets);
  };
}

template <int dim>
void ElasticPotential<dim>::compute_local_derivatives(const VecX& x, bool is_projected) {
  std::vector<double> locals;
  for (int batch = 0; batch < elements_.num_batches(); ++batch) {
    elements_.write_hessians(batch, derivatives(x, is_projected, true), locals);
  }
}

template <int dim>
void ElasticPotential<dim>::add_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) {
  // Compute forces and Hessians in one pass.
  elements_.assemble_hessians(scale, matrix, derivatives(x, true, true));
  elements_.gather_forces(scale, gradient);
}

template <int dim>
void ElasticPotential<dim>::add_exact_derivatives(const VecX& x, double scale, VecX& gradient,
                                                  BlockSparseMatrix& matrix) {
  elements_.assemble_hessians(scale, matrix, derivatives(x, false, true));
  elements_.gather_forces(scale, gradient);
}

template <int dim>
void ElasticPotential<dim>::add_hessian(const VecX& x, double scale, BlockSparseMatrix& matrix) {
  elements_.assemble_hessians(scale, matrix, derivatives(x, true, false));
}

template <int dim>
StepLimit ElasticPotential<dim>::max_feasible_step(const VecX& x, const VecX& dx) {
  if (!curved_) return bound_step(elements_, x, dx, x_trial_);
  return ordered_reduce(
      static_cast<int>(curved_->mesh.num_elements()), StepLimit{},
      [&](int e) {
        thread_local std::vector<double> at, motion;
        // The volume is that of the shape, whose nodes follow the displacements.
        curved_->shapes.places(e, x, at);
        curved_->shapes.motions(e, dx, motion);
        const double alpha = curved_->volume.max_feasible_step(at, motion);
        return alpha < 1.0 ? StepLimit{alpha, e} : StepLimit{};
      },
      [](const StepLimit& a, const StepLimit& b) { return b.alpha < a.alpha ? b : a; }, 16);
}

template <int dim>
bool ElasticPotential<dim>::is_feasible(const VecX& x) const {
  // A linear element has one determinant, whose sign is decided exactly; a curved one has a polynomial, of which all
  // coefficients count [Joh13].
  if (!curved_) return find_inverted_element(elements_, x) < 0;
  return ordered_reduce(
             static_cast<int>(curved_->mesh.num_elements()), 1,
             [&](int e) {
               thread_local std::vector<double> at;
               curved_->shapes.places(e, x, at);
               return curved_->volume.is_valid(at) ? 1 : 0;
             },
             [](int a, int b) { return a & b; }, 64) == 1;
}

template <int dim>
std::vector<ElementState> ElasticPotential<dim>::linear_states(const VecX& x) const {
  const auto& packs = elements_.packs();
  std::vector<ElementState> states(elements_.num_elements());
  parallel_for(static_cast<int>(packs.size()), elements_.packs_per_task(), [&](int p) {
    const ElementPack<dim>& pack = packs[p];
    const SmallMatrix<Lanes, dim> of_lanes = element_kernels::deformation_gradient(pack, x);
    for (int lane = 0; lane < pack.count; ++lane) {
      Mat<dim> f;
      for (int c = 0; c < dim; ++c) {
        for (int r = 0; r < dim; ++r) f(r, c) = of_lanes(r, c)[lane];
      }
      const MaterialParameters material{pack.model, pack.mu[lane], pack.lambda[lane]};
      const int element = elements_.mesh_element(pack.elements[lane]);
      states[element] = element_state(material, gradient_in_space<dim>(material, f));
    }
  });
  return states;
}

/// Returns the state of the element at its centre, but stress and strain of the corner with the largest equivalent
/// stress if that is larger: in bending, the stress of an element of order 2 is linear, and largest at its corners.
template <int dim>
ElementState ElasticPotential<dim>::curved_state(std::size_t e, const ShapeGradients<dim>& gradients,
                                                 const RestMap<dim>& rest, const VecX& x) const {
  const ElementMesh<dim>& mesh = curved_->mesh;
  const auto state_at = [&](int q) {
    Mat<dim> derivative = gradients.map_derivative(q, mesh.nodes_of(e), x);
    if (mesh.higher_shape_order > 0) derivative += rest.offset(q, e);
    const Mat<dim> f = derivative * rest.derivative(q, e).inverse();
    return element_state(mesh.material_of(e), gradient_in_space<dim>(mesh.material_of(e), f));
  };
  ElementState state = state_at(0);
  const double energy_density = state.energy_density;
  for (int corner = 1; corner <= dim + 1; ++corner) {
    const ElementState at_corner = state_at(corner);
    if (at_corner.von_mises > state.von_mises) state = at_corner;
  }
  state.energy_density = energy_density;
  return state;
}

template <int dim>
std::vector<ElementState> ElasticPotential<dim>::element_states(const VecX& x) const {
  if (!curved_) return linear_states(x);
  const ElementMesh<dim>& mesh = curved_->mesh;
  // Evaluate at the centre of the reference element and at its corners.
  std::vector<QuadraturePoint> points;
  Barycentrics center{};
  for (std::size_t i = 0; i <= dim; ++i) center[i] = 1.0 / (dim + 1.0);
  points.push_back({center, 1.0});
  for (std::size_t i = 0; i <= dim; ++i) {
    Barycentrics corner{};
    corner[i] = 1.0;
    points.push_back({corner, 1.0});
  }
  const ShapeGradients<dim> gradients(mesh.order, points);
  const RestMap<dim> rest(mesh, points);
  std::vector<ElementState> states(mesh.num_elements());
  parallel_for(static_cast<int>(states.size()), 16, [&](int e) { states[e] = curved_state(e, gradients, rest, x); });
  return states;
}

template class ElasticPotential<2>;
template class ElasticPotential<3>;

}  // namespace clearance
