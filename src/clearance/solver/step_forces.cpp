#include "clearance/solver/step_forces.h"

#include "clearance/solver/step.h"

namespace clearance {

namespace {

/// Returns a visitor that adds forces of contacts to their vertices and to the bodies that meet. `part` is the member
/// of PairForce that they belong to.
template <int dim>
ForceVisitor<dim> adding_to(const Model& model, Vec<3> PairForce::*part, VecX& of_vertices, StepForces& sums) {
  return [&model, part, &of_vertices, &sums](const Contact& contact, int vertex, const Vec<dim>& force) {
    block<dim>(of_vertices, vertex) += force;
    const auto [first_body, second_body] = bodies_of(model.surface, contact);
    if (first_body == second_body) return;
    const bool is_first = model.surface.vertex_body[static_cast<std::size_t>(vertex)] == first_body;
    PairForce& pair = sums.between[is_first ? std::pair(first_body, second_body) : std::pair(second_body, first_body)];
    (pair.*part).template head<dim>() += force;
  };
}

}  // namespace

/// Collects the forces at the end, with friction that agrees with the contact forces there. With the published
/// convergence the friction is the lagged one, which is what the step balanced.
template <int dim>
StepForces Step<dim>::collect_forces() {
  const Iterate& end = now_.point.iterate;
  const FrictionPotential<dim> friction =
      in_.has_forces() && problem_.has_friction() ? friction_.fresh(end) : problem_.friction();
  const double scale = target_.scale;
  // Contact forces on vertices and between bodies, in newtons: gradients divided by the scale of the objective.
  StepForces forces;
  forces.normal = VecX::Zero(end.x_surface.size());
  forces.friction = forces.normal;
  problem_.contacts().visit_forces(end.contacts, end.x_surface, problem_.kappa() / scale,
                                   adding_to<dim>(in_.model, &PairForce::normal, forces.normal, forces));
  friction.visit_forces(end.x_surface, 1.0 / scale,
                        adding_to<dim>(in_.model, &PairForce::friction, forces.friction, forces));

  // A pull of the augmented Lagrangian is a part of what moves the block, not of what it is moved against.
  TermGradients gradients = problem_.term_gradients(end, friction);
  gradients.pull.resize(0);
  VecX sum = VecX::Zero(end.x.size());
  gradients.for_each([&](const VecX& gradient) { sum += gradient / scale; });
  forces.reaction = VecX::Zero(end.x.size());
  copy_prescribed<dim>(in_.targets, sum, forces.reaction);
  return forces;
}

template StepForces Step<2>::collect_forces();
template StepForces Step<3>::collect_forces();

}  // namespace clearance
