#include "clearance/simulation/hints/unused_hints.h"

#include <fmt/format.h>

namespace clearance {

namespace {

constexpr const char* name_of_warning = "unused_entry";

void warn_of_unused_holds(const SceneDesc& desc, const SceneModel& scene, bool is_static, NamedHints& hints) {
  if (!desc.statics.hold_free || !scene.soft_holds.bodies.empty()) return;
  add_hint(hints, name_of_warning, "static.hold_free",
           is_static ? "`hold_free` has no effect, because a motion, a joint or `fixed_translation` holds every body, "
                       "if only at a node or in one direction"
                     : "`hold_free` has no effect, because `time.integrator` is not quasi_static");
}

void warn_of_late_starts(const SceneDesc& desc, NamedHints& hints) {
  const auto warn = [&](const std::string& place, double start) {
    if (!(start >= desc.time.duration)) return;
    add_hint(hints, name_of_warning, place + ".start",
             fmt::format("it begins at {:.4g} s, when the run has ended ({:.4g} s)", start, desc.time.duration));
  };
  for (std::size_t b = 0; b < desc.bodies.size(); ++b) {
    const BodyDesc& body = desc.bodies[b];
    for (std::size_t i = 0; i < body.loads.size(); ++i)
      warn(fmt::format("bodies[{}].loads[{}]", b, i), body.loads[i].start);
    for (std::size_t i = 0; i < body.motions.size(); ++i)
      warn(fmt::format("bodies[{}].motions[{}]", b, i), body.motions[i].start);
  }
}

void warn_of_start_velocities(const SceneDesc& desc, NamedHints& hints) {
  for (std::size_t b = 0; b < desc.bodies.size(); ++b) {
    const BodyDesc& body = desc.bodies[b];
    if (body.kind == BodyKind::obstacle) continue;
    const char* given = nullptr;
    if (!body.angular_velocity.isZero(0.0)) given = "angular_velocity";
    if (!body.linear_velocity.isZero(0.0)) given = "linear_velocity";
    if (body.velocity) given = "velocity";
    if (given == nullptr) continue;
    add_hint(hints, name_of_warning, fmt::format("bodies[{}].{}", b, given),
             "velocities at the start have no effect in a quasi-static run");
  }
}

}  // namespace

void warn_of_unused_entries(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  const bool is_static = desc.time.integrator == TimeIntegrator::quasi_static;
  warn_of_unused_holds(desc, scene, is_static, hints);
  warn_of_late_starts(desc, hints);
  if (is_static) warn_of_start_velocities(desc, hints);
  if (!desc.contact.enabled && desc.friction.coefficient > 0.0) {
    add_hint(hints, name_of_warning, "friction.coefficient",
             "friction has no effect, because `contact.enabled` is false");
  }
}

}  // namespace clearance
