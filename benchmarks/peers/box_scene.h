#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace peers {

/// Centre and axes (columns, orthonormal) of a box; a ball uses its centre only.
struct Pose {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  // [m]
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
};

struct Box {
  Pose pose;
  Eigen::Vector3d half_extents = Eigen::Vector3d::Constant(0.5);  // [m]
  double mass = 0;                                                // [kg]
};

struct Ball {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();    // [m]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  // [m/s]
  double radius = 0;                                   // [m]
  double mass = 0;                                     // [kg]
};

/// Free boxes, one ball and a fixed ground without friction: a rigid-ipc scene in the form that an engine with native
/// shapes needs.
struct BoxScene {
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  // [m/s^2]
  std::vector<Box> boxes;
  Ball ball;
  Box ground;  // its top side is the plane of the scene
};

/// Reads cube.obj, wrecking-ball/ball.obj and plane.obj of a scene in rigid-ipc's format. Throws std::runtime_error for
/// any other mesh and for anything that native shapes would lose (rotations, friction).
BoxScene read_box_scene(const std::string& scene, const std::string& mesh_folder);

}  // namespace peers
