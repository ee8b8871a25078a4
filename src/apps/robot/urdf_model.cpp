#include "apps/robot/urdf_model.h"

#ifndef CLEARANCE_HAS_URDFDOM

namespace clearance::robot {

std::optional<RobotModel> read_urdf(const std::filesystem::path&, Issues& issues) {
  issues.push_back({"", "", "",
                    "this clearance-robot was built without liburdfdom, which reads URDF (on Debian the package "
                    "liburdfdom-dev; then build again)",
                    Severity::error});
  return std::nullopt;
}

}  // namespace clearance::robot

#else

#include <console_bridge/console.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "apps/robot/control_names.h"
#include "apps/robot/mesh_file.h"
#include "clearance/geometry/surface.h"
#include "clearance/io/files/text_file.h"
#include "clearance/io/robot/shape_inertia.h"
#include "clearance/math/rotation.h"

namespace clearance::robot {

namespace {

/// Collects the messages of liburdfdom while it reads.
class Messages : public console_bridge::OutputHandler {
 public:
  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR) errors.push_back(text);
  }
  std::vector<std::string> errors;
};

Vec<3> to_vector(const urdf::Vector3& v) {
  return {v.x, v.y, v.z};
}

RobotPose to_pose(const urdf::Pose& pose) {
  double x = 0.0, y = 0.0, z = 0.0, w = 1.0;
  pose.rotation.getQuaternion(x, y, z, w);
  return {Eigen::Quaterniond(w, x, y, z).normalized().toRotationMatrix(), to_vector(pose.position)};
}

std::string number(double value) {
  return fmt::format("{}", value);
}

class Reader {
 public:
  Reader(const urdf::ModelInterface& urdf, const std::filesystem::path& path, Issues& issues)
      : urdf_(urdf), path_(path), issues_(issues) {}

  RobotModel read() {
    model_.name = urdf_.getName();
    find_starts();
    const urdf::Link& root = *urdf_.getRoot();
    const int body = add_body(root, RobotPose());
    add_children(root, body, RobotPose(), RobotPose());
    add_mimics();
    settle_root(root);
    finish_bodies();
    Issues warnings = omissions_.warnings();
    issues_.insert(issues_.end(), warnings.begin(), warnings.end());
    return std::move(model_);
  }

 private:
  void warn(std::string message) { issues_.push_back({"", "", "", std::move(message), Severity::warning}); }
  void error(const std::string& place, std::string message, std::string value = "") {
    issues_.push_back({"", place, std::move(value), std::move(message), Severity::error});
  }

  int add_body(const urdf::Link& link, const RobotPose& pose) {
    const int body = static_cast<int>(model_.bodies.size());
    model_.bodies.push_back({});
    model_.bodies.back().name = link.name;
    model_.bodies.back().pose = pose;
    add_link(link, body, RobotPose());
    return body;
  }

  /// Adds a link; `in_body` is its pose in the body.
  void add_link(const urdf::Link& link, int body, const RobotPose& in_body) {
    RobotBody& to = model_.bodies[body];
    const auto first_shape = static_cast<std::ptrdiff_t>(to.shapes.size());
    for (const auto& collision : link.collision_array) {
      if (collision && collision->geometry) add_shape(link, *collision, in_body, to);
    }
    if (!link.visual_array.empty()) {
      omissions_.add(link.collision_array.empty() ? "visual shapes of links that have no collision shape"
                                                  : "visual shapes beside collision shapes",
                     link.name);
    }
    if (link.inertial) add_inertia(link, in_body, {to.shapes.begin() + first_shape, to.shapes.end()}, to);
  }

  /// Adds the inertia of a link with its own shapes to a body. A mass of 0 adds nothing: frames that are fixed to other
  /// links have it, and roots that are part of the world.
  void add_inertia(const urdf::Link& link, const RobotPose& in_body, const std::vector<RobotShape>& shapes,
                   RobotBody& to) {
    const urdf::Inertial& given = *link.inertial;
    RobotInertia inertia;
    inertia.mass = given.mass;
    inertia.tensor << given.ixx, given.ixy, given.ixz, given.ixy, given.iyy, given.iyz, given.ixz, given.iyz, given.izz;
    if (!(given.mass >= 0.0) || !std::isfinite(given.mass) || !inertia.tensor.allFinite()) {
      error(fmt::format("link '{}'", link.name), "the mass must not be negative, and mass and inertia must be finite",
            fmt::format("{:g} kg", given.mass));
      return;
    }
    if (given.mass == 0.0) return;
    // Express shapes and tensor along the axes of the inertial frame, so that messages have the numbers of the file.
    const RobotPose frame = in_body * to_pose(given.origin);
    std::vector<RobotShape> in_frame = shapes;
    for (RobotShape& shape : in_frame) shape.pose = frame.inverse() * shape.pose;
    const CheckedInertia checked = check_inertia(inertia, in_frame);
    if (!checked.told.empty()) warn(fmt::format("link '{}': {}", link.name, checked.told));
    const RobotInertia placed = transformed(checked.inertia, frame);
    to.inertia = to.inertia ? combine(*to.inertia, placed) : placed;
  }

  void add_shape(const urdf::Link& link, const urdf::Collision& collision, const RobotPose& in_body, RobotBody& to) {
    const std::string place = fmt::format("link '{}'", link.name);
    RobotShape shape;
    shape.pose = in_body * to_pose(collision.origin);
    switch (collision.geometry->type) {
      case urdf::Geometry::SPHERE:
        shape.kind = RobotShapeKind::ellipsoid;
        shape.size = Vec<3>::Constant(static_cast<const urdf::Sphere&>(*collision.geometry).radius);
        break;
      case urdf::Geometry::BOX:
        shape.size = 0.5 * to_vector(static_cast<const urdf::Box&>(*collision.geometry).dim);
        break;
      case urdf::Geometry::CYLINDER: {
        const auto& cylinder = static_cast<const urdf::Cylinder&>(*collision.geometry);
        shape.kind = RobotShapeKind::cylinder;
        shape.size = {cylinder.radius, 0.5 * cylinder.length, 1.0};
        break;
      }
      case urdf::Geometry::MESH: {
        const auto& file = static_cast<const urdf::Mesh&>(*collision.geometry);
        Result<Mesh> mesh = read_surface(file.filename, path_);
        if (!mesh) {
          for (Issue issue : mesh.issues()) {
            issue.file = "";
            issue.place = place + (issue.place.empty() ? "" : ": " + issue.place);
            issues_.push_back(std::move(issue));
          }
          return;
        }
        shape.kind = RobotShapeKind::mesh;
        shape.mesh = std::move(*mesh);
        const Vec<3> scale = to_vector(file.scale);
        for (Vec<3>& v : shape.mesh.vertices) v = v.cwiseProduct(scale);
        // A reflection turns every triangle inside out.
        if (scale.prod() < 0.0) turn_around(shape.mesh.triangles);
        break;
      }
    }
    if (shape.kind != RobotShapeKind::mesh && !(shape.size.minCoeff() > 0.0)) {
      error(place, "the sizes of a collision shape must be above 0");
      return;
    }
    to.shapes.push_back(std::move(shape));
  }

  /// Adds the children of a link; `in_body` is its pose in its body, `pose` its pose in the world.
  void add_children(const urdf::Link& link, int body, const RobotPose& in_body, const RobotPose& pose) {
    for (const auto& child : link.child_links) {
      const urdf::Joint& joint = *child->parent_joint;
      const RobotPose origin = to_pose(joint.parent_to_joint_origin_transform);
      const RobotPose at = pose * origin;
      if (joint.type == urdf::Joint::FIXED) {
        add_link(*child, body, in_body * origin);
        names_of_fused_.push_back(child->name);
        add_children(*child, body, in_body * origin, at);
        continue;
      }
      const RobotPose start = at * motion_of(joint, start_of(joint));
      const int next = add_body(*child, start);
      add_joint(joint, next, body, at);
      add_children(*child, next, RobotPose(), start);
    }
  }

  void add_joint(const urdf::Joint& joint, int body, int parent, const RobotPose& pose) {
    model_.ignored_pairs.push_back({parent, body});
    if (joint.type == urdf::Joint::FLOATING) return;
    if (joint.type == urdf::Joint::PLANAR) {
      omissions_.add("joints of type planar, which leave their links free", joint.name);
      return;
    }
    RobotJoint to;
    to.name = joint.name;
    to.kind = joint.type == urdf::Joint::PRISMATIC ? JointKind::slider : JointKind::hinge;
    to.body = body;
    to.parent = parent;
    to.point = pose.position;
    to.axis = pose.rotation * to_vector(joint.axis);
    if (!(to.axis.norm() > 0.0)) error(fmt::format("joint '{}'", joint.name), "the axis must not be zero", "0 0 0");
    if (joint.limits && joint.type != urdf::Joint::CONTINUOUS) {
      to.lower = joint.limits->lower - start_of(joint);
      to.upper = joint.limits->upper - start_of(joint);
      if (joint.limits->lower > joint.limits->upper) {
        error(fmt::format("joint '{}'", joint.name), "the lower limit is above the upper one",
              fmt::format("{:g} to {:g}", joint.limits->lower, joint.limits->upper));
      }
    }
    if (joint.dynamics) {
      to.damping = std::max(0.0, joint.dynamics->damping);
      to.friction = std::max(0.0, joint.dynamics->friction);
    }
    if (joint.limits && joint.limits->velocity > 0.0) omissions_.add("limits of the speed of joints", joint.name);
    if (joint.safety) omissions_.add("safety controllers of joints", joint.name);
    to.effort = effort_of(joint);
    number_of_joint_[joint.name] = model_.joints.size();
    model_.joints.push_back(std::move(to));
  }

  // --- joints that follow others ---

  static bool has_coordinate(const urdf::Joint& joint) {
    return joint.type == urdf::Joint::REVOLUTE || joint.type == urdf::Joint::CONTINUOUS ||
           joint.type == urdf::Joint::PRISMATIC;
  }
  static bool follows(const urdf::Joint& joint) { return joint.mimic && has_coordinate(joint); }

  /// Start of a joint [rad] or [m]: zero, or where the joint that it follows leads it from zero.
  double start_of(const urdf::Joint& joint) const {
    const auto found = starts_.find(joint.name);
    return found == starts_.end() ? 0.0 : found->second;
  }

  void find_starts() {
    std::string moved;
    for (const auto& [name, joint] : urdf_.joints_) {
      if (!joint || !follows(*joint)) continue;
      double factor = 1.0, start = 0.0;
      std::vector<std::string> chain;
      const urdf::Joint* at = joint.get();
      while (at != nullptr && follows(*at)) {
        start += factor * at->mimic->offset;
        factor *= at->mimic->multiplier;
        at = leader_of(*at, *joint, chain);
      }
      starts_[name] = start;
      if (start == 0.0) continue;
      moved += fmt::format("{}{} at {:.4g} {}", moved.empty() ? "" : ", ", name, start,
                           joint->type == urdf::Joint::PRISMATIC ? "m" : "rad");
    }
    if (!moved.empty()) warn("joints start where those that they follow (mimic) lead them: " + moved);
  }

  /// Returns null if there is no leader; reports that once, at the joint whose own mimic is wrong.
  const urdf::Joint* leader_of(const urdf::Joint& joint, const urdf::Joint& first, std::vector<std::string>& chain) {
    const std::string& name = joint.mimic->joint_name;
    const auto refuse = [&](const std::string& message) {
      if (&joint == &first) error(fmt::format("joint '{}': mimic", joint.name), message, '"' + name + '"');
      return nullptr;
    };
    const auto found = urdf_.joints_.find(name);
    if (found == urdf_.joints_.end() || !found->second) return refuse("the model has no joint of this name");
    const urdf::Joint& leader = *found->second;
    if (&leader == &joint) return refuse("a joint cannot follow itself; name another one");
    if (leader.type == urdf::Joint::FLOATING || leader.type == urdf::Joint::PLANAR) {
      return refuse("a joint of type floating or planar has no single value that another could follow");
    }
    if (&leader == &first) {
      // (Reported once per loop: at the joint whose name comes first.)
      if (std::all_of(chain.begin(), chain.end(), [&](const std::string& other) { return first.name < other; })) {
        error(fmt::format("joint '{}': mimic", first.name),
              fmt::format("the joint follows itself by way of '{}'; let one of them follow none",
                          fmt::join(chain, "', '")),
              '"' + first.mimic->joint_name + '"');
      }
      return nullptr;
    }
    // The chain leads into a loop of other joints.
    if (std::find(chain.begin(), chain.end(), name) != chain.end()) return nullptr;
    chain.push_back(name);
    return &leader;
  }

  void add_mimics() {
    for (RobotJoint& joint : model_.joints) {
      const urdf::Joint& from = *urdf_.joints_.at(joint.name);
      if (!follows(from)) continue;
      const auto leader = number_of_joint_.find(from.mimic->joint_name);
      if (leader != number_of_joint_.end()) {
        joint.mimic = RobotMimic{static_cast<int>(leader->second), from.mimic->multiplier, 0.0};
      } else if (const auto fixed = urdf_.joints_.find(from.mimic->joint_name);
                 fixed != urdf_.joints_.end() && fixed->second->type == urdf::Joint::FIXED) {
        warn(fmt::format("joint '{}' follows '{}', which is fixed: it is held where it starts", joint.name,
                         from.mimic->joint_name));
        joint.drive = "0";
        joint.lower.reset();
        joint.upper.reset();
        joint.effort.clear();
        joint.damping = joint.friction = 0.0;
      }
    }
  }

  static RobotPose motion_of(const urdf::Joint& joint, double value) {
    RobotPose motion;
    const Vec<3> axis = to_vector(joint.axis);
    if (value == 0.0 || !(axis.norm() > 0.0)) return motion;
    if (joint.type == urdf::Joint::PRISMATIC) {
      motion.position = value * axis.normalized();
    } else {
      motion.rotation = rotation_from_vector(value * axis.normalized());
    }
    return motion;
  }

  std::string effort_of(const urdf::Joint& joint) {
    const std::string name = control_name(joint.name, model_.controls);
    model_.controls.push_back({name, 0.0});
    const double most = joint.limits ? joint.limits->effort : 0.0;
    if (!(most > 0.0)) return name;
    return fmt::format("min(max({}, {}), {})", name, number(-most), number(most));
  }

  /// Decides whether the root stands in the world by itself, which URDF does not say. A root without mass cannot move.
  void settle_root(const urdf::Link& link) {
    RobotBody& root = model_.bodies.front();
    root.is_fixed = link.name == "world" || !root.inertia;
    if (link.name == "world") {
      model_.notes.emplace_back("the root link 'world' has the world's name: it is part of the world");
    } else if (root.is_fixed) {
      warn(fmt::format("the root link '{}' has no mass: it is part of the world", link.name));
    } else {
      warn(
          fmt::format("the root link '{}' is free, because it has a mass; fixed_translation and fixed_rotation of its "
                      "body hold it in the world",
                      link.name));
    }
  }

  /// Completes bodies of several links, and bodies without a mass that only a joint needs.
  void finish_bodies() {
    if (!names_of_fused_.empty()) {
      std::string names;
      for (const std::string& name : names_of_fused_) names += (names.empty() ? "" : ", ") + name;
      model_.notes.push_back(fmt::format("{} links are parts of the bodies that fixed joints hold them to: {}",
                                         names_of_fused_.size(), names));
    }
    for (RobotBody& body : model_.bodies) {
      if (body.is_fixed || body.inertia || !body.shapes.empty()) continue;
      // The body carries others, but has nothing of its own.
      body.inertia = RobotInertia{1e-3, Vec<3>::Zero(), 1e-6 * Mat<3>::Identity()};
      warn(fmt::format("link '{}' has neither mass nor shape: it gets a gram", body.name));
    }
    if (!model_.bodies.empty() && model_.bodies.front().is_fixed && model_.bodies.front().shapes.empty()) drop_root();
  }

  /// Removes a root that is only a name for the world.
  void drop_root() {
    model_.bodies.erase(model_.bodies.begin());
    for (RobotJoint& joint : model_.joints) {
      --joint.body;
      joint.parent = joint.parent <= 0 ? -1 : joint.parent - 1;
    }
    std::erase_if(model_.ignored_pairs, [](const auto& pair) { return pair[0] == 0 || pair[1] == 0; });
    for (auto& pair : model_.ignored_pairs) pair = {pair[0] - 1, pair[1] - 1};
  }

  const urdf::ModelInterface& urdf_;
  const std::filesystem::path& path_;
  Issues& issues_;
  RobotModel model_;
  RobotOmissions omissions_;
  std::vector<std::string> names_of_fused_;
  std::map<std::string, double> starts_;  // only of joints that follow others
  std::map<std::string, std::size_t> number_of_joint_;
};

}  // namespace

std::optional<RobotModel> read_urdf(const std::filesystem::path& path, Issues& issues) {
  const Result<std::string> text = read_text_file(path);
  if (!text) {
    issues.insert(issues.end(), text.issues().begin(), text.issues().end());
    return std::nullopt;
  }
  Messages messages;
  console_bridge::useOutputHandler(&messages);
  const urdf::ModelInterfaceSharedPtr urdf = urdf::parseURDF(*text);
  console_bridge::restorePreviousOutputHandler();
  for (const std::string& message : messages.errors) issues.push_back({"", "", "", message, Severity::error});
  if (!urdf || !urdf->getRoot()) {
    if (messages.errors.empty())
      issues.push_back({"", "", "", "is no URDF that liburdfdom understands", Severity::error});
    return std::nullopt;
  }
  if (!messages.errors.empty()) return std::nullopt;
  return Reader(*urdf, path, issues).read();
}

}  // namespace clearance::robot

#endif
