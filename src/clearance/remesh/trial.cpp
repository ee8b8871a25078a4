#include "clearance/remesh/trial.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "clearance/remesh/collapse_motion.h"
#include "clearance/solver/newton_state.h"

namespace clearance {

namespace {

/// Largest number of Newton steps of a trial.
constexpr int most_steps = 100;

/// True if a new boundary meets nothing, nor on the way to it.
template <int dim>
bool is_boundary_free(const LocalSetting<dim>& setting, const Trial<dim>& trial) {
  LocalProblem<dim>&before = *trial.before, &after = *trial.after;
  // Midpoints are rounded, so that even a split can create intersections and has to be tested.
  if (!after.is_intersection_free()) return false;
  const auto [removed, kept, none] = trial.operations.front().vertices;
  // A collapse must also reach its new surface without passing through anything.
  const bool is_collapse = trial.operations.front().kind == MeshEdit::Kind::collapse;
  return !is_collapse || !before.has_surface() || is_way_free(before, setting, removed, kept);
}

/// Takes Newton steps on one of the problems at a time until the comparison with the limit is certain. Returns the
/// decrease that is still possible, or nothing if a step fails.
template <int dim>
std::optional<double> compare_minima(const LocalSetting<dim>& setting, double least_gain, Trial<dim>& trial) {
  LocalProblem<dim>&before = *trial.before, &after = *trial.after;
  double rest = 0.0;  // decrease still possible: of the new elements while the gain is too small, else of the old
  for (int step = 0;; ++step) {
    trial.gain = change_of(after.objective(), before.objective()) / setting.scale;
    const bool is_enough = trial.gain > least_gain;
    // If the gain is enough, only a further decrease of the old problem, which is not the operation's merit, can change
    // the verdict; if it is not, only one of the new problem can.
    LocalProblem<dim>& open = is_enough ? before : after;
    rest = most_of_model / setting.scale * open.next_fall();
    // The sign is certain once the possible decrease is smaller than the distance to the limit.
    if (std::abs(trial.gain - least_gain) > rest || rest == 0.0 || step == most_steps) return rest;
    if (!open.take_step()) return std::nullopt;
  }
}

}  // namespace

template <int dim>
void judge(const LocalSetting<dim>& setting, const TrialLimits& limits, Trial<dim>& trial) {
  trial.verdict = TrialVerdict::unsafe;
  trial.before = std::make_unique<LocalProblem<dim>>(setting, trial.scope, trial.region ? &*trial.region : nullptr);
  LocalProblem<dim>&before = *trial.before, &after = *trial.after;
  if (trial.changes_boundary && !is_boundary_free(setting, trial)) return;
  // Match friction on both sides: it is not an energy that other elements could lower. Contact forces do not balance on
  // an interpolated boundary, and friction lagged with them would differ.
  if (trial.region) after.match_friction(before.friction());
  const CompensatedSum start = before.objective();
  const auto fall_from = [&](const CompensatedSum& objective) {
    return change_of(after.objective(), objective) / setting.scale;
  };
  if (!std::isfinite(after.objective().value())) return;
  if (!limits.has_energy_test) {
    // Without an energy test the solve of the whole step finds the equilibrium.
    trial.fall = fall_from(start);
    trial.verdict = TrialVerdict::accepted;
    return;
  }
  const auto num_operations = static_cast<double>(trial.operations.size());
  const double least_gain = limits.least_gain * num_operations;
  const std::optional<double> rest = compare_minima(setting, least_gain, trial);
  if (!rest) return;
  trial.fall = fall_from(start);
  // Without contacts the solution is valid only while nodes stay near.
  if (!trial.region && std::max(before.way(), after.way()) >= trial.clear_way) {
    trial.verdict = TrialVerdict::unclear;
  } else if (!(trial.gain > least_gain)) {
    trial.verdict = TrialVerdict::no_gain;
    trial.most = (trial.gain + *rest) / num_operations;
  } else if (after.settle()) {
    trial.verdict = TrialVerdict::accepted;
  }
}

template void judge<2>(const LocalSetting<2>&, const TrialLimits&, Trial<2>&);
template void judge<3>(const LocalSetting<3>&, const TrialLimits&, Trial<3>&);

}  // namespace clearance
