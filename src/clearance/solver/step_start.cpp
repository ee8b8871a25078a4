// A step up to its first direction.
#include <algorithm>
#include <optional>
#include <string_view>

#include "clearance/model/blocks.h"
#include "clearance/model/feasible_model.h"
#include "clearance/solver/accepted_move.h"
#include "clearance/solver/carried_bodies.h"
#include "clearance/solver/held_blocks.h"
#include "clearance/solver/impacts.h"
#include "clearance/solver/state_motion.h"
#include "clearance/solver/step.h"

namespace clearance {

/// Begins the step in all potentials. False if something is not defined in this step.
template <int dim>
bool Step<dim>::begin_potentials() {
  const double h = in_.options.integrator.h;
  for (std::size_t k = 0; k < in_.copies.potentials.size(); ++k) {
    Potential* potential = in_.copies.potentials[k].get();
    potential->set_turns(in_.state.x, in_.state.turns);
    potential->set_history(history_of(in_.state, k));
    const Result<Done> begun = potential->begin_step(in_.state.x, h, (in_.state.step + 1) * h);
    if (begun) continue;
    now_.status = StepStatus::undefined_input;
    now_.failure = to_string(begun.issues().front());
    return false;
  }
  set_coordinate_targets();
  return true;
}

/// Sets the targets of coordinates that have an inertia of their own.
template <int dim>
void Step<dim>::set_coordinate_targets() {
  for (const auto& potential : in_.copies.potentials) {
    CoordinateInertia* inertia = coordinate_inertia_of(*potential);
    if (inertia == nullptr) continue;
    inertia->set_targets(
        in_.state, [&](int block) { return inertial_formula(in_.options.integrator, in_.state, target_, block); });
  }
}

/// Prepares the step and its first iterate. Scripted nodes are fixed if they arrive at their targets; else the
/// augmented Lagrangian pulls them [Fer23, app. A.5].
template <int dim>
void Step<dim>::start() {
  in_.system.begin_step(in_.state.x);
  now_.point.iterate.x = in_.state.x;
  now_.point.iterate.x_surface = problem_.x_surface_t0();
  // The pairs of the last step's end are reused if the surface is still where they were found.
  if (in_.last_end.candidates && in_.last_end.x_surface == problem_.x_surface_t0())
    now_.point.iterate.candidates = in_.last_end.candidates;
  const Direction to_targets = pull_.towards_targets(now_.point.iterate);
  if (has_restarts(in_.options.integrator.method)) restart_where_hit();
  problem_.choose_kappa();
  friction_.start(to_targets.candidates);
  open_account(to_targets.candidates);
  problem_.fix_prescribed();
  const bool is_blocked = to_targets.alpha_limit < 1.0;
  const bool has_arrived = (is_blocked && (move_together() || response_.follow(now_.point.iterate))) ||
                           pull_.move(to_targets, now_.point.iterate);
  if (!has_arrived) problem_.pull_prescribed();
  now_.point.energy = problem_.energy(now_.point.iterate);
  start_from_inertia();
  // Inertia leads nearly as far in less time.
  if (!is_blocked && !target_.has_inertia) start_from_response();
}

/// Moves scripted nodes to their targets and everything else on with its velocity, as bodies that are pushed along
/// need, or in statics with the motion that carries it. False, and nothing has moved, if something meets on the way.
template <int dim>
bool Step<dim>::move_together() {
  Iterate& iterate = now_.point.iterate;
  VecX x = target_.has_inertia ? in_.coordinates().unstretched(target_.x_tilde)
                               : carried_along<dim>(in_.model, in_.targets, in_.state.x);
  if (!target_.has_inertia && x == in_.state.x) return false;
  set_targets<dim>(in_.targets, x);
  const Direction direction = bound_.bound(iterate, in_.coordinates().from_to(iterate.x, x));
  if (direction.alpha_limit < 1.0) return false;
  x = in_.coordinates().move(iterate.x, direction.dy, 1.0);
  set_targets<dim>(in_.targets, x);
  if (!problem_.is_feasible(x)) return false;
  MoveListener::note(in_, iterate.x, x, direction.dy, 1.0);
  iterate = problem_.make_iterate(std::move(x), direction.candidates);
  return true;
}

/// Prepares the step with `x` as its first iterate, which may be the solution of another mesh. Friction and stiffness
/// are those of the state.
template <int dim>
void Step<dim>::start_from(const VecX& x) {
  in_.system.begin_step(in_.state.x);
  const auto find_candidates = [&](const VecX& x_surface) {
    return std::make_shared<const Candidates>(
        in_.options.has_contact ? in_.copies.contact_model->find_candidates(in_.broad_phase, x_surface, x_surface)
                                : Candidates{});
  };
  const std::shared_ptr<const Candidates> candidates_t0 = find_candidates(problem_.x_surface_t0());
  problem_.fix_prescribed();
  now_.point.iterate = problem_.make_iterate(in_.state.x, candidates_t0);
  if (has_restarts(in_.options.integrator.method)) restart_where_hit();
  problem_.choose_kappa();
  friction_.start(candidates_t0);
  open_account(candidates_t0);
  now_.point.iterate = problem_.make_iterate(x, find_candidates(in_.model.surface_map.apply(x)));
  now_.point.energy = problem_.energy(now_.point.iterate);
  if (in_.is_start_solution) friction_.take_up(now_.point, 1.0);
}

/// Marks the bodies that the limit of a joint would stop on the way to x, and all bodies that joints connect with them.
template <int dim>
void Step<dim>::mark_stopped(const VecX& x, std::vector<char>& is_hit) const {
  const std::vector<int>& body_of_block = in_.model.body_of_block;
  if (body_of_block.empty()) return;
  std::vector<char> is_stopped(in_.model.surface.num_bodies(), 0);
  for (const auto& potential : in_.copies.potentials) {
    potential->mark_stopped_bodies(x, body_of_block, is_stopped);
  }
  const auto mechanism_of = [&](std::size_t body) {
    const std::vector<int>& mechanisms = in_.model.mechanism_of_body;
    return mechanisms.empty() ? body : mechanisms[body];
  };
  std::vector<char> is_mechanism_stopped(is_stopped.size(), 0);
  for (std::size_t body = 0; body < is_stopped.size(); ++body) {
    if (is_stopped[body] != 0) is_mechanism_stopped[mechanism_of(body)] = 1;
  }
  for (std::size_t b = 0; b < is_hit.size(); ++b) {
    if (is_mechanism_stopped[mechanism_of(body_of_block[b])] != 0) is_hit[b] = 1;
  }
}

/// True if a joint is out of place at the start, as one is whose drive begins at once.
template <int dim>
bool Step<dim>::begins_with_drive() const {
  constexpr double rounding = 1e-12;  // of the energy of crossing the scene in a step
  const double speed = in_.model.bbox_diagonal / in_.options.integrator.h;
  const double least = rounding * in_.model.mass.sum() * speed * speed;
  return std::any_of(in_.copies.potentials.begin(), in_.copies.potentials.end(), [&](const auto& potential) {
    return potential->name() == "joint" && potential->energy(in_.state.x).value() > least;
  });
}

/// Marks what is prescribed: its velocity may jump, and the reaction is then the change of its momentum, no more and no
/// less. Drives of joints may begin with a jump, too.
template <int dim>
void Step<dim>::mark_led(RestartMarks& marks) const {
  if (in_.state.step == 0 && begins_with_drive()) std::fill(marks.is_hit.begin(), marks.is_hit.end(), 1);
  marks.is_led.assign(marks.is_hit.size(), 0);
  for (std::size_t k = 0; k < in_.targets.blocks.size(); ++k) {
    if (in_.targets.is_whole(k, dim)) marks.is_led[in_.targets.blocks[k]] = 1;
  }
}

/// Marks stiff bodies that nothing can touch in this step. Those with joints are left out, because a limit may press on
/// them, and those on links and springs, which may jerk them.
template <int dim>
void Step<dim>::mark_flying(const std::vector<char>& is_near, std::vector<char>& is_flying) const {
  is_flying.assign(in_.model.layout.num_blocks, 0);
  // Bodies with a past need no other formula.
  const std::vector<char>& has_history = in_.state.has_history;
  if (std::find(has_history.begin(), has_history.end(), 0) == has_history.end()) return;
  const std::vector<char> is_held = held_flags(in_.model);
  for (const StiffBody& body : in_.model.stiff_bodies) {
    const int first = body.first_block;
    const auto begin = is_held.begin() + first, end = begin + dim + 1;
    const bool is_free = is_near[first] == 0 && std::find(begin, end, 1) == end;
    std::fill_n(is_flying.begin() + first, dim + 1, static_cast<char>(is_free));
  }
}

/// Gives bodies that are about to hit something, or a limit of their joints, a step of implicit Euler; those that touch
/// something too if the method asks for it.
template <int dim>
void Step<dim>::restart_where_hit() {
  VecX x = target_.x_tilde;
  set_targets<dim>(in_.targets, x);
  const std::vector<char> none(in_.model.layout.num_blocks, 0);
  ImpactMarks impacts{none, none, none};
  if (in_.options.has_contact) {
    StageTimer timer(log_.profile(), Stage::broad_phase);
    impacts = find_impacts<dim>(in_.model, in_.options, in_.broad_phase, in_.state.x, x);
  }
  account_.note_struck(impacts.is_struck);
  RestartMarks marks{std::move(impacts.is_hit), {}, x};
  mark_stopped(x, marks.is_hit);
  if (in_.options.integrator.method == TimeIntegrator::bdf2_in_flight) {
    mark_led(marks);
    mark_flying(impacts.is_near, marks.is_flying);
  }
  restart_with(std::move(marks));
}

/// Sets the formulas of restarted BDF2 that follow from `marks`.
template <int dim>
void Step<dim>::restart_with(RestartMarks marks) {
  marks_ = std::move(marks);
  target_ = target_of<dim>(in_.model, in_.options.integrator, in_.state, marks_);
  if (in_.copies.consistent_mass) in_.copies.consistent_mass->set_factors(target_.mass_factors);
  set_coordinate_targets();
}

/// Opens the account. The contacts at the start have the energy of the last step's end, with the stiffness of this
/// step.
template <int dim>
void Step<dim>::open_account(std::shared_ptr<const Candidates> candidates) {
  const State& state = in_.state;
  double stored = 0.0;
  if (state.stored.size() > 0 && state.kappa > 0.0) {
    stored = state.stored[state.stored.size() - 1] * (problem_.kappa() / target_.scale / state.kappa);
  } else {
    const Iterate start = problem_.make_iterate(state.x, std::move(candidates));
    stored = problem_.kappa() / target_.scale * problem_.contacts().energy(start.contacts, start.x_surface).value();
  }
  account_.open(state, stored);
}

/// Starts Newton where the bodies would be without forces, as far as that is feasible, if the objective is lower there.
/// In statics motions carry bodies along, all the way or not at all.
template <int dim>
void Step<dim>::start_from_inertia() {
  const bool has_inertia = target_.has_inertia;
  VecX x = has_inertia ? in_.coordinates().unstretched(target_.x_tilde)
                       : carried_along<dim>(in_.model, in_.targets, in_.state.x);
  if (!has_inertia && x == in_.state.x) return;
  // Carried bodies come from where they were before the prescribed nodes moved and strained it.
  std::optional<Iterate> before;
  if (!has_inertia) before = problem_.make_iterate(in_.state.x, now_.point.iterate.candidates);
  const Iterate& from = has_inertia ? now_.point.iterate : *before;
  // Prescribed components stay where they are now.
  copy_prescribed<dim>(in_.targets, now_.point.iterate.x, x);
  VecX dy = in_.coordinates().from_to(from.x, x);
  if (bound_.length(from.x, dy) <= criterion_->negligible_length()) return;
  const Direction direction = bound_.bound(from, std::move(dy));
  if (!has_inertia && direction.alpha_limit < 1.0) return;
  x = in_.coordinates().move(from.x, direction.dy, direction.alpha_limit);
  copy_prescribed<dim>(in_.targets, now_.point.iterate.x, x);
  start_if_lower(from.x, std::move(x), direction);
}

/// Starts Newton at `x`, the end of the feasible part of a direction from `x_from`, if the objective is lower there.
template <int dim>
void Step<dim>::start_if_lower(const VecX& x_from, VecX x, const Direction& direction) {
  Iterate guess = problem_.make_iterate(std::move(x), direction.candidates);
  const CompensatedSum energy = problem_.energy(guess);
  if (!(energy.value() < now_.point.energy.value()) || !problem_.is_feasible(guess.x)) return;
  MoveListener::note(in_, x_from, guess.x, direction.dy, direction.alpha_limit);
  now_.point = {std::move(guess), energy};
}

/// Starts Newton where everything would be if forces were linear in the motion of the prescribed nodes, if that is
/// feasible and the objective is lower there.
template <int dim>
void Step<dim>::start_from_response() {
  if (problem_.augmented().is_active() || !response_.is_wanted(in_.state.x, criterion_->negligible_length())) return;
  const Iterate before = problem_.make_iterate(in_.state.x, now_.point.iterate.candidates);
  const std::optional<Direction> direction = response_.direction(before);
  if (!direction || direction->alpha_limit < 1.0) return;
  VecX x = in_.coordinates().move(before.x, direction->dy, 1.0);
  set_targets<dim>(in_.targets, x);
  start_if_lower(before.x, std::move(x), *direction);
}

template bool Step<2>::begin_potentials();
template void Step<2>::set_coordinate_targets();
template void Step<2>::start();
template bool Step<2>::move_together();
template void Step<2>::start_from(const VecX&);
template void Step<2>::restart_where_hit();
template void Step<2>::restart_with(RestartMarks);
template bool Step<2>::begins_with_drive() const;
template void Step<2>::mark_led(RestartMarks&) const;
template void Step<2>::mark_flying(const std::vector<char>&, std::vector<char>&) const;
template void Step<2>::mark_stopped(const VecX&, std::vector<char>&) const;
template void Step<2>::open_account(std::shared_ptr<const Candidates>);
template void Step<2>::start_from_inertia();
template void Step<2>::start_if_lower(const VecX&, VecX, const Direction&);
template void Step<2>::start_from_response();
template bool Step<3>::begin_potentials();
template void Step<3>::set_coordinate_targets();
template void Step<3>::start();
template bool Step<3>::move_together();
template void Step<3>::start_from(const VecX&);
template void Step<3>::restart_where_hit();
template void Step<3>::restart_with(RestartMarks);
template bool Step<3>::begins_with_drive() const;
template void Step<3>::mark_led(RestartMarks&) const;
template void Step<3>::mark_flying(const std::vector<char>&, std::vector<char>&) const;
template void Step<3>::mark_stopped(const VecX&, std::vector<char>&) const;
template void Step<3>::open_account(std::shared_ptr<const Candidates>);
template void Step<3>::start_from_inertia();
template void Step<3>::start_if_lower(const VecX&, VecX, const Direction&);
template void Step<3>::start_from_response();

}  // namespace clearance
