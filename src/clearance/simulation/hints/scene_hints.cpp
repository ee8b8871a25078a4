#include "clearance/simulation/hints/scene_hints.h"

#include "clearance/simulation/hints/adapting_hints.h"
#include "clearance/simulation/hints/angle_hints.h"
#include "clearance/simulation/hints/contact_gap_hints.h"
#include "clearance/simulation/hints/contact_hints.h"
#include "clearance/simulation/hints/enclosure.h"
#include "clearance/simulation/hints/fit_hints.h"
#include "clearance/simulation/hints/friction_hints.h"
#include "clearance/simulation/hints/joint_hints.h"
#include "clearance/simulation/hints/load_hints.h"
#include "clearance/simulation/hints/locking_hints.h"
#include "clearance/simulation/hints/mass_hints.h"
#include "clearance/simulation/hints/rolling_hints.h"
#include "clearance/simulation/hints/speed_hints.h"
#include "clearance/simulation/hints/support_hints.h"
#include "clearance/simulation/hints/thin_hints.h"
#include "clearance/simulation/hints/unit_hints.h"
#include "clearance/simulation/hints/unused_hints.h"

namespace clearance {

NamedHints find_scene_hints(const SceneDesc& desc, const SceneModel& scene, const std::vector<StartOverlap>& overlaps) {
  NamedHints hints, of_units;
  const BodySurfaces surfaces(scene);
  warn_of_enclosed_bodies(desc, scene, surfaces, hints);
  // These name units themselves, because they compare the scene's with others.
  warn_of_units(desc, scene, of_units);
  const std::size_t place_of_units = hints.size();
  warn_of_radians(desc, hints);
  warn_of_thin_bodies(desc, scene, hints);
  warn_of_activation_distances(desc, scene, hints);
  warn_of_doubtful_masses(desc, scene, hints);
  warn_of_fast_bodies(desc, scene, hints);
  warn_of_faceted_rolling(desc, scene, hints);
  warn_of_long_steps(desc, scene, hints);
  warn_of_friction(desc, hints);
  warn_of_throwing_loads(desc, scene, hints);
  warn_of_short_loads(desc, hints);
  warn_of_wholly_held_bodies(scene, hints);
  warn_of_free_bodies(desc, scene, hints);
  warn_of_endless_falls(desc, scene, hints);
  warn_of_distant_joints(desc, scene, hints);
  warn_of_locking(desc, scene, surfaces, hints);
  warn_of_contact_gaps(desc, scene, overlaps, hints);
  warn_of_faceted_fits(scene, overlaps, hints);
  warn_of_coarse_turns(desc, hints);
  warn_of_bodies_that_cannot_adapt(desc, scene, hints);
  warn_of_unused_entries(desc, scene, hints);
  const UnitSystem& units = unit_system_of(desc);
  if (!units.is_si()) {
    for (NamedHint& hint : hints) hint.issue.message = units.message(hint.issue.message);
  }
  hints.insert(hints.begin() + static_cast<std::ptrdiff_t>(place_of_units), of_units.begin(), of_units.end());
  return hints;
}

}  // namespace clearance
