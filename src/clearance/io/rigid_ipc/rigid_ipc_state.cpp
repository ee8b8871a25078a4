#include "clearance/io/rigid_ipc/rigid_ipc_state.h"

#include <algorithm>

#include "clearance/math/rotation.h"
#include "clearance/scene/validate.h"

namespace clearance {
namespace {

struct BodyState {
  Vec<3> position;          ///< [m] of the centre of mass
  Mat<3> rotation;          ///< of the body's frame
  Vec<3> linear_velocity;   ///< [m/s]
  Vec<3> angular_velocity;  ///< [deg/s] about the world's axes
};

// Reads one state per body, or none after an issue.
std::vector<BodyState> read_state(const Json& json, const std::string& place, const SceneDesc& scene, Issues& issues) {
  const RigidIpcObject state(json, place, issues);
  const Json* bodies = state.find("rigid_bodies");
  std::vector<BodyState> states;
  if (bodies == nullptr || !bodies->is_array() || bodies->size() != scene.bodies.size()) {
    state.warning("rigid_bodies",
                  "the state does not have one entry for each body; the simulation starts at its beginning");
    return states;
  }
  for (std::size_t i = 0; i < bodies->size(); ++i) {
    const RigidIpcObject body((*bodies)[i], element_path(state.place_of("rigid_bodies"), i), issues);
    BodyState& read = states.emplace_back();
    read.position = body.vector("position", scene.dimension);
    // Rotation vectors are in radians; angular velocities are along the axes of the body.
    read.rotation = rotation_from_vector(body.about_axes("rotation", scene.dimension));
    read.linear_velocity = body.vector("linear_velocity", scene.dimension);
    read.angular_velocity = read.rotation * body.about_axes("angular_velocity", scene.dimension) / radians_per_degree;
  }
  return states;
}

// Keeps the remaining part of the motions, relative to the new placement.
void advance_motions(std::vector<MotionDesc>& motions, const BodyState& now, const Mat<3>& turned, int steps,
                     double passed) {
  std::erase_if(motions, [&](const MotionDesc& motion) { return motion.end <= passed; });
  for (MotionDesc& motion : motions) {
    motion.end -= passed;
    // A motion that has not begun keeps its centre.
    if (motion.start > passed) {
      motion.start -= passed;
      continue;
    }
    motion.start = 0.0;
    motion.center = now.position;
    const auto num_passed = std::min<std::size_t>(steps, motion.poses.size());
    motion.poses.erase(motion.poses.begin(), motion.poses.begin() + static_cast<std::ptrdiff_t>(num_passed));
    for (PoseDesc& pose : motion.poses) {
      const Mat<3> rotation = rotation_from_vector(pose.rotation * radians_per_degree);
      pose.rotation = rotation_vector(rotation * turned.transpose()) / radians_per_degree;
    }
  }
}

void move_body(BodyDesc& body, const BodyState& start, const BodyState& now, int steps, double passed) {
  const Mat<3> turned = now.rotation * start.rotation.transpose();
  TransformDesc& transform = body.transform;
  if (!turned.isIdentity(0.0)) {
    const Mat<3> rotation = turned * rotation_from_euler_xyz(transform.rotation);
    transform.rotation = euler_xyz_from_rotation(rotation);
  }
  transform.translation = now.position + turned * (transform.translation - start.position);
  advance_motions(body.motions, now, turned, steps, passed);
  if (body.kind == BodyKind::obstacle) return;
  body.linear_velocity = now.linear_velocity;
  body.angular_velocity = now.angular_velocity;
}

}  // namespace

void restore_rigid_ipc_state(const RigidIpcObject& animation, SceneDesc& scene) {
  const Json* sequence = animation.find("state_sequence");
  if (sequence == nullptr || !sequence->is_array() || sequence->empty()) {
    animation.warning("state_sequence", "the file has no states; the simulation starts at its beginning");
    return;
  }
  const int steps = static_cast<int>(sequence->size()) - 1;
  const std::string place = animation.place_of("state_sequence");
  Issues& issues = animation.issues();
  const auto read = [&](int k) {
    const std::size_t index = k;
    return read_state((*sequence)[index], element_path(place, index), scene, issues);
  };
  const std::vector<BodyState> start = read(0);
  const std::vector<BodyState> now = read(steps);
  if (start.empty() || now.empty() || steps == 0) return;
  const int steps_left = num_steps(scene.time) - steps;
  if (steps_left <= 0) {
    animation.warning("state_sequence", "the simulation of this file is already complete; one more step is made");
  }
  scene.time.duration = std::max(steps_left, 1) * scene.time.step;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    move_body(scene.bodies[i], start[i], now[i], steps, steps * scene.time.step);
  }
}

}  // namespace clearance
