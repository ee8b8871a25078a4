#include "clearance/simulation/scene_hints.h"

#include "clearance/simulation/contact_hints.h"
#include "clearance/simulation/enclosure.h"
#include "clearance/simulation/locking_hints.h"
#include "clearance/simulation/mass_hints.h"
#include "clearance/simulation/remesh_checks.h"
#include "clearance/simulation/rolling_hints.h"
#include "clearance/simulation/speed_hints.h"
#include "clearance/simulation/support_hints.h"
#include "clearance/simulation/unit_hints.h"

namespace clearance {

Issues find_scene_hints(const SceneDesc& desc, const SceneModel& scene) {
  Issues hints;
  const BodySurfaces surfaces(scene);
  warn_of_enclosed_bodies(desc, scene, surfaces, hints);
  warn_of_units(desc, scene, hints);
  warn_of_activation_distances(desc, scene, hints);
  warn_of_doubtful_masses(desc, scene, hints);
  warn_of_fast_bodies(desc, scene, hints);
  warn_of_faceted_rolling(desc, scene, hints);
  warn_of_free_bodies(desc, scene, hints);
  warn_of_locking(desc, scene, surfaces, hints);
  warn_of_bodies_that_cannot_adapt(desc, scene, hints);
  return hints;
}

}  // namespace clearance
