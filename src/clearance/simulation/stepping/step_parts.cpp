#include "clearance/simulation/stepping/step_parts.h"

#include <algorithm>
#include <cmath>

#include "clearance/simulation/adapt/adapted_step.h"
#include "clearance/simulation/build/contact_scales.h"
#include "clearance/simulation/build/motion_targets.h"

namespace clearance {
namespace {

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
        &EnergyAccount::drives, &EnergyAccount::friction, &EnergyAccount::damping, &EnergyAccount::residual,
        &EnergyAccount::impacts, &EnergyAccount::integrator}) {
    sum.*entry += part.*entry;
  }
}

/// Adds a part that follows to the report of those before: sums, and the end of the later one.
StepReport joined(const StepReport& first, StepReport second) {
  add_attempt(first, second);
  second.num_parts += first.num_parts;
  second.friction_iterations += first.friction_iterations;
  second.friction_work += first.friction_work;
  second.total_seconds += first.total_seconds;
  second.smallest_alpha = std::min(second.smallest_alpha, first.smallest_alpha);
  add_account(first.account, second.account);
  second.momentum.change += first.momentum.change;
  second.momentum.impulse += first.momentum.impulse;
  second.momentum.integrator += first.momentum.integrator;
  if (first.status != StepStatus::converged) {
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

bool may_be_cut(StepStatus status) {
  return status == StepStatus::locked || status == StepStatus::iteration_limit ||
         status == StepStatus::line_search_stalled;
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
  // Contacts are as stiff as the inertia of a step of this length asks.
  scene_.model.contact_scales.compliance =
      contact_compliance(desc_, scene_.bodies, scene_.stiff_units, scene_.model, h);
}

template <int dim>
StepReport StepParts<dim>::take(const StepReport& whole, State& state) {
  State own = state;
  forget_past(own);
  add_attempt(whole, failed_work_);
  StepReport report = take_halves(0, own);
  add_attempt(failed_work_, report);
  if (!report.is_advanced()) return report;
  forget_past(own);
  // The time is a product, as in steps that are taken whole.
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
StepReport StepParts<dim>::take_part(int level, State& state) {
  State before = state;
  set_level(level);
  const Result<PrescribedTargets> targets = find_targets(scene_, state);
  if (!targets) {
    StepReport report;
    report.status = StepStatus::undefined_input;
    report.limited_by = to_string(targets.issues().front());
    return report;
  }
  StepReport report = advance<dim>(scene_.model, scene_.options, targets.value(), state, workspace_, hooks_);
  if (!may_be_cut(report.status) || level >= deepest_) {
    // If the shortest part has not converged, the next ones are not halved any more: that would cost much and help
    // little.
    if (may_be_cut(report.status)) deepest_ = 0;
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
