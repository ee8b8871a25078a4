#include "clearance/simulation/stepping/force_events.h"

#include <algorithm>

#include "clearance/model/blocks.h"
#include "clearance/simulation/build/time_window.h"
#include "clearance/simulation/load/named_instances.h"
#include "clearance/simulation/stepping/velocity_jumps.h"

namespace clearance {
namespace {

/// Sets `found` to 1 for each body on which something begins or ends to act between the step before and that from t0
/// on.
void find_changed_forces(const SceneDesc& desc, const SceneModel& scene, double t0, double h,
                         std::vector<char>& found) {
  const auto changes = [&](const auto& action) {
    const TimeWindow window{action.start, action.end};
    return window.contains(t0, h) != window.contains(t0 - h, h);
  };
  for (std::size_t b = 0; b < found.size(); ++b) {
    const std::vector<LoadDesc>& loads = desc.bodies[scene.bodies[b].desc].loads;
    if (std::any_of(loads.begin(), loads.end(), changes)) found[b] = 1;
  }
  Issues known;  // names have been checked
  const auto mark = [&](const auto& link) {
    if (!changes(link)) return;
    for (const std::string& name : {link.body, link.to}) {
      if (name.empty()) continue;
      for (const int b : find_instances(desc, scene.bodies, name, "", known)) found[b] = 1;
    }
  };
  for (const AttachmentDesc& attachment : desc.attachments) mark(attachment);
  for (const SpringDesc& spring : desc.springs) mark(spring);
}

/// Sets `found` to 1 for each body on which a program applies a force in this step alone.
void find_applied_forces(const SceneModel& scene, std::vector<char>& found) {
  const VecX& applied = scene.controls->applied;
  for (int b = 0; applied.size() > 0 && b < scene.model.layout.num_blocks; ++b) {
    if (!applied.segment(static_cast<Eigen::Index>(scene.dim) * b, scene.dim).isZero(0.0)) {
      found[body_of_block(scene.model, b)] = 1;
    }
  }
}

void forget_past(const SceneModel& scene, const std::vector<char>& bodies, State& state) {
  // One formula for all bodies has one past.
  if (state.has_history.empty()) {
    state.x_prev.resize(0);
    state.v_prev.resize(0);
    return;
  }
  for (std::size_t b = 0; b < state.has_history.size(); ++b) {
    const std::size_t body = scene.model.body_of_block.empty() ? 0 : scene.model.body_of_block[b];
    if (bodies[body] != 0) state.has_history[b] = 0;
  }
}

bool is_any(const std::vector<char>& found) {
  return std::find(found.begin(), found.end(), 1) != found.end();
}

}  // namespace

void forget_past_at_events(const SceneDesc& desc, const SceneModel& scene, State& state) {
  const bool is_start = state.step == 0 && scene.options.integrator.method == TimeIntegrator::bdf2_in_flight;
  if (!is_start && (state.step == 0 || state.x_prev.size() == 0)) return;
  const double h = scene.options.integrator.h;
  std::vector<char> found(scene.bodies.size(), 0);
  if (!is_start) {
    find_changed_forces(desc, scene, state.step * h, h, found);
    find_applied_forces(scene, found);
  }
  find_velocity_jumps(desc, scene, state, found);
  if (!is_any(found)) return;
  if (is_start) state.has_history.assign(scene.model.layout.num_blocks, 1);
  forget_past(scene, found, state);
}

void forget_past_of_applied_forces(const SceneModel& scene, State& state) {
  if (state.x_prev.size() == 0) return;
  std::vector<char> found(scene.bodies.size(), 0);
  find_applied_forces(scene, found);
  if (is_any(found)) forget_past(scene, found, state);
}

}  // namespace clearance
