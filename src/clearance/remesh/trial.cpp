#include "clearance/remesh/trial.h"

#include <algorithm>
#include <cmath>

#include "clearance/remesh/collapse_motion.h"
#include "clearance/solver/step_inputs.h"

namespace clearance {

namespace {

/// Newton's steps of a trial.
constexpr int most_steps = 100;

}  // namespace

template <int dim>
void judge(const LocalSetting<dim>& setting, const TrialLimits& limits, Trial<dim>& trial) {
  trial.verdict = TrialVerdict::unsafe;
  trial.before = std::make_unique<LocalProblem<dim>>(setting, trial.scope, trial.region ? &*trial.region : nullptr);
  LocalProblem<dim>&before = *trial.before, &after = *trial.after;
  if (trial.changes_boundary) {
    // Midpoints are rounded: even what a split leaves has to be tested.
    if (!after.is_intersection_free()) return;
    const auto [removed, kept, none] = trial.operations.front().vertices;
    const bool is_collapse = trial.operations.front().kind == MeshEdit::Kind::collapse;
    if (is_collapse && before.has_surface() && !is_way_free(before, setting, removed, kept)) return;
  }
  // Friction is no energy that other elements could lower: where a boundary interpolates, contact forces do not
  // balance, and friction lagged with these would be another one.
  if (trial.region) after.match_friction(before.friction());
  const CompensatedSum start = before.objective();
  const auto fall_from = [&](const CompensatedSum& objective) {
    return change_of(after.objective(), objective) / setting.scale;
  };
  if (!std::isfinite(after.objective().value())) return;
  if (!limits.has_energy_test) {
    // The solve of the whole step comes to it.
    trial.fall = fall_from(start);
    trial.verdict = TrialVerdict::accepted;
    return;
  }
  const auto num_operations = static_cast<double>(trial.operations.size());
  const double least_gain = limits.least_gain * num_operations;
  double rest = 0.0;  // that is left to gain: of the new elements where it is not enough, else of the old
  for (int step = 0;; ++step) {
    trial.gain = fall_from(before.objective());
    const bool is_enough = trial.gain > least_gain;
    // What is enough may become less by what the old elements can still gain, which is not the operation's merit; and
    // the other way round.
    LocalProblem<dim>& open = is_enough ? before : after;
    rest = most_of_model / setting.scale * open.next_fall();
    if (std::abs(trial.gain - least_gain) > rest || rest == 0.0 || step == most_steps) break;
    if (!open.take_step()) return;
  }
  trial.fall = fall_from(start);
  if (!trial.region && std::max(before.way(), after.way()) >= trial.clear_way) {
    trial.verdict = TrialVerdict::unclear;
  } else if (!(trial.gain > least_gain)) {
    trial.verdict = TrialVerdict::no_gain;
    trial.most = (trial.gain + rest) / num_operations;
  } else if (after.settle()) {
    trial.verdict = TrialVerdict::accepted;
  }
}

template void judge<2>(const LocalSetting<2>&, const TrialLimits&, Trial<2>&);
template void judge<3>(const LocalSetting<3>&, const TrialLimits&, Trial<3>&);

}  // namespace clearance
