#include "clearance/simulation/stepping/step_parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "clearance/simulation/adapt/adapted_step.h"
#include "clearance/simulation/build/contact_scales.h"
#include "clearance/simulation/build/motion_targets.h"
#include "clearance/simulation/stepping/time_error.h"
#include "clearance/solver/attempt_limit.h"

namespace clearance {
namespace {

/// Share of the accuracy below which the next part has twice the length.
constexpr double growth_share = 0.2;
/// Halvings of a part that does not converge, where an accuracy allows more.
constexpr int halvings_to_converge = 6;
/// Directions and lags of friction after which an attempt is given up, because halves take less work.
constexpr int patience = 200, patience_of_friction = 50;
/// A part that took at most one in so many of the iterations of an attempt is followed by one of twice the length.
constexpr int ease = 4;
/// Halvings in which contacts stay as stiff as those of the whole step. Contacts of halves were four times as stiff,
/// and bodies left the floor. In parts shorter than a quarter, the barriers of the whole step are too soft for the
/// inertia.
constexpr int halvings_of_one_stiffness = 2;
/// Halvings of a step in which a motion or a load begins or ends.
constexpr int halvings_to_events = 10;
/// Slower motion than this has no error: as a share of the scene's diagonal in a step, and of what gravity gives in it.
constexpr double least_motion = 1e-4, least_fall = 0.1;

/// Lets the integrator start anew: positions of the past are a step of another length away.
void forget_past(State& state) {
  state.x_prev.resize(0);
  state.v_prev.resize(0);
  std::fill(state.has_history.begin(), state.has_history.end(), 0);
}

void add_account(const EnergyAccount& part, EnergyAccount& sum) {
  using Entry = double EnergyAccount::*;
  for (const Entry entry :
       {&EnergyAccount::kinetic, &EnergyAccount::stored, &EnergyAccount::loads, &EnergyAccount::motions,
        &EnergyAccount::drives, &EnergyAccount::friction, &EnergyAccount::damping, &EnergyAccount::plastic,
        &EnergyAccount::residual, &EnergyAccount::impacts, &EnergyAccount::integrator}) {
    sum.*entry += part.*entry;
  }
}

/// Adds a part that follows to the report of those before: sums, and the end of the later one.
StepReport joined(const StepReport& first, StepReport second) {
  add_attempt(first, second);
  second.num_parts += first.num_parts;
  second.num_inaccurate += first.num_inaccurate;
  second.time_error = std::max(second.time_error, first.time_error);
  second.friction_iterations += first.friction_iterations;
  second.friction_work += first.friction_work;
  second.total_seconds += first.total_seconds;
  second.smallest_alpha = std::min(second.smallest_alpha, first.smallest_alpha);
  add_account(first.account, second.account);
  second.momentum.change += first.momentum.change;
  second.momentum.impulse += first.momentum.impulse;
  second.momentum.integrator += first.momentum.integrator;
  if (first.status != StepStatus::converged && second.is_advanced()) {
    second.status = first.status;
    second.limited_by = first.limited_by;
  }
  if (first.imbalance > second.imbalance) {
    second.imbalance = first.imbalance;
    second.imbalanced_body = first.imbalanced_body;
  }
  return second;
}

}  // namespace

void add_attempt(const StepReport& attempt, StepReport& report) {
  add_work(attempt, report);
  report.iterations.insert(report.iterations.begin(), attempt.iterations.begin(), attempt.iterations.end());
}

StepReport undefined_step(const Issues& issues) {
  StepReport report;
  report.status = StepStatus::undefined_input;
  report.limited_by = to_string(issues.front());
  return report;
}

bool may_be_cut(StepStatus status) {
  return status == StepStatus::locked || status == StepStatus::iteration_limit ||
         status == StepStatus::line_search_stalled || status == StepStatus::friction_lag_limit;
}

SolverOptions options_of_attempt(SolverOptions options) {
  options.max_iterations = std::min(options.max_iterations, patience);
  if (options.friction.iterations == 0) {
    options.friction.max_iterations = std::min(options.friction.max_iterations, patience_of_friction);
  }
  return options;
}

int directions_of_attempt(bool is_attempt) {
  return is_attempt ? patience : std::numeric_limits<int>::max();
}

bool can_be_cut(const SceneModel& scene) {
  return std::none_of(scene.motions.begin(), scene.motions.end(), [](const PreparedMotion& motion) {
    return !motion.desc.poses.empty() || (motion.desc.has_mesh_sequence() && motion.desc.mesh_rate == 0.0);
  });
}

template <int dim>
StepParts<dim>::StepParts(const SceneDesc& desc, SceneModel& scene, StepWorkspace<dim>& workspace,
                          const StepHooks& hooks)
    : desc_(desc),
      scene_(scene),
      workspace_(workspace),
      hooks_(hooks),
      h_(scene.options.integrator.h),
      compliance_(scene.model.contact_scales.compliance),
      deepest_(desc.time.max_halvings) {}

template <int dim>
StepParts<dim>::~StepParts() {
  scene_.options.integrator.h = h_;
  scene_.model.contact_scales.compliance = std::move(compliance_);
}

template <int dim>
void StepParts<dim>::set_level(int level) {
  const double h = std::ldexp(h_, -level);
  if (scene_.options.integrator.h == h) return;
  scene_.options.integrator.h = h;
  if (desc_.time.accuracy > 0.0) return;
  // Contacts keep their stiffness, until the inertia of a part asks for more.
  const int stiffened = level - halvings_of_one_stiffness;
  scene_.model.contact_scales.compliance = stiffened > 0 ? contact_compliance(desc_, scene_.bodies, scene_.stiff_units,
                                                                              scene_.model, std::ldexp(h_, -stiffened))
                                                         : compliance_;
}

template <int dim>
int StepParts<dim>::level_after(int level, const StepReport& report) const {
  const SolverOptions attempt = options_of_attempt(scene_.options);
  const bool is_easy = ease * (report.newton_iterations + report.partial_iterations) <= attempt.max_iterations &&
                       ease * report.friction_iterations <= attempt.friction.max_iterations;
  return level > 0 && (is_easy || is_static()) ? level - 1 : level;
}

template <int dim>
StepReport StepParts<dim>::take(const StepReport* whole, State& state) {
  State own = state;
  forget_past(own);
  if (whole != nullptr) add_attempt(*whole, failed_work_);
  StepReport report = take_halves(0, own);
  add_attempt(failed_work_, report);
  if (!report.is_advanced()) return report;
  forget_past(own);
  if (is_static()) own.level = 0;
  // The time is a product, as in steps that are taken whole.
  own.time = own.step * h_;
  state = std::move(own);
  return report;
}

template <int dim>
bool StepParts<dim>::has_event(double t0, double t1) const {
  const double rounding = 1e-9 * (t1 - t0);
  const auto is_within = [&](double time) { return time > t0 + rounding && time < t1 - rounding; };
  const auto begins_or_ends = [&](const auto& action) { return is_within(action.start) || is_within(action.end); };
  return std::any_of(desc_.bodies.begin(), desc_.bodies.end(), [&](const BodyDesc& body) {
    return std::any_of(body.motions.begin(), body.motions.end(), begins_or_ends) ||
           std::any_of(body.loads.begin(), body.loads.end(), begins_or_ends);
  });
}

template <int dim>
typename StepParts<dim>::Part StepParts<dim>::try_part(int level, const State& before, State& state) {
  Part part;
  set_level(level);
  const Result<PrescribedTargets> targets = find_targets(scene_, state);
  if (!targets) {
    part.report = undefined_step(targets.issues());
    return part;
  }
  const bool is_last = level >= std::min(deepest_, halvings_to_converge);
  part.report = solve_part(targets.value(), is_last, state);
  if (!part.report.is_advanced()) return part;
  const double h = scene_.options.integrator.h;
  const double least_speed =
      std::max(least_motion * scene_.model.bbox_diagonal / h_, least_fall * desc_.gravity.norm() * h_);
  static const StepForces none;
  part.error = estimate_time_error<dim>(scene_.model, scene_.options.integrator, targets.value(), least_speed,
                                        part.report.forces ? *part.report.forces : none, before, state);
  // Nothing is known of the accelerations before the first part, which is as short as parts may be.
  if (before.h_prev == 0.0) part.error = 0.0;
  state.h_prev = h;
  return part;
}

template <int dim>
StepReport StepParts<dim>::take_accurately(State& state, const PartVisitor& visit) {
  // State::step counts parts, so that a run of very many steps has none that are as short.
  deepest_ = std::clamp(30 - static_cast<int>(std::bit_width(static_cast<unsigned>(state.step))), 0, deepest_);
  const int depth = deepest_;
  const long whole = 1L << depth;  // all lengths are multiples of the shortest one
  State own = state;
  own.level = own.h_prev == 0.0 ? depth : std::min(own.level, depth);
  StepReport report;
  int num_parts = 0;
  for (long done = 0; done < whole;) {
    // A part of h / 2^level begins at a multiple of its length.
    while (done % (whole >> own.level) != 0) ++own.level;
    const int level = own.level;
    const double t0 = (state.step + std::ldexp(static_cast<double>(done), -depth)) * h_;
    if (level < std::min(deepest_, halvings_to_events) && has_event(t0, t0 + std::ldexp(h_, -level))) {
      ++own.level;
      continue;
    }
    own.step = static_cast<int>((static_cast<long>(state.step) << level) + done / (whole >> level));
    State next = own;
    Part part = try_part(level, own, next);
    const bool is_unsolved =
        part.report.status != StepStatus::converged && part.report.status != StepStatus::friction_lag_limit;
    const bool may_converge = may_be_cut(part.report.status) && level < std::min(deepest_, halvings_to_converge);
    const bool is_inaccurate = !is_unsolved && part.error > desc_.time.accuracy;
    if (may_converge || (is_inaccurate && level < deepest_)) {
      add_attempt(part.report, failed_work_);
      ++own.level;
      continue;
    }
    // If the shortest part has not converged, the rest of the step is taken in the longest ones: more parts would cost
    // much and help little.
    if (is_unsolved) deepest_ = own.level = next.level = 0;
    part.report.num_inaccurate = part.error > desc_.time.accuracy ? 1 : 0;
    part.report.time_error = part.error;
    report = num_parts++ == 0 ? std::move(part.report) : joined(report, std::move(part.report));
    if (!report.is_advanced()) break;
    own = std::move(next);
    done += whole >> level;
    // The error is of the second order. Twice the length would have four times this error.
    if (!is_unsolved && part.error < growth_share * desc_.time.accuracy && level > 0) own.level = level - 1;
    visit(own, report);
  }
  add_attempt(failed_work_, report);
  if (!report.is_advanced()) return report;
  own.step = state.step + 1;
  own.time = own.step * h_;
  state = std::move(own);
  return report;
}

template <int dim>
StepReport StepParts<dim>::take_halves(int level, State& state) {
  state.step *= 2;
  const StepReport first = take_part(level + 1, state);
  StepReport report = first.is_advanced() ? joined(first, take_part(level + 1, state)) : first;
  state.step /= 2;
  return report;
}

template <int dim>
StepReport StepParts<dim>::solve_part(const PrescribedTargets& targets, bool is_last, State& state) {
  const bool is_attempt = !is_last && !is_static();
  const SolverOptions options = is_attempt ? options_of_attempt(scene_.options) : scene_.options;
  const AttemptLimit limit(directions_of_attempt(is_attempt));
  return advance<dim>(scene_.model, options, targets, state, workspace_, hooks_);
}

template <int dim>
StepReport StepParts<dim>::take_part(int level, State& state) {
  if (level < std::min(state.level, deepest_)) return take_halves(level, state);
  State before = state;
  set_level(level);
  const Result<PrescribedTargets> targets = find_targets(scene_, state);
  if (!targets) return undefined_step(targets.issues());
  StepReport report = solve_part(targets.value(), level >= deepest_, state);
  if (!may_be_cut(report.status) || level >= deepest_) {
    // If the shortest part has not converged, the next ones are not halved any more: that would cost much and help
    // little.
    if (may_be_cut(report.status)) deepest_ = 0;
    state.level = level_after(level, report);
    return report;
  }
  add_attempt(report, failed_work_);
  state = std::move(before);
  forget_past(state);
  return take_halves(level, state);
}

template class StepParts<2>;
template class StepParts<3>;

}  // namespace clearance
