#include "clearance/solver/collect_forces.h"

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
    const bool is_first = model.surface.vertex_body[vertex] == first_body;
    PairForce& pair = sums.between[is_first ? std::pair(first_body, second_body) : std::pair(second_body, first_body)];
    (pair.*part).template head<dim>() += force;
  };
}

}  // namespace

template <int dim>
StepForces collect_forces(const StepInputs<dim>& in, StepProblem<dim>& problem, const FrictionLag<dim>& lag,
                          const Iterate& end) {
  const FrictionPotential<dim> friction = lag.balanced(end);
  const double scale = problem.target().scale;
  // The contact forces on vertices and between bodies, in newtons, are gradients divided by the scale of the objective.
  StepForces forces;
  forces.normal = VecX::Zero(end.x_surface.size());
  forces.friction = forces.normal;
  problem.contacts().visit_forces(end.contacts, end.x_surface, problem.kappa() / scale,
                                  adding_to<dim>(in.model, &PairForce::normal, forces.normal, forces));
  friction.visit_forces(end.x_surface, 1.0 / scale,
                        adding_to<dim>(in.model, &PairForce::friction, forces.friction, forces));

  // A pull of the augmented Lagrangian is a part of what moves the block, not of what it is moved against.
  TermGradients gradients = problem.term_gradients(end, friction);
  gradients.pull.resize(0);
  VecX sum = VecX::Zero(end.x.size());
  gradients.for_each([&](const VecX& gradient) { sum += gradient / scale; });
  forces.reaction = VecX::Zero(end.x.size());
  copy_prescribed<dim>(in.targets, sum, forces.reaction);
  return forces;
}

template StepForces collect_forces(const StepInputs<2>&, StepProblem<2>&, const FrictionLag<2>&, const Iterate&);
template StepForces collect_forces(const StepInputs<3>&, StepProblem<3>&, const FrictionLag<3>&, const Iterate&);

}  // namespace clearance
