// Forces and stretches of the soft springs of `static.hold_free`.
#pragma once

#include <vector>

#include "clearance/math/types.h"

namespace clearance {

struct SceneModel;

/// The springs of one body.
struct SoftHold {
  int body = 0;
  double force = 0.0;    ///< [N] sum of the magnitudes of their forces
  double stretch = 0.0;  ///< mean stretch of the springs, in sizes of the body
  double motion = 0.0;   ///< [m] mean motion of the body's mass since the start
};

/// Returns the springs of each body that they hold, at the unknowns x, by ascending body.
std::vector<SoftHold> find_soft_holds(const SceneModel& scene, const VecX& x);

}  // namespace clearance
