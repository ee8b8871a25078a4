#include "clearance/scene/validate_joints.h"

#include <map>

#include "clearance/math/rotation.h"
#include "clearance/scene/enums.h"
#include "clearance/scene/expression.h"
#include "clearance/scene/json.h"
#include "clearance/scene/nearest_name.h"
#include "clearance/scene/radians.h"
#include "clearance/scene/scene_check.h"

namespace clearance {
namespace {

class JointCheck : SceneCheck {
 public:
  using SceneCheck::SceneCheck;

  void run() {
    std::map<std::string, std::size_t> first_with_name;
    for (std::size_t i = 0; i < scene_.joints.size(); ++i) {
      const JointDesc& joint = scene_.joints[i];
      const std::string place = element_path("joints", i);
      check_bodies(joint, place + ".bodies");
      check_axis(joint, place);
      check_freedom(joint, place);
      if (joint.kind == JointKind::fixed) glue(joint);
      if (joint.name.empty()) continue;
      const auto [known, is_new] = first_with_name.try_emplace(joint.name, i);
      if (is_new) continue;
      error(place + ".name", fmt::format("joints[{}] has the same name; names must be unique", known->second),
            '"' + joint.name + '"');
    }
    for (std::size_t i = 0; i < scene_.joints.size(); ++i) check_mimic(i);
    for (std::size_t i = 0; i < scene_.joints.size(); ++i) warn_of_blocked_drive(i);
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) warn_of_blocked_motions(b);
  }

 private:
  void check_bodies(const JointDesc& joint, const std::string& place) {
    if (joint.bodies[0].empty()) {
      error(element_path(place, 0),
            "a joint needs the name of a stiff body here; only the second name may be empty, which means the world");
    }
    for (std::size_t b = 0; b < 2; ++b) {
      if (!joint.bodies[b].empty()) check_name(joint.bodies[b], element_path(place, b));
    }
    if (!joint.bodies[0].empty() && joint.bodies[0] == joint.bodies[1]) {
      error(place, "a joint holds two different bodies", '"' + joint.bodies[0] + '"');
    }
  }

  void check_name(const std::string& name, const std::string& place) {
    const BodyDesc* body = check_single_body(name, place);
    if (body == nullptr || is_stiff(body->kind)) return;
    error(place,
          fmt::format("a joint can only hold stiff bodies (affine or rigid), and this body is of kind {}{}",
                      enum_name(body->kind), has_nodes(body->kind) ? "; `attachments` hold its nodes" : ""),
          '"' + name + '"');
  }

  void check_axis(const JointDesc& joint, const std::string& place) {
    check_in_plane(place + ".point", joint.point);
    if (joint.kind != JointKind::hinge && joint.kind != JointKind::slider) return;
    if (joint.axis.isZero(0.0)) {
      error(place + ".axis", "must not be zero", text(joint.axis));
    } else if (is_plane() && joint.kind == JointKind::slider) {
      check_in_plane(place + ".axis", joint.axis);
    } else if (is_plane() && joint.axis != JointDesc{}.axis && !joint.axis.head<2>().isZero(0.0)) {
      error(place + ".axis", "in 2D every hinge turns about z; remove the axis", text(joint.axis));
    }
  }

  // Limits, drive and effort act on the one motion that hinges and sliders have.
  void check_freedom(const JointDesc& joint, const std::string& place) {
    const bool has_limits = joint.lower.has_value() || joint.upper.has_value();
    if (joint.kind != JointKind::hinge && joint.kind != JointKind::slider) {
      const auto refuse = [&](bool is_given, const char* key) {
        if (is_given)
          error(place + "." + key, "only a hinge or a slider has this key", std::string(enum_name(joint.kind)));
      };
      refuse(joint.lower.has_value(), "lower");
      refuse(joint.upper.has_value(), "upper");
      refuse(!joint.drive.empty(), "drive");
      refuse(!joint.effort.empty(), "effort");
      refuse(joint.stiffness != 0.0, "stiffness");
      refuse(!joint.rest.empty(), "rest");
      refuse(joint.damping != 0.0, "damping");
      refuse(joint.friction != 0.0, "friction");
      refuse(joint.armature != 0.0, "armature");
      refuse(joint.mimic.has_value(), "mimic");
      return;
    }
    if (!joint.drive.empty() && (has_limits || !joint.effort.empty())) {
      error(place + ".drive",
            "the drive determines the position of the joint, and limits and effort have no effect beside it; remove "
            "the one or the others",
            joint.drive);
    }
    if (!joint.drive.empty() && (joint.stiffness != 0.0 || joint.damping != 0.0)) {
      error(place + ".drive",
            "the drive determines the position of the joint, and stiffness and damping have no effect beside it; "
            "remove the one or the others",
            joint.drive);
    }
    if (!joint.drive.empty() && (joint.friction != 0.0 || joint.armature != 0.0)) {
      error(place + ".drive",
            "the drive determines the position of the joint, and friction and armature have no effect beside it; "
            "remove the one or the others",
            joint.drive);
    }
    if (!joint.rest.empty() && joint.stiffness == 0.0) {
      error(place + ".rest", "the joint has no spring that could rest here; give it a `stiffness`", joint.rest);
    }
    if (joint.kind == JointKind::hinge) warn_of_radians(joint, place);
    check_formula(joint.rest, place + ".rest");
    check_formula(joint.drive, place + ".drive");
    check_formula(joint.effort, place + ".effort");
  }

  // Returns the name of the body that represents all those that fixed joints hold together with this one; the world's
  // is empty.
  const std::string& glued_root(const std::string& name) {
    const auto parent = glued_.find(name);
    return parent == glued_.end() ? name : glued_root(parent->second);
  }
  void glue(const JointDesc& joint) {
    const std::string a = glued_root(joint.bodies[0]), b = glued_root(joint.bodies[1]);
    // The world stays the root of the bodies that are fixed to it.
    if (a != b) glued_[a.empty() ? b : a] = a.empty() ? a : b;
  }
  /// Returns the fixed joints among the bodies that hold together with this one: `joint 'glue'`.
  std::string glue_of(const std::string& body) {
    std::string names;
    for (std::size_t i = 0; i < scene_.joints.size(); ++i) {
      const JointDesc& joint = scene_.joints[i];
      if (joint.kind != JointKind::fixed || glued_root(joint.bodies[0]) != glued_root(body)) continue;
      if (!names.empty()) names += ", ";
      names += joint.name.empty() ? element_path("joints", i) : fmt::format("joint '{}'", joint.name);
    }
    return names;
  }

  void warn_of_blocked_drive(std::size_t i) {
    const JointDesc& joint = scene_.joints[i];
    if (joint.drive.empty() || joint.bodies[0] == joint.bodies[1]) return;
    if (glued_root(joint.bodies[0]) != glued_root(joint.bodies[1])) return;
    warning(
        element_path("joints", i) + ".drive",
        fmt::format("this drive moves '{}' against {}, but both are held together by {}, and none of them gives way",
                    joint.bodies[0], joint.bodies[1].empty() ? "the world" : fmt::format("'{}'", joint.bodies[1]),
                    glue_of(joint.bodies[0])),
        joint.drive);
  }

  void warn_of_blocked_motions(std::size_t b) {
    const BodyDesc& body = scene_.bodies[b];
    if (glued_.count(body.name) == 0 || !glued_root(body.name).empty()) return;
    for (std::size_t m = 0; m < body.motions.size(); ++m) {
      const MotionDesc& motion = body.motions[m];
      const bool is_moving = !motion.linear_velocity.isZero(0.0) || !motion.angular_velocity.isZero(0.0) ||
                             motion.displacement || motion.is_absolute();
      if (!is_moving) continue;
      warning(element_path(element_path("bodies", b) + ".motions", m),
              fmt::format("this motion moves '{}', but the body is held to the world by {}, and neither gives way",
                          body.name, glue_of(body.name)));
    }
  }

  void warn_of_radians(const JointDesc& joint, const std::string& place) {
    const auto warn_of_limit = [&](const std::string& key, const std::optional<double>& limit) {
      if (!limit || !looks_like_radians(*limit)) return;
      warning(place + key,
              fmt::format("{} looks like radians, but angles are in degrees; the same angle is {:.4g} degrees", *limit,
                          *limit / radians_per_degree),
              fmt::format("{}", *limit));
    };
    const auto warn_of_formula = [&](const std::string& key, const std::string& formula) {
      if (!looks_like_radians(formula)) return;
      warning(place + key,
              fmt::format("this looks like radians, but angles are in degrees; the same angle is (180 / pi) * ({})",
                          formula),
              formula);
    };
    warn_of_limit(".lower", joint.lower);
    warn_of_limit(".upper", joint.upper);
    warn_of_formula(".drive", joint.drive);
    warn_of_formula(".rest", joint.rest);
  }

  static bool has_coordinate(const JointDesc& joint) {
    return joint.kind == JointKind::hinge || joint.kind == JointKind::slider;
  }
  std::optional<std::size_t> find_joint(const std::string& name) const {
    for (std::size_t i = 0; i < scene_.joints.size(); ++i) {
      if (!name.empty() && scene_.joints[i].name == name) return i;
    }
    return std::nullopt;
  }
  /// Returns the joint that this one follows, if there is one.
  std::optional<std::size_t> leader_of(std::size_t i) const {
    const std::optional<MimicDesc>& mimic = scene_.joints[i].mimic;
    return mimic ? find_joint(mimic->joint) : std::nullopt;
  }

  void check_mimic(std::size_t i) {
    const JointDesc& joint = scene_.joints[i];
    if (!joint.mimic || !has_coordinate(joint)) return;
    const std::string place = element_path("joints", i) + ".mimic", value = '"' + joint.mimic->joint + '"';
    const std::optional<std::size_t> leader = leader_of(i);
    if (joint.mimic->joint.empty()) {
      error(place + ".joint", "`mimic` needs the name of the hinge or slider that the joint follows");
    } else if (!leader) {
      std::vector<std::string_view> names;
      for (const JointDesc& other : scene_.joints) names.push_back(other.name);
      const std::string_view nearest = nearest_name(joint.mimic->joint, names);
      error(place + ".joint",
            "no joint has this name" + (nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest)), value);
    } else if (*leader == i) {
      error(place + ".joint", "a joint cannot follow itself; name another one", value);
    } else if (!has_coordinate(scene_.joints[*leader])) {
      error(place + ".joint",
            fmt::format("a joint can only follow a hinge or a slider, not a {} joint",
                        enum_name(scene_.joints[*leader].kind)),
            value);
    } else {
      check_loop(i, place);
    }
    if (!joint.drive.empty()) {
      error(place, "`mimic` and the drive both determine the position of the joint; drive the joint that leads instead",
            value);
    }
  }

  /// Reports a loop once, at its first joint.
  void check_loop(std::size_t i, const std::string& place) {
    std::string names;
    std::optional<std::size_t> at = leader_of(i);
    for (std::size_t n = 0; at && *at > i && n < scene_.joints.size(); ++n) {
      names += (names.empty() ? "'" : ", '") + scene_.joints[*at].name + "'";
      at = leader_of(*at);
    }
    if (at != i) return;
    error(place + ".joint", fmt::format("the joint follows itself through {}; remove one `mimic`", names),
          '"' + scene_.joints[i].mimic->joint + '"');
  }

  void check_formula(const std::string& formula, const std::string& place) {
    if (formula.empty()) return;
    const Issues found = check_time_formula(formula, place, controls_of(scene_));
    issues_.insert(issues_.end(), found.begin(), found.end());
  }

  std::map<std::string, std::string> glued_;  // a body to one that it moves with
};

}  // namespace

void check_joints(const SceneDesc& scene, Issues& issues) {
  JointCheck(scene, issues).run();
}

}  // namespace clearance
