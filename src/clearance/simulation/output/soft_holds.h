// Forces and motions of the soft springs of `static.hold_free`.
#pragma once

#include <vector>

#include "clearance/math/types.h"

namespace clearance {

struct SceneModel;

/// The springs of one body.
struct SoftHold {
  int body = 0;
  double force = 0.0;   ///< [N] resultant
  double torque = 0.0;  ///< [N m] resultant about the centre
  double motion = 0.0;  ///< [m] of the centre
  double share = 0.0;   ///< resultants over all loads of the scene
};

/// Returns the springs of each body that they hold, at the unknowns x, by ascending body.
std::vector<SoftHold> find_soft_holds(const SceneModel& scene, const VecX& x);

}  // namespace clearance
