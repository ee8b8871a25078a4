#include "clearance/solver/step.h"

#include <fmt/format.h>

#include "clearance/base/stop.h"
#include "clearance/solver/attempt_limit.h"
#include "clearance/solver/force_criterion.h"
#include "clearance/solver/motion_criterion.h"
#include "clearance/solver/state_motion.h"

namespace clearance {

namespace {

/// Share of a direction that counts as nothing, and the number of such directions in a row after which the step is
/// locked. In 77 long steps of impacts at 1000 m/s that did converge there were four in a row at most.
constexpr double locked_share = 1e-3;
constexpr int max_locked = 100;
/// Motion in a step, in diagonals of the scene, after which a body without inertia has no equilibrium. A block that its
/// friction no longer holds went 43 km; bodies that settle go less than the height that they start at.
constexpr double longest_settling = 1000.0;

}  // namespace

template <int dim>
Step<dim>::Step(const StepInputs<dim>& in)
    : in_(in),
      target_(target_of<dim>(in.model, in.options.integrator, in.state, std::nullopt)),
      problem_(in.model, in.copies, in.options, target_, in.targets, in.state),
      bound_(in_, problem_, log_),
      newton_(in_, problem_, log_),
      response_(in_, problem_, bound_, newton_),
      pull_(in_, problem_, bound_, response_, log_),
      friction_(in_, problem_, log_),
      coupling_(in_, problem_, bound_, friction_, log_),
      correction_(in_, problem_, newton_),
      search_(in_, problem_, bound_, log_),
      criterion_(make_criterion()),
      account_(in.model, in.copies, in.coordinates(), target_, in.options.integrator),
      counters_t0_(in.system.solver().counters()) {
  bound_.correct_by(correction_);
}

template <int dim>
std::unique_ptr<ConvergenceCriterion<dim>> Step<dim>::make_criterion() {
  const JudgedParts<dim> parts{in_, problem_, pull_, friction_, newton_, search_, log_};
  if (in_.has_forces()) return std::make_unique<ForceCriterion<dim>>(parts);
  return std::make_unique<MotionCriterion<dim>>(parts);
}

template <int dim>
void Step<dim>::solve() try {
  const StopScope scope(in_.hooks.is_stop_wanted);
  // 1. Set the inertial target, scripted nodes, barrier stiffness, friction and the first iterate.
  if (!begin_potentials()) return record();
  in_.start != nullptr ? start_from(*in_.start) : start();

  // 2. Find a balance of forces, and leave it where it is not stable.
  do {
    find_balance();
  } while (leave_unstable_balance());

  // 3. Compute the exact verdict and the figures of the end.
  finish();
} catch (const Stopped&) {
  now_.status = StepStatus::stopped;
  in_.last_end.is_cut_off = true;
  record();
}

/// Iterates projected Newton [Fer23, alg. 2.1]. Forces may end the step before a direction is solved for [Fer23,
/// alg. A.1], or, as published, a direction may end it after it was followed.
template <int dim>
void Step<dim>::find_balance() {
  Verdict verdict = Verdict::go_on;
  const auto is_given_up = [&] {
    return part_.is_everything() && AttemptLimit::is_reached(now_.num_directions + now_.num_partial_directions);
  };
  while (verdict != Verdict::ended && now_.num_directions < in_.options.max_iterations && !is_given_up()) {
    check_stop();
    refer_to_iterate();
    verdict = judge_iterate();
    VecX dy;
    if (verdict == Verdict::go_on) verdict = find_direction(dy);
    if (verdict == Verdict::go_on && !follow_coupled(dy)) {
      const double reach = search_.choose_reach(now_, newton_.is_exact());
      follow(dy, bound_.feasible_direction(now_.point.iterate, newton_.gradient(), reach * dy));
    }
    if (verdict == Verdict::go_on) verdict = judge_direction(dy);
  }
}

template <int dim>
void Step<dim>::check_stop() const {
  if (in_.hooks.is_stop_wanted && current_stop_scope->is_stop_wanted()) throw Stopped();
}

/// Updates the reference point of forces that are not the gradient of an energy, since they are correct only there. An
/// energy with a distant reference may have minima of its own.
template <int dim>
void Step<dim>::refer_to_iterate() {
  if (search_.is_on_detour() || !problem_.refer_to(now_.point.iterate.x)) return;
  now_.point.energy = problem_.energy(now_.point.iterate);
}

/// Judges the iterate, unless only a part of the scene moves, and then assembles the system there. The judgement needs
/// a system of any iterate.
template <int dim>
Verdict Step<dim>::judge_iterate() {
  const bool is_first = !newton_.is_assembled();
  if (is_first) newton_.assemble(now_.point.iterate, part_);
  const Verdict verdict = part_.is_everything() ? criterion_->before_direction(now_) : Verdict::go_on;
  if (verdict != Verdict::go_on) return verdict;
  if (!is_first || newton_.is_outdated()) newton_.assemble(now_.point.iterate, part_);
  return Verdict::go_on;
}

/// Computes Newton's direction from the assembled system, at most as long as makes sense. If the system of a part has
/// no solution, everything moves next.
template <int dim>
Verdict Step<dim>::find_direction(VecX& dy) {
  now_.last = {};
  const bool is_found = newton_.solve(now_, part_, dy);
  if (is_found) {
    ++(part_.is_everything() ? now_.num_directions : now_.num_partial_directions);
    const double length = bound_.length(now_.point.iterate.x, dy);
    now_.residual = length / in_.options.integrator.h;
    // A nearly singular system without inertia can ask for any length, and sweeping that would pair everything with
    // everything.
    const double longest = (target_.has_inertia ? 1e3 : 1.0) * in_.model.bbox_diagonal;
    if (length > longest) dy *= longest / length;
  }
  if (criterion_->at_direction(is_found ? &dy : nullptr, now_) == Verdict::ended) return Verdict::ended;
  if (is_found) {
    log_.begin_iteration(now_.point.iterate.contacts);
    return Verdict::go_on;
  }
  if (part_.is_everything()) {
    now_.status = StepStatus::linear_solve_failed;
    now_.failure = "the matrix is singular: no force resists some motion, or memory is short";
    return Verdict::ended;
  }
  part_.choose_everything();
  set_part();
  return Verdict::again;
}

/// Moves the point along a direction that balances contact forces and friction at once. False if there is none.
template <int dim>
bool Step<dim>::follow_coupled(const VecX& dy) {
  if (search_.is_on_detour()) return false;
  now_.last = coupling_.follow(dy, newton_.gradient(), now_.point);
  if (now_.last.has_moved) search_.skip(now_);
  return now_.last.has_moved;
}

/// Moves the point along the feasible part of Newton's direction dy as far as that makes progress. The contacts that
/// all of dy would meet are forecast.
template <int dim>
void Step<dim>::follow(const VecX& dy, const Direction& feasible) {
  friction_.note_motion();
  problem_.move_friction_duals(now_.point.iterate, in_.coordinates().expand(now_.point.iterate.x, dy));
  const int num_met = bound_.foretell(now_.point.iterate, dy, feasible, problem_.forecast());
  now_.last = search_.follow(feasible, newton_.gradient(), now_);
  if (part_.is_everything()) newton_.note_followed(now_.last);
  now_.last.num_met = num_met;
}

/// Judges the direction that was followed, and chooses what the next one moves.
template <int dim>
Verdict Step<dim>::judge_direction(const VecX& dy) {
  const bool is_partial = !part_.is_everything();
  now_.has_moved = now_.last.has_moved || is_partial;
  if (!is_partial) now_.num_locked = now_.last.alpha < locked_share ? now_.num_locked + 1 : 0;
  log_.end_iteration(iteration_report(), now_.point.iterate.contacts);
  if (in_.hooks.on_iteration && !is_partial) {
    in_.hooks.on_iteration(now_.num_directions, now_.residual);
    check_stop();
  }

  if (!target_.has_inertia && is_carried_away()) return Verdict::ended;
  const Verdict verdict = is_partial ? Verdict::go_on : criterion_->after_direction(now_);
  if (verdict == Verdict::ended) return verdict;
  if (now_.num_locked >= max_locked) {
    now_.status = StepStatus::locked;
    return Verdict::ended;
  }
  if (verdict == Verdict::go_on) choose_part(dy);
  return verdict;
}

/// True if a body has moved so far from its start that no equilibrium can be near; the step then ends.
template <int dim>
bool Step<dim>::is_carried_away() {
  const VecX motion = (now_.point.iterate.x - in_.state.x).cwiseAbs();
  Eigen::Index at = 0;
  const double longest = motion.size() > 0 ? motion.maxCoeff(&at) : 0.0;
  if (!(longest > longest_settling * in_.model.bbox_diagonal)) return false;
  now_.status = StepStatus::no_equilibrium;
  const std::vector<std::string>& names = in_.model.surface.body_names;
  const std::size_t body = in_.model.body_of_block.empty() ? 0 : in_.model.body_of_block[at / dim];
  now_.failure = fmt::format(
      "{} has moved {:.2g} m and nothing holds it. Its loads are more than friction, contacts, attachments "
      "and motions carry, or it has buckled or snapped through",
      body < names.size() ? "'" + names[body] + "'" : "a body", longest);
  return true;
}

/// Chooses the blocks that the next direction moves.
template <int dim>
void Step<dim>::choose_part(const VecX& dy) {
  const bool was_everything = part_.is_everything();
  // Stiff bodies have few unknowns: most of the time goes into their contacts, which a part would not save.
  const bool can_be_part =
      in_.model.stiff_bodies.empty() && now_.last.alpha > 0.0 && !newton_.is_exact() && !search_.is_on_detour();
  if (can_be_part) {
    part_.choose(dy, in_.system.matrix(), criterion_->negligible_length());
  } else {
    part_.choose_everything();
  }
  if (!was_everything || !part_.is_everything()) set_part();
}

/// Restricts the objective to the chosen part; energies are those of the part from here on.
template <int dim>
void Step<dim>::set_part() {
  problem_.restrict_to(part_.marks());
  now_.point.energy = problem_.energy(now_.point.iterate);
}

/// Returns the record of the iteration whose direction was followed last, without its changes of contacts.
template <int dim>
IterationReport Step<dim>::iteration_report() const {
  IterationReport iteration;
  iteration.residual = now_.residual;
  iteration.imbalance = now_.imbalance.value_or(0.0);
  iteration.is_exact = newton_.is_exact();
  iteration.alpha_limit = now_.last.alpha_limit;
  iteration.limited_by = now_.last.limited_by;
  iteration.alpha = now_.last.alpha;
  iteration.num_moving = static_cast<int>(part_.blocks().size());
  iteration.num_met = now_.last.num_met;
  iteration.num_foretold = problem_.forecast().num_expected();
  iteration.event = now_.last.event;
  return iteration;
}

template class Step<2>;
template class Step<3>;

}  // namespace clearance
