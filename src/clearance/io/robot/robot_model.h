// A robot or another mechanism as its file describes it (URDF, MJCF): bodies of simple shapes in a tree of joints, in
// the pose in which it starts. Metres, kilograms, radians; z is up. robot_scene.h turns it into a scene.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "clearance/base/methods.h"
#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"
#include "clearance/math/types.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// A pose takes x inside to rotation x + position outside.
struct RobotPose {
  Mat<3> rotation = Mat<3>::Identity();
  Vec<3> position = Vec<3>::Zero();  ///< [m]

  Vec<3> apply(const Vec<3>& x) const { return rotation * x + position; }
  /// Returns the pose that applies `inner` first, then this one.
  RobotPose operator*(const RobotPose& inner) const { return {rotation * inner.rotation, apply(inner.position)}; }
  RobotPose inverse() const { return {rotation.transpose(), -(rotation.transpose() * position)}; }
};

enum class RobotShapeKind {
  box,        ///< size: half of its extents
  ellipsoid,  ///< size: radii; three equal ones are a sphere
  cylinder,   ///< along z; size: radius, half of its length
  capsule,    ///< along z; size: radius, half of the length of its cylinder
  mesh
};

struct RobotShape {
  RobotShapeKind kind = RobotShapeKind::box;
  Vec<3> size = Vec<3>::Ones();  ///< [m]
  RobotPose pose;                ///< in the body
  Mesh mesh;                     ///< of kind mesh: triangles, in the shape's own frame
};

struct RobotInertia {
  double mass = 0.0;               ///< [kg]
  Vec<3> center = Vec<3>::Zero();  ///< [m] centre of mass in the body
  Mat<3> tensor = Mat<3>::Zero();  ///< [kg m^2] about it, along the axes of the body
};

/// Returns the inertia of both together: masses add, tensors add by the parallel axis theorem.
RobotInertia combine(const RobotInertia& a, const RobotInertia& b);
/// Returns the inertia in the frame that the pose leads to.
RobotInertia transformed(const RobotInertia& inertia, const RobotPose& pose);

/// Everything that moves as one.
struct RobotBody {
  std::string name;
  bool is_fixed = false;  ///< part of the world
  RobotPose pose;         ///< in the world
  std::vector<RobotShape> shapes;
  std::optional<RobotInertia> inertia;  ///< absent: from its shapes and a density
  bool collides = true;
  int collision_group = -1;                  ///< bodies of one group do not collide
  std::optional<double> friction;            ///< absent: that of the model
  bool keeps_orientation = false;            ///< it does not turn
  bool is_link_between = false;              ///< an auxiliary body that only connects two joints of another body
  Vec<3> linear_velocity = Vec<3>::Zero();   ///< [m/s] of its centre of mass
  Vec<3> angular_velocity = Vec<3>::Zero();  ///< [rad/s]
};

/// The angle or offset of a joint follows that of another: q = multiplier q_leader + offset, both 0 at the start.
struct RobotMimic {
  int leader = -1;          ///< among the model's joints
  double multiplier = 1.0;  ///< [rad or m per rad or m]
  double offset = 0.0;      ///< [rad] or [m]
};

/// Angles and offsets are those of `body` seen from `parent`, 0 at the start.
struct RobotJoint {
  std::string name;
  JointKind kind = JointKind::hinge;
  int body = -1;
  int parent = -1;                ///< -1: the world
  Vec<3> point = Vec<3>::Zero();  ///< [m] in the world
  Vec<3> axis = Vec<3>::UnitZ();  ///< in the world
  std::optional<double> lower;    ///< [rad] or [m]
  std::optional<double> upper;
  std::string drive;       ///< formulas of the controls: [rad] or [m]
  std::string effort;      ///< [N m] or [N]
  double stiffness = 0.0;  ///< [N m/rad] or [N/m]
  std::string rest;        ///< formula: [rad] or [m]
  double damping = 0.0;    ///< [N m s/rad] or [N s/m]
  double friction = 0.0;   ///< [N m] or [N] dry friction
  double armature = 0.0;   ///< [kg m^2] or [kg]
  std::optional<RobotMimic> mimic = {};
};

struct RobotPlane {
  Vec<3> point = Vec<3>::Zero();    ///< [m]
  Vec<3> normal = Vec<3>::UnitZ();  ///< to the free side
  std::optional<double> friction;   ///< absent: that of what is on it
};

/// Friction of two bodies, or of a body and a plane; overrides the values of each.
struct RobotFrictionPair {
  std::array<int, 2> bodies;  ///< -1 - plane for a plane
  double friction = 0.0;
};

struct RobotModel {
  std::string name;
  Vec<3> gravity = Vec<3>(0, 0, -9.81);  ///< [m/s^2]
  bool has_contact = true;
  std::optional<double> friction;
  std::vector<RobotBody> bodies;
  std::vector<RobotJoint> joints;
  std::vector<RobotPlane> planes;
  /// Pairs of bodies that do not collide; -1 - plane for a plane.
  std::vector<std::array<int, 2>> ignored_pairs;
  std::vector<RobotFrictionPair> friction_pairs;
  std::vector<ControlDesc> controls;
  int sides = 0;                   ///< number of sides of round shapes; 0: as many as they need (robot_scene.cpp)
  std::vector<std::string> notes;  ///< how the file was read where nothing of it is left out
};

/// Features that an importer leaves out, counted by kind; each kind gives one warning with names.
class RobotOmissions {
 public:
  /// Adds one omission. `what` is in the plural, such as `actuators that act on tendons`.
  void add(const std::string& what, const std::string& name);
  Issues warnings() const;

 private:
  struct Kind {
    std::string what;
    std::vector<std::string> names;
  };
  std::vector<Kind> kinds_;
};

}  // namespace clearance
