#include "clearance/simulation/hints/support_hints.h"

#include <fmt/format.h>

#include "clearance/scene/body_names.h"
#include "clearance/simulation/build/supports.h"

namespace clearance {

std::string free_bodies_text(const SceneDesc& desc, const SceneModel& scene) {
  if (desc.time.integrator != TimeIntegrator::quasi_static) return {};
  const std::vector<int> free = find_free_bodies(desc, scene);
  if (free.empty()) return "; a body that is held can still be free to slide or to turn";
  return fmt::format("; nothing holds body '{}'{} in any direction", scene.bodies[free[0]].name,
                     and_more(free.size() - 1));
}

void warn_of_free_bodies(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  if (desc.time.integrator != TimeIntegrator::quasi_static || desc.statics.hold_free) return;
  const std::vector<int> free = find_free_bodies(desc, scene);
  if (free.empty()) return;
  const BodyInstance& first = scene.bodies[free[0]];
  add_named_hint(
      hints, "no_equilibrium", fmt::format("bodies[{}].motions", first.desc),
      fmt::format("body '{}'{} is free in a quasi-static run: no motion, joint or contact at the start holds it at {}, "
                  "so that its equilibrium is undetermined; hold a region of it by a motion of velocity zero, let it "
                  "start within dhat ({:.4g} m) of the body that supports it, let soft springs hold it "
                  "(`static.hold_free`), or choose another integrator",
                  first.name, and_more(free.size() - 1), place_text(first.mesh.vertices[0]),
                  scene.options.barrier.dhat));
}

}  // namespace clearance
