// Joints between stiff bodies, and between a stiff body and the world, as a simulation describes them.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "clearance/base/methods.h"
#include "clearance/bodies/affine/affine_frame.h"

namespace clearance {

/// A stiff body as a joint sees it. Without a first block it is the world, which does not move.
struct JointedBody {
  int first_block = -1;
  AffineFrame frame;
  double stiffness = 0.0;  ///< [J] kappa times volume

  bool is_world() const { return first_block < 0; }
};

/// A number in the step of length h that ends at time_t1; no value if it is not defined then.
using JointFunction = std::function<Result<double>(double h, double time_t1)>;

/// Point and axis are those at the start, in the world; both bodies carry them along. The angle [rad] of a hinge and
/// the offset [m] of a slider are those of the first body seen from the second, zero at the start.
struct StiffJoint {
  JointKind type = JointKind::hinge;
  std::array<JointedBody, 2> bodies;  ///< the first is no world
  Vec<3> point = Vec<3>::Zero();      ///< [m]
  Vec<3> axis = Vec<3>::UnitY();      ///< any length; hinges of the plane turn about z
  /// Limits [rad] or [m] that are never passed; a hinge may make any number of turns up to them. They push back from
  /// 2e-4 rad before a limit of a hinge on, or a thousandth of the smaller body's radius before that of a slider, but
  /// no more than a thousandth of the range between both. Where a limit is nearer to the start than that, it lies so
  /// far away from it.
  std::optional<double> lower;
  std::optional<double> upper;
  JointFunction drive;   ///< [rad] or [m] where the joint is at the end of a step; null: it is free
  JointFunction effort;  ///< [N m] or [N] on the first body, its reaction on the second; null: none
  double spring = 0.0;   ///< [N m/rad] or [N/m] towards where it is relaxed, turns counted
  JointFunction rest;    ///< [rad] or [m] where that is at the end of a step; null: 0
  double damping = 0.0;  ///< [N m s/rad] or [N s/m]
  /// [N/m] against every displacement that the joint forbids, of points or of the ends of levers of half the smaller
  /// radius. Zero: kappa v / R^2 of the softer body.
  double stiffness = 0.0;
};

/// The angle or offset of one joint follows that of another: q = multiplier q_leader + offset. Both are hinges or
/// sliders.
struct StiffCoupling {
  int joint = 0;            ///< the one that follows, among the joints
  int leader = 0;           ///< another one
  double multiplier = 1.0;  ///< [rad or m of the one per rad or m of the other]
  double offset = 0.0;      ///< [rad] or [m]
};

/// Where a joint is, and what it does to its first body; its second one gets the opposite. 2D: forces have z = 0, and
/// torques are about z.
struct JointState {
  double value = 0.0;   ///< [rad] angle of a hinge with its turns, [m] offset of a slider; 0 of other joints
  double effort = 0.0;  ///< [N m] or [N] what drive, limits, effort and couplings do together, about or along the axis
  Vec<3> force = Vec<3>::Zero();   ///< [N]
  Vec<3> torque = Vec<3>::Zero();  ///< [N m] about the joint's point as the first body carries it
};

/// Motions that one body does not make. Its orientation is as free as rotations are that have no part about the fixed
/// axes of the world: with three (2D: with the third) it keeps its orientation; with two, the third axis stays where it
/// is in the body; with one, the rotation vector that leads from the start to now has no component along it.
struct HeldBody {
  JointedBody body;
  std::array<bool, 3> translation = {false, false, false};  ///< the centre of mass keeps this coordinate
  std::array<bool, 3> rotation = {false, false, false};
};

}  // namespace clearance
