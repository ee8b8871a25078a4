#include "clearance/simulation/stepping/force_events.h"

#include <algorithm>

#include "clearance/simulation/build/time_window.h"
#include "clearance/simulation/load/named_instances.h"

namespace clearance {
namespace {

/// Returns 1 for each body on which something begins or ends to act between the step before and that from t0 on.
std::vector<char> find_bodies(const SceneDesc& desc, const SceneModel& scene, double t0, double h) {
  std::vector<char> found(scene.bodies.size(), 0);
  const auto changes = [&](const auto& action) {
    const TimeWindow window{action.start, action.end};
    return window.contains(t0, h) != window.contains(t0 - h, h);
  };
  for (std::size_t b = 0; b < found.size(); ++b) {
    const std::vector<LoadDesc>& loads = desc.bodies[scene.bodies[b].desc].loads;
    if (std::any_of(loads.begin(), loads.end(), changes)) found[b] = 1;
  }
  Issues known;  // names have been checked
  for (const AttachmentDesc& attachment : desc.attachments) {
    if (!changes(attachment)) continue;
    for (const std::string& name : {attachment.body, attachment.to}) {
      if (name.empty()) continue;
      for (const int b : find_instances(desc, scene.bodies, name, "", known)) found[b] = 1;
    }
  }
  return found;
}

}  // namespace

void forget_past_at_events(const SceneDesc& desc, const SceneModel& scene, State& state) {
  const double h = scene.options.integrator.h;
  if (state.step == 0 || state.x_prev.size() == 0) return;
  const std::vector<char> found = find_bodies(desc, scene, state.step * h, h);
  if (std::find(found.begin(), found.end(), 1) == found.end()) return;
  // One formula for all bodies has one past.
  if (state.has_history.empty()) {
    state.x_prev.resize(0);
    state.v_prev.resize(0);
    return;
  }
  for (std::size_t b = 0; b < state.has_history.size(); ++b) {
    const std::size_t body = scene.model.body_of_block.empty() ? 0 : scene.model.body_of_block[b];
    if (found[body] != 0) state.has_history[b] = 0;
  }
}

}  // namespace clearance
