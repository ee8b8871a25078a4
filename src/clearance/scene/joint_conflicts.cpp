#include "clearance/scene/joint_conflicts.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <optional>

#include "clearance/scene/expression.h"
#include "clearance/scene/scene_check.h"

namespace clearance {
namespace {

constexpr double same_place = 1e-6;  // of lengths and directions, relative

bool has_axis(const JointDesc& joint) {
  return joint.kind == JointKind::hinge || joint.kind == JointKind::slider;
}

/// Values of a drive at some times of the run; nothing if it cannot be evaluated, which is reported elsewhere.
using Values = std::array<double, 5>;
std::optional<Values> values_of(const JointDesc& joint, const SceneDesc& scene) {
  const Controls controls = controls_of(scene);
  Values values{};
  for (std::size_t k = 0; k < values.size(); ++k) {
    // The times are uneven, so that no oscillation is zero at all of them.
    const double t = scene.time.duration * static_cast<double>((k + 1) * (k + 1)) / 25.0;
    const Result<double> value = evaluate_time_formula(joint.drive, "", t, controls);
    if (!value) return std::nullopt;
    values[k] = *value;
  }
  return values;
}

class ConflictCheck : SceneCheck {
 public:
  using SceneCheck::SceneCheck;

  void run() {
    const std::vector<JointDesc>& joints = scene_.joints;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      if (!has_axis(joints[i]) || joints[i].drive.empty() || axis_of(joints[i]).isZero(0.0)) continue;
      const auto drive = values_of(joints[i], scene_);
      if (!drive) continue;
      for (std::size_t k = 0; k < joints.size(); ++k) {
        if (k == i || joints[k].kind == JointKind::fixed || !hold_the_same(joints[i], joints[k])) continue;
        if (!allows(joints[k], joints[i])) {
          if (*drive != Values{}) warn(i, k, "does not allow; neither gives way");
        } else if (k < i && drives_otherwise(joints[k], joints[i], *drive)) {
          warn(i, k, "drives by another formula; neither gives way");
        }
      }
    }
  }

 private:
  static bool hold_the_same(const JointDesc& a, const JointDesc& b) {
    return a.bodies == b.bodies || (a.bodies[0] == b.bodies[1] && a.bodies[1] == b.bodies[0]);
  }

  /// Returns an axis of length 1, or zero; in the plane every hinge turns about z.
  Vec<3> axis_of(const JointDesc& joint) const {
    return is_plane() && joint.kind == JointKind::hinge ? Vec<3>(Vec<3>::UnitZ()) : joint.axis.normalized();
  }
  bool is_parallel(const JointDesc& a, const JointDesc& b) const {
    return axis_of(a).cross(axis_of(b)).norm() <= same_place;
  }
  /// True if the point of `other` lies on the axis of `hinge`.
  bool is_on_axis(const JointDesc& other, const JointDesc& hinge) const {
    const double distance = axis_of(hinge).cross(other.point - hinge.point).norm();
    return distance <= same_place * (other.point.norm() + hinge.point.norm());
  }

  /// True if the joint allows the motion of the driven joint.
  bool allows(const JointDesc& other, const JointDesc& driven) const {
    if (driven.kind == JointKind::slider) return other.kind == JointKind::slider && is_parallel(other, driven);
    if (other.kind == JointKind::ball) return is_on_axis(other, driven);
    return other.kind == JointKind::hinge && is_parallel(other, driven) && is_on_axis(other, driven);
  }

  /// True if two joints with the same motion are driven differently.
  bool drives_otherwise(const JointDesc& other, const JointDesc& driven, const Values& drive) const {
    if (other.drive.empty() || other.kind != driven.kind) return false;
    const auto others = values_of(other, scene_);
    if (!others) return false;
    const double side = other.bodies == driven.bodies ? 1.0 : -1.0;
    const double sign = axis_of(other).dot(axis_of(driven)) > 0.0 ? side : -side;
    for (std::size_t k = 0; k < drive.size(); ++k) {
      if (std::abs(drive[k] - sign * (*others)[k]) > 1e-9 * (std::abs(drive[k]) + std::abs((*others)[k]))) return true;
    }
    return false;
  }

  void warn(std::size_t i, std::size_t k, const std::string& verdict) {
    const JointDesc &joint = scene_.joints[i], &other = scene_.joints[k];
    warning(
        element_path("joints", i) + ".drive",
        fmt::format("this drive moves '{}' against {} {} its axis, which {} between them {}", joint.bodies[0],
                    joint.bodies[1].empty() ? "the world" : fmt::format("'{}'", joint.bodies[1]),
                    joint.kind == JointKind::hinge ? "about" : "along",
                    other.name.empty() ? element_path("joints", k) : fmt::format("joint '{}'", other.name), verdict),
        joint.drive);
  }
};

}  // namespace

void warn_of_joint_conflicts(const SceneDesc& scene, Issues& issues) {
  ConflictCheck(scene, issues).run();
}

}  // namespace clearance
