// A small scene of bodies, planes and hinges for `./dev bench physics`: a case of closed-form physics in the form that
// an engine needs.
#pragma once

#include <Eigen/Geometry>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace peers {

enum class Shape { box, sphere, cylinder };  // a cylinder lies along its z axis

struct MotionBody {
  Shape shape = Shape::box;
  Eigen::Vector3d size;  // [m] box: half extents; sphere: its radius; cylinder: radius, radius and half its length
  double mass = 0;       // [kg]
  Eigen::Vector3d position;
  Eigen::Quaterniond rotation;
  Eigen::Vector3d velocity;  // [m/s]
  Eigen::Vector3d spin;      // [rad/s] in the world's axes
  Eigen::Vector3d force;     // [N] constant, at the centre of mass
};

struct MotionPlane {
  Eigen::Vector3d point, normal;
};

/// Holds a body to the world.
struct MotionHinge {
  int body = 0;
  Eigen::Vector3d point, axis;
  double torque = 0;  // [N m] about the axis
};

struct MotionCase {
  double step = 0.01;  // [s]
  int num_steps = 0;
  int frame_interval = 1;  // steps
  Eigen::Vector3d gravity;
  double mu = 0;  // friction coefficient of every pair
  std::vector<MotionBody> bodies;
  std::vector<MotionPlane> planes;
  std::vector<MotionHinge> hinges;
};

struct BodyMotion {
  Eigen::Vector3d position, velocity, spin;
};

class MotionEngine {
 public:
  virtual ~MotionEngine() = default;
  virtual void step() = 0;
  virtual BodyMotion read(size_t body) const = 0;
};

using MakeEngine = std::function<std::unique_ptr<MotionEngine>(const MotionCase&)>;

/// Reads a case from standard input, runs it and prints one line of JSON: position, velocity and spin of every body at
/// the start and every frame. Returns the exit status.
int run_motion_case(const char* name, const MakeEngine& make_engine);

}  // namespace peers
