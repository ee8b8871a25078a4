#include "clearance/solver/step_forces.h"

#include "clearance/solver/step.h"

namespace clearance {

namespace {

/// Adds `factor` times the forces of contacts to their vertices and to the bodies that meet; `part` is that of
/// PairForce.
template <int dim>
void add_contact_forces(const Model& model, const std::vector<ContactForce<dim>>& forces, double factor,
                        Vec<3> PairForce::*part, VecX& of_vertices, StepForces& sums) {
  for (const ContactForce<dim>& force : forces) {
    const Contact& contact = force.contact;
    const auto [first_body, second_body] = bodies_of(model.surface, contact);
    for (int i = 0; i < contact.num_vertices(); ++i) {
      const Vec<dim> f = factor * force.on_vertices.template segment<dim>(dim * i);
      block<dim>(of_vertices, contact.vertices[static_cast<std::size_t>(i)]) += f;
      if (first_body == second_body) continue;
      const bool is_first = i < num_first(contact);
      PairForce& pair =
          sums.between[is_first ? std::pair(first_body, second_body) : std::pair(second_body, first_body)];
      (pair.*part).template head<dim>() += f;
    }
  }
}

}  // namespace

/// With friction that agrees with the contact forces at the end; by the published convergence with the friction that
/// was lagged, which is what the step balanced.
template <int dim>
StepForces Step<dim>::collect_forces() {
  const FrictionPotential<dim> friction =
      has_forces() && problem_.has_friction() ? problem_.fresh_friction(current_, state_.x) : problem_.friction();
  const double scale = target_.scale;
  StepForces forces;
  forces.normal = VecX::Zero(current_.x_surface.size());
  forces.friction = forces.normal;
  const auto normal =
      problem_.barrier().contact_forces(current_.contacts, current_.x_surface, problem_.kappa() / scale);
  add_contact_forces<dim>(model_, normal, 1.0, &PairForce::normal, forces.normal, forces);
  add_contact_forces<dim>(model_, friction.contact_forces(current_.x_surface), 1.0 / scale, &PairForce::friction,
                          forces.friction, forces);

  // A pull of the augmented Lagrangian is a part of what moves the block, not of what it is moved against.
  std::vector<VecX> gradients = problem_.term_gradients(current_, friction);
  if (problem_.augmented().is_active()) gradients.pop_back();
  forces.reaction = VecX::Zero(current_.x.size());
  for (const VecX& gradient : gradients) {
    for (int b : targets_.blocks) block<dim>(forces.reaction, b) += block<dim>(gradient, b) / scale;
  }
  return forces;
}

template StepForces Step<2>::collect_forces();
template StepForces Step<3>::collect_forces();

}  // namespace clearance
