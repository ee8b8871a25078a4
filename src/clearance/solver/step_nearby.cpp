// Steps beside a solved one, for derivatives of a run (step_tangent.h).
#include "clearance/solver/collect_forces.h"
#include "clearance/solver/step.h"

namespace clearance {

template <int dim>
StepDecisions Step<dim>::decisions() const {
  return {marks_, problem_.kappa(), now_.point.iterate.candidates};
}

template <int dim>
bool Step<dim>::end_at(const StepDecisions& decisions, const VecX& x) {
  if (!begin_potentials()) return false;
  problem_.fix_prescribed();
  if (decisions.marks) {
    RestartMarks marks = *decisions.marks;
    marks.x_led = target_.x_tilde;
    set_targets<dim>(in_.targets, marks.x_led);
    restart_with(std::move(marks));
  }
  problem_.choose_kappa_like(decisions.kappa);
  problem_.refer_to(x);
  now_.point.iterate = problem_.make_iterate(x, decisions.candidates);
  now_.status = StepStatus::converged;
  return true;
}

template <int dim>
void Step<dim>::hold_prescribed() {
  problem_.augmented().deactivate();
  problem_.fix_prescribed();
}

template <int dim>
double Step<dim>::move_end(const VecX& dy) {
  const Direction direction = bound_.bound(now_.point.iterate, dy);
  const double share = std::min(1.0, direction.alpha_limit);
  const VecX x = in_.coordinates().move(now_.point.iterate.x, direction.dy, share);
  problem_.refer_to(x);
  now_.point.iterate = problem_.make_iterate(x, direction.candidates);
  in_.last_end = {now_.point.iterate.x_surface, now_.point.iterate.candidates};
  return share;
}

template <int dim>
VecX Step<dim>::gradient_beside_contacts(const VecX& x) {
  problem_.refer_to(x);
  Iterate at;
  at.x = x;
  VecX sum = VecX::Zero(x.size());
  problem_.term_gradients(at, problem_.fresh_friction(at, in_.state.x)).for_each([&](const VecX& gradient) {
    sum += gradient;
  });
  return sum;
}

template <int dim>
VecX Step<dim>::contact_gradient(const VecX& x) const {
  const Iterate at = problem_.make_iterate(x, now_.point.iterate.candidates);
  VecX gradient = VecX::Zero(x.size());
  problem_.contacts().add_gradient(at.contacts, at.x_surface, problem_.kappa(), gradient);
  return gradient;
}

template <int dim>
VecX Step<dim>::gradient_at_end() {
  refer_to_end();
  const Iterate& end = now_.point.iterate;
  const FrictionPotential<dim> friction = problem_.fresh_friction(end, in_.state.x);
  return problem_.free_sum(in_.coordinates(), end.x, problem_.term_gradients(end, friction));
}

template <int dim>
StepForces Step<dim>::forces_at_end() {
  return collect_forces<dim>(in_, problem_, friction_, now_.point.iterate);
}

template <int dim>
bool Step<dim>::factorise_at_end(EndHessian* exact) {
  // The stiffness of friction is that of the friction which agrees with the contact forces at the end.
  const Iterate& end = now_.point.iterate;
  if (problem_.has_friction()) problem_.lag_friction(end, end.x - in_.state.x, problem_.kappa());
  for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
    VecX gradient;
    const bool is_wanted = exact != nullptr && kind == HessianKind::exact;
    assemble_at_end(kind, gradient, is_wanted ? &exact->whole : nullptr);
    if (is_wanted && !in_.coordinates().are_displacements()) exact->reduced = in_.system.matrix();
    if (in_.system.solver().factorize(in_.system.matrix()) != LinearSolveStatus::solved) continue;
    if (exact != nullptr) exact->is_factorised = is_wanted;
    return true;
  }
  return false;
}

template <int dim>
bool Step<dim>::solve_at_end(const VecX& right_side, VecX& dy) {
  return in_.system.solver().solve(right_side, dy) == LinearSolveStatus::solved && dy.allFinite();
}

template StepDecisions Step<2>::decisions() const;
template bool Step<2>::end_at(const StepDecisions&, const VecX&);
template void Step<2>::hold_prescribed();
template double Step<2>::move_end(const VecX&);
template VecX Step<2>::gradient_beside_contacts(const VecX&);
template VecX Step<2>::contact_gradient(const VecX&) const;
template VecX Step<2>::gradient_at_end();
template StepForces Step<2>::forces_at_end();
template bool Step<2>::factorise_at_end(EndHessian*);
template bool Step<2>::solve_at_end(const VecX&, VecX&);
template StepDecisions Step<3>::decisions() const;
template bool Step<3>::end_at(const StepDecisions&, const VecX&);
template void Step<3>::hold_prescribed();
template double Step<3>::move_end(const VecX&);
template VecX Step<3>::gradient_beside_contacts(const VecX&);
template VecX Step<3>::contact_gradient(const VecX&) const;
template VecX Step<3>::gradient_at_end();
template StepForces Step<3>::forces_at_end();
template bool Step<3>::factorise_at_end(EndHessian*);
template bool Step<3>::solve_at_end(const VecX&, VecX&);

}  // namespace clearance
