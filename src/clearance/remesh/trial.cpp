#include "clearance/remesh/trial.h"

#include <cmath>

#include "clearance/remesh/collapse_motion.h"
#include "clearance/solver/step_inputs.h"

namespace clearance {

namespace {

/// Newton's iterations before the first test [Fer23, sec. 6.3.7], and at most.
constexpr int first_iterations = 1, first_iterations_in_contact = 4, most_iterations = 50;

}  // namespace

template <int dim>
void judge(const LocalSetting<dim>& setting, const TrialLimits& limits, Trial<dim>& trial) {
  trial.verdict = TrialVerdict::unsafe;
  if (trial.changes_boundary) {
    // Midpoints are rounded: even what a split leaves has to be tested.
    if (!trial.after->is_intersection_free()) return;
    const auto [removed, kept, none] = trial.operation.vertices;
    const bool is_collapse = trial.operation.kind == MeshEdit::Kind::collapse;
    if (is_collapse && trial.before->has_surface() && !is_way_free(*trial.before, setting, removed, kept)) return;
  }
  const CompensatedSum start = trial.before->objective();
  const auto fall_from = [&](const CompensatedSum& before) {
    return change_of(trial.after->objective(), before) / setting.scale;
  };
  if (!std::isfinite(trial.after->objective().value())) return;
  if (!limits.has_energy_test) {
    // The solve of the whole step comes to it.
    trial.fall = fall_from(start);
    trial.verdict = TrialVerdict::accepted;
    return;
  }
  if (!trial.after->iterate(trial.after->has_surface() ? first_iterations_in_contact : first_iterations)) return;
  trial.gain = fall_from(start);
  if (!(trial.gain > limits.least_gain)) {
    trial.verdict = TrialVerdict::no_gain;
    return;
  }
  // What the old elements could still gain is not the operation's merit.
  if (!trial.after->iterate(most_iterations) || !trial.before->iterate(most_iterations)) return;
  trial.gain = fall_from(trial.before->objective());
  trial.fall = fall_from(start);
  trial.verdict = trial.gain > limits.least_gain ? TrialVerdict::accepted : TrialVerdict::no_gain;
}

template void judge<2>(const LocalSetting<2>&, const TrialLimits&, Trial<2>&);
template void judge<3>(const LocalSetting<3>&, const TrialLimits&, Trial<3>&);

}  // namespace clearance
