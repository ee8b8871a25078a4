// Motion of a kinematic body of a Rigid IPC scene.
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

/// Returns the poses of the steps that have one, then the velocities about the centre of mass, until
/// kinematic_max_time. Returns nothing if the body does not move.
std::vector<MotionDesc> rigid_ipc_motions(const RigidIpcObject& body, const RigidIpcKinematics& kinematics);

/// Returns the frame that the reference gives a body: its principal axes, with ascending moments of inertia. If these
/// are the world's axes, in some order, the reference's rules determine their signs. Otherwise rounding determines the
/// signs, and also the axes of equal moments; then the choice nearest to the first pose is taken.
Mat<3> rigid_ipc_frame(const Mat<3>& inertia, const Mat<3>& first_pose);

}  // namespace clearance
