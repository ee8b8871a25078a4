#include "clearance/simulation/hints/speed_hints.h"

#include <fmt/format.h>

#include <cmath>

#include "clearance/geometry/mass_properties.h"
#include "clearance/io/result/energy_monitor.h"
#include "clearance/simulation/watches/coarse_motion.h"

namespace clearance {

void warn_of_fast_bodies(const SceneDesc& desc, const SceneModel& scene, Issues& hints) {
  const bool has_inertia = desc.time.integrator != TimeIntegrator::quasi_static;
  if (!desc.contact.enabled || !has_inertia || scene.bodies.size() < 2) return;
  int last_entry = -1;
  for (const BodyInstance& body : scene.bodies) {
    if (body.is_obstacle || body.desc == last_entry) continue;
    last_entry = body.desc;
    const double speed = desc.bodies[body.desc].linear_velocity.norm();
    const double size = bounding_box(body.mesh.vertices).diagonal();
    const double way = speed * desc.time.step;
    if (!(way > coarse_motion_limit * size)) continue;
    add_hint(hints, fmt::format("bodies[{}].linear_velocity", body.desc),
             fmt::format("body '{}' moves {:.3g} m in a step, {:.2g} times its size; it cannot pass through a body in "
                         "its way, but may be led around it; for impacts use a time.step of at most {:.2g}",
                         body.name, way, way / size, resolved_motion * size / speed));
  }
}

void warn_of_long_steps(const SceneDesc& desc, const SceneModel& scene, Issues& hints) {
  if (desc.time.integrator == TimeIntegrator::quasi_static) return;
  const double way = desc.gravity.norm() * desc.time.step * desc.time.step;
  for (const BodyInstance& body : scene.bodies) {
    const BodyDesc& given = desc.bodies[body.desc];
    const double size = bounding_box(body.mesh.vertices).diagonal();
    if (body.is_obstacle || !given.motions.empty() || !desc.joints.empty() || !(way > size)) continue;
    add_hint(
        hints, "time.step",
        fmt::format(
            "gravity alone moves body '{}' by {:.3g} m in the first step, {:.2g} times its size, so that its motion is "
            "not resolved; use a step of at most {:.1g} s, or the integrator 'quasi_static' for bodies at rest",
            body.name, way, way / size, std::sqrt(resolved_motion * size / desc.gravity.norm())));
    return;
  }
}

}  // namespace clearance
