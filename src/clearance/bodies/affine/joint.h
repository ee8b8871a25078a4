// Joints between stiff bodies, and between a stiff body and the world, as a simulation describes them.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "clearance/base/methods.h"
#include "clearance/bodies/affine/affine_frame.h"
#include "clearance/bodies/affine/joint_state.h"

namespace clearance {

/// The data of a stiff body that a joint needs. Without a first block it is the world, which does not move.
struct JointedBody {
  int first_block = -1;
  AffineFrame frame;
  double stiffness = 0.0;  ///< [J] kappa times volume

  bool is_world() const { return first_block < 0; }
};

/// A number for the step of length h that ends at time_t1; no value if it is undefined then.
using JointFunction = std::function<Result<double>(double h, double time_t1)>;

/// A joint. Point and axis are given in the world at the start; both bodies carry them along. The angle [rad] of a
/// hinge and the offset [m] of a slider are those of the first body relative to the second, zero at the start.
struct StiffJoint {
  JointKind type = JointKind::hinge;
  std::array<JointedBody, 2> bodies;  ///< the first is not the world
  Vec<3> point = Vec<3>::Zero();      ///< [m]
  Vec<3> axis = Vec<3>::UnitY();      ///< any length; hinges of the plane turn about z
  /// Limits [rad] or [m] that the joint never passes; a hinge may make any number of turns up to them. A limit pushes
  /// back from a distance of 2e-4 rad (hinge) or a thousandth of the smaller body's radius (slider) on, but of no more
  /// than a thousandth of the range between both limits. If a limit is nearer to the start than this distance, it is
  /// moved that far away from the start.
  std::optional<double> lower;
  std::optional<double> upper;
  JointFunction drive;    ///< [rad] or [m] prescribed value at the end of a step; null: the joint is free
  JointFunction effort;   ///< [N m] or [N] on the first body, with the reaction on the second; null: none
  double spring = 0.0;    ///< [N m/rad] or [N/m] towards the relaxed value, turns counted
  JointFunction rest;     ///< [rad] or [m] relaxed value at the end of a step; null: 0
  double damping = 0.0;   ///< [N m s/rad] or [N s/m]
  double armature = 0.0;  ///< [kg m^2] or [kg] inertia of a rotor that turns with the coordinate
  double friction = 0.0;  ///< [N m] or [N] dry friction
  /// [N/m] resistance to every displacement that the joint forbids, of points or of the ends of levers of half the
  /// smaller radius. Zero: kappa v / R^2 of the softer body.
  double stiffness = 0.0;
};

/// The angle or offset of one joint follows that of another: q = multiplier q_leader + offset. Both are hinges or
/// sliders.
struct StiffCoupling {
  int joint = 0;            ///< number of the joint that follows
  int leader = 0;           ///< number of another joint, which leads
  double multiplier = 1.0;  ///< [rad or m of the follower per rad or m of the leader]
  double offset = 0.0;      ///< [rad] or [m]
};

/// Motions that a body must not make. `rotation` fixes world axes: with three (2D: with the third) the body keeps its
/// orientation; with two, the third axis stays where it is in the body; with one, the rotation vector from the start to
/// the present orientation has no component along the axis.
struct HeldBody {
  JointedBody body;
  std::array<bool, 3> translation = {false, false, false};  ///< the centre of mass keeps this coordinate
  std::array<bool, 3> rotation = {false, false, false};
};

}  // namespace clearance
