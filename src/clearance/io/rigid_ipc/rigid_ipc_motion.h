// How a kinematic body of a Rigid IPC scene moves.
#pragma once

#include "clearance/geometry/mass_properties.h"
#include "clearance/io/rigid_ipc/rigid_ipc_values.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// A body as it is placed at the start.
struct RigidIpcKinematics {
  int dim = 3;
  double step = 0.01;                        ///< [s]
  Vec<3> linear_velocity = Vec<3>::Zero();   ///< [m/s]
  Vec<3> angular_velocity = Vec<3>::Zero();  ///< [deg/s] about the world's axes
  bool is_frame_of_world = false;            ///< its frame is not the principal one but the world's
  MassProperties mass;
};

/// Poses of the steps that have some, then the velocities about the centre of mass, until kinematic_max_time. None if
/// it does not move.
std::vector<MotionDesc> rigid_ipc_motions(const RigidIpcObject& body, const RigidIpcKinematics& kinematics);

/// The frame that the reference gives a body: its principal axes, with ascending moments of inertia. Where they are
/// those of the world, in some order, their signs follow from its rules; elsewhere they follow from rounding, and so do
/// the axes of equal moments: of all choices that which is nearest to the first pose is taken.
Mat<3> rigid_ipc_frame(const Mat<3>& inertia, const Mat<3>& first_pose);

}  // namespace clearance
