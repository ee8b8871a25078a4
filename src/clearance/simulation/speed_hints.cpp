#include "clearance/simulation/speed_hints.h"

#include <fmt/format.h>

#include "clearance/geometry/mass_properties.h"
#include "clearance/io/result/energy_monitor.h"
#include "clearance/simulation/coarse_motion.h"

namespace clearance {

void warn_of_fast_bodies(const SceneDesc& desc, const SceneModel& scene, Issues& hints) {
  const bool has_inertia = desc.time.integrator != TimeIntegrator::quasi_static;
  if (!desc.contact.enabled || !has_inertia || scene.bodies.size() < 2) return;
  int last_entry = -1;
  for (const BodyInstance& body : scene.bodies) {
    if (body.is_obstacle || body.desc == last_entry) continue;
    last_entry = body.desc;
    const double speed = desc.bodies[static_cast<std::size_t>(body.desc)].linear_velocity.norm();
    const double size = bounding_box(body.mesh.vertices).diagonal();
    const double way = speed * desc.time.step;
    if (!(way > coarse_motion_limit * size)) continue;
    add_hint(hints, fmt::format("bodies[{}].linear_velocity", body.desc),
             fmt::format("body '{}' moves {:.3g} m in a step, {:.2g} times its size: it cannot pass through what is in "
                         "its way, but may be led around it; for impacts use a time.step of at most {:.2g}",
                         body.name, way, way / size, resolved_motion * size / speed));
  }
}

}  // namespace clearance
