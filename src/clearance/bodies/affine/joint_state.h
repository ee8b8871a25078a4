// The value of a joint and its forces, as simulations tell them.
#pragma once

#include "clearance/math/types.h"

namespace clearance {

/// The value of a joint and its forces on the first body; the second body gets the opposite. 2D: forces have z = 0, and
/// torques are about z.
struct JointState {
  double value = 0.0;   ///< [rad] angle of a hinge with its turns, [m] offset of a slider; 0 of other joints
  double rate = 0.0;    ///< [rad/s] or [m/s]
  double effort = 0.0;  ///< [N m] or [N] of drive, limits, effort and couplings together, about or along the axis
  Vec<3> force = Vec<3>::Zero();   ///< [N]
  Vec<3> torque = Vec<3>::Zero();  ///< [N m] about the joint's point as the first body carries it
};

}  // namespace clearance
