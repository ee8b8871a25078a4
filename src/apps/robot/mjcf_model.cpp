#include "apps/robot/mjcf_model.h"

#ifndef CLEARANCE_HAS_MUJOCO

namespace clearance::robot {

std::optional<RobotModel> read_mjcf(const std::filesystem::path&, Issues& issues) {
  issues.push_back({"", "", "",
                    "this clearance-robot was built without libmujoco, which reads MJCF (on Debian the package "
                    "libmujoco-dev; then build again)",
                    Severity::error});
  return std::nullopt;
}

}  // namespace clearance::robot

#else

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "apps/robot/control_names.h"
#include "apps/robot/mjcf_compiler.h"
#include "apps/robot/mjcf_motors.h"

namespace clearance::robot {

namespace {

struct DataDeleter {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

std::size_t at(int index) {
  return index;
}
Vec<3> vector_at(const mjtNum* numbers, int index) {
  return {numbers[3 * index], numbers[3 * index + 1], numbers[3 * index + 2]};
}
Mat<3> matrix_at(const mjtNum* numbers, int index) {
  using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(numbers + 9 * index);
}
Mat<3> rotation_at(const mjtNum* quaternions, int index) {
  const mjtNum* q = quaternions + 4 * index;
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

using Pair = std::array<int, 2>;
using Numbers = std::vector<int>;
using Mask = std::pair<int, int>;  // contype, conaffinity
using Masks = std::set<Mask>;

class Reader {
 public:
  Reader(const mjModel& m, mjData& d, Issues& issues) : m_(m), d_(d), issues_(issues), motors_(m, d, omissions_) {}

  RobotModel read() {
    // (The first string of `names` is the name of the model.)
    model_.name = m_.names;
    if ((m_.opt.disableflags & mjDSBL_GRAVITY) != 0) {
      model_.gravity.setZero();
    } else {
      model_.gravity = vector_at(m_.opt.gravity, 0);
    }
    model_.has_contact = (m_.opt.disableflags & (mjDSBL_CONTACT | mjDSBL_CONSTRAINT)) == 0;
    model_.friction = 0.0;
    model_.controls = motors_.controls();
    for (int b = 0; b < m_.nbody; ++b) add_body(b);
    for (int b = 1; b < m_.nbody; ++b) {
      if (m_.body_weldid[b] != b) continue;
      move_velocity(b);
      add_joints(b);
    }
    for (int e = 0; e < m_.neq; ++e) add_equality(e);
    add_contact_filters();
    count_other_frictions();
    count_omissions();
    Issues warnings = omissions_.warnings();
    issues_.insert(issues_.end(), warnings.begin(), warnings.end());
    return std::move(model_);
  }

 private:
  void warn(std::string message) { issues_.push_back({"", "", "", std::move(message), Severity::warning}); }
  std::string name_of(int type, int id) const {
    const char* name = mj_id2name(&m_, type, id);
    return name == nullptr ? "" : name;
  }
  std::string label(int type, const char* kind, int id) const {
    const std::string name = name_of(type, id);
    return name.empty() ? fmt::format("{} {}", kind, id) : name;
  }

  RobotPose pose_of(int b) const { return {matrix_at(d_.xmat, b), vector_at(d_.xpos, b)}; }
  RobotPose geom_pose(int g) const { return {rotation_at(m_.geom_quat, g), vector_at(m_.geom_pos, g)}; }
  bool collides(int g) const {
    if (m_.opt.collision == mjCOL_PAIR) return is_paired(g);
    return m_.geom_contype[g] != 0 || m_.geom_conaffinity[g] != 0 || is_paired(g);
  }
  bool is_paired(int g) const {
    if (m_.opt.collision == mjCOL_DYNAMIC) return false;
    return std::any_of(m_.pair_geom1, m_.pair_geom1 + m_.npair, [&](int id) { return id == g; }) ||
           std::any_of(m_.pair_geom2, m_.pair_geom2 + m_.npair, [&](int id) { return id == g; });
  }

  // --- bodies ---

  /// Adds a body. MuJoCo's bodies that are welded together become one; each of those welded to the world that has a
  /// shape becomes a body of its own.
  void add_body(int b) {
    const int root = m_.body_weldid[b];
    if (root == 0) {
      add_planes(b);
      if (m_.body_mocapid[b] >= 0) omissions_.add("mocap bodies, which stay where they are", name_of(mjOBJ_BODY, b));
      RobotBody body;
      body.is_fixed = true;
      body.name = b == 0 ? "world" : label(mjOBJ_BODY, "body", b);
      body.pose = pose_of(b);
      add_shapes(b, RobotPose(), body);
      if (body.shapes.empty()) return;
      body_of_[b] = push(std::move(body), {b});
      return;
    }
    if (root == b) {
      RobotBody body;
      body.name = label(mjOBJ_BODY, "body", b);
      body.pose = pose_of(b);
      add_velocity(b, body);
      body_of_[b] = push(std::move(body), {});
    } else {
      names_of_welded_.push_back(label(mjOBJ_BODY, "body", b));
    }
    const int to = body_of_.at(root);
    members_[at(to)].push_back(b);
    RobotBody& body = model_.bodies[at(to)];
    const RobotPose in_root = pose_of(root).inverse() * pose_of(b);
    add_shapes(b, in_root, body);
    const RobotPose inertial = in_root * RobotPose{rotation_at(m_.body_iquat, b), vector_at(m_.body_ipos, b)};
    const RobotInertia inertia = {m_.body_mass[b], Vec<3>::Zero(), vector_at(m_.body_inertia, b).asDiagonal()};
    if (m_.body_mass[b] <= 0.0) return;
    const RobotInertia placed = transformed(inertia, inertial);
    body.inertia = body.inertia ? combine(*body.inertia, placed) : placed;
  }

  int push(RobotBody body, std::vector<int> members) {
    model_.bodies.push_back(std::move(body));
    members_.push_back(std::move(members));
    return static_cast<int>(model_.bodies.size()) - 1;
  }

  void add_velocity(int b, RobotBody& body) {
    mjtNum velocity[6] = {};
    mj_objectVelocity(&m_, &d_, mjOBJ_BODY, b, velocity, 0);
    body.angular_velocity = vector_at(velocity, 0);
    body.linear_velocity = vector_at(velocity, 1);
  }

  /// Moves the velocity from the centre of the weld's root to the centre of the whole weld.
  void move_velocity(int b) {
    RobotBody& body = model_.bodies[at(body_of_.at(b))];
    if (!body.inertia) return;
    const Vec<3> arm = body.pose.apply(body.inertia->center) - vector_at(d_.xipos, b);
    body.linear_velocity += body.angular_velocity.cross(arm);
  }

  void add_planes(int b) {
    for (int g = m_.body_geomadr[b]; g < m_.body_geomadr[b] + m_.body_geomnum[b]; ++g) {
      if (m_.geom_type[g] != mjGEOM_PLANE) continue;
      if (!collides(g)) {
        omissions_.add("planes that touch nothing", name_of(mjOBJ_GEOM, g));
        continue;
      }
      const RobotPose pose = pose_of(b) * geom_pose(g);
      RobotPlane plane = {pose.position, pose.rotation.col(2), std::nullopt};
      if (m_.geom_condim[g] > 1) plane.friction = m_.geom_friction[3 * g];
      model_.planes.push_back(plane);
      planes_.push_back({g, b, {{m_.geom_contype[g], m_.geom_conaffinity[g]}}});
    }
  }

  /// Adds the shapes that collide; if there are none, those that are only visible.
  void add_shapes(int b, const RobotPose& in_body, RobotBody& to) {
    const int first = m_.body_geomadr[b], end = first + m_.body_geomnum[b];
    bool has_colliding = false;
    for (int g = first; g < end; ++g) has_colliding = has_colliding || (collides(g) && m_.geom_type[g] != mjGEOM_PLANE);
    for (int g = first; g < end; ++g) {
      const std::string name = label(mjOBJ_GEOM, "geom", g);
      if (m_.geom_type[g] == mjGEOM_PLANE) {
        if (m_.body_weldid[b] != 0) omissions_.add("planes on bodies that move", name);
        continue;
      }
      if (!collides(g)) {
        omissions_.add("geoms that are only seen", name);
        continue;
      }
      RobotShape shape = shape_of(g);
      shape.pose = in_body * shape.pose;
      to.shapes.push_back(std::move(shape));
      to.friction = std::max(to.friction.value_or(0.0), friction_of_geom(g));
      geoms_of_[m_.body_weldid[b] == 0 ? b : m_.body_weldid[b]].push_back(g);
      if (m_.geom_condim[g] > 3) omissions_.add("geoms' frictions against twisting and rolling", name);
    }
  }

  double friction_of_geom(int g) const { return m_.geom_condim[g] > 1 ? m_.geom_friction[3 * g] : 0.0; }

  /// Names the shapes that get the friction of another one, because a body has one for all of its shapes: the largest.
  void count_other_frictions() {
    if (!model_.has_contact) return;
    for (const auto& [body, geoms] : geoms_of_) {
      double largest = 0.0;
      for (const int g : geoms) largest = std::max(largest, friction_of_geom(g));
      for (const int g : geoms) {
        if (friction_of_geom(g) == largest) continue;
        omissions_.add(
            "geoms' own frictions, in whose place they have the largest one of their body",
            fmt::format("{}: {:g} becomes {:g}", label(mjOBJ_GEOM, "geom", g), friction_of_geom(g), largest));
      }
    }
  }

  RobotShape shape_of(int g) const {
    const Vec<3> size = vector_at(m_.geom_size, g);
    RobotShape shape;
    shape.pose = geom_pose(g);
    switch (m_.geom_type[g]) {
      case mjGEOM_SPHERE:
        shape.kind = RobotShapeKind::ellipsoid;
        shape.size = Vec<3>::Constant(size[0]);
        break;
      case mjGEOM_ELLIPSOID:
        shape.kind = RobotShapeKind::ellipsoid;
        shape.size = size;
        break;
      case mjGEOM_CAPSULE:
        shape.kind = RobotShapeKind::capsule;
        shape.size = size;
        break;
      case mjGEOM_CYLINDER:
        shape.kind = RobotShapeKind::cylinder;
        shape.size = size;
        break;
      case mjGEOM_MESH:
        shape.kind = RobotShapeKind::mesh;
        shape.mesh = mesh_of(m_, m_.geom_dataid[g]);
        break;
      case mjGEOM_HFIELD:
        shape.kind = RobotShapeKind::mesh;
        shape.mesh = field_of(m_.geom_dataid[g]);
        break;
      default:
        shape.size = size;
    }
    return shape;
  }

  /// Returns the upper surface of a height field.
  Mesh field_of(int id) const {
    const int rows = m_.hfield_nrow[id], columns = m_.hfield_ncol[id];
    const mjtNum* size = m_.hfield_size + 4 * id;
    const float* height = m_.hfield_data + m_.hfield_adr[id];
    Mesh mesh;
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) {
        const double x = size[0] * (2.0 * c / (columns - 1) - 1.0), y = size[1] * (2.0 * r / (rows - 1) - 1.0);
        mesh.vertices.push_back(Vec<3>(x, y, size[2] * height[r * columns + c]));
      }
    }
    for (int r = 0; r + 1 < rows; ++r) {
      for (int c = 0; c + 1 < columns; ++c) {
        const int v = r * columns + c;
        mesh.triangles.push_back({v, v + 1, v + columns + 1});
        mesh.triangles.push_back({v, v + columns + 1, v + columns});
      }
    }
    return mesh;
  }

  // --- joints ---

  int parent_of(int b) const {
    const int parent = m_.body_weldid[m_.body_parentid[b]];
    return parent == 0 ? -1 : body_of_.at(parent);
  }

  bool is_plain(int j) const {
    const int dof = m_.jnt_dofadr[j];
    return m_.jnt_limited[j] == 0 && m_.jnt_stiffness[j] == 0.0 && m_.dof_damping[dof] == 0.0 &&
           m_.dof_armature[dof] == 0.0 && friction_of(j) == 0.0 && !motors_.has(j) && !is_coupled(j);
  }
  /// Returns the dry friction [N m] or [N] of a joint; of a ball or free joint that of its first coordinate.
  double friction_of(int j) const {
    const bool is_off = (m_.opt.disableflags & (mjDSBL_FRICTIONLOSS | mjDSBL_CONSTRAINT)) != 0;
    return is_off ? 0.0 : m_.dof_frictionloss[m_.jnt_dofadr[j]];
  }
  bool is_coupled(int j) const {
    for (int e = 0; e < m_.neq; ++e) {
      if (m_.eq_type[e] == mjEQ_JOINT && m_.eq_active[e] != 0 && (m_.eq_obj1id[e] == j || m_.eq_obj2id[e] == j)) {
        return true;
      }
    }
    return false;
  }
  /// True for three joints of one type with independent axes that do nothing but move freely.
  bool are_three_plain(int first, int count, int type) const {
    if (count != 3) return false;
    Mat<3> axes;
    for (int j = 0; j < 3; ++j) {
      if (m_.jnt_type[first + j] != type || !is_plain(first + j)) return false;
      axes.col(j) = vector_at(d_.xaxis, first + j);
    }
    if (type == mjJNT_HINGE) {
      for (int j = 1; j < 3; ++j) {
        if ((vector_at(d_.xanchor, first + j) - vector_at(d_.xanchor, first)).norm() > 1e-9) return false;
      }
    }
    return std::abs(axes.determinant()) > 1e-3;
  }

  void add_joints(int b) {
    const int body = body_of_.at(b), first = m_.body_jntadr[b], count = m_.body_jntnum[b];
    int parent = parent_of(b);
    if (count == 1 && m_.jnt_type[first] == mjJNT_FREE) return;
    if (parent < 0 && are_three_plain(first, count, mjJNT_SLIDE)) {
      model_.bodies[at(body)].keeps_orientation = true;
      return;
    }
    if (are_three_plain(first, count, mjJNT_HINGE)) {
      RobotJoint ball = joint_at(first, body, parent);
      ball.kind = JointKind::ball;
      model_.joints.push_back(ball);
      return;
    }
    for (int j = first; j < first + count; ++j) {
      const int next = j + 1 < first + count ? add_link_between(j, b) : body;
      RobotJoint joint = joint_at(j, next, parent);
      if (joint.kind == JointKind::ball) {
        const int dof = m_.jnt_dofadr[j];
        if (m_.jnt_limited[j] != 0) omissions_.add("limits of ball joints", joint.name);
        if (m_.jnt_stiffness[j] != 0.0) omissions_.add("springs in ball joints", joint.name);
        if (m_.dof_damping[dof] != 0.0) omissions_.add("dampers in ball joints", joint.name);
      } else {
        set_limits(j, joint);
        motors_.set(j, joint);
        joint.armature = m_.dof_armature[m_.jnt_dofadr[j]];
        joint.friction = friction_of(j);
      }
      joint_of_[j] = static_cast<int>(model_.joints.size());
      model_.joints.push_back(std::move(joint));
      parent = next;
    }
  }

  RobotJoint joint_at(int j, int body, int parent) const {
    RobotJoint joint;
    joint.name = label(mjOBJ_JOINT, "joint", j);
    joint.kind = m_.jnt_type[j] == mjJNT_BALL    ? JointKind::ball
                 : m_.jnt_type[j] == mjJNT_SLIDE ? JointKind::slider
                                                 : JointKind::hinge;
    joint.body = body;
    joint.parent = parent;
    joint.point = vector_at(d_.xanchor, j);
    joint.axis = vector_at(d_.xaxis, j);
    return joint;
  }

  /// Adds the body that hangs between two joints of one body, and returns its number.
  int add_link_between(int j, int b) {
    const RobotBody& of = model_.bodies[at(body_of_.at(b))];
    const RobotInertia whole = of.inertia.value_or(RobotInertia{1e-3, Vec<3>::Zero(), 1e-6 * Mat<3>::Identity()});
    const double mass = 1e-3 * whole.mass;
    const double gyration = std::sqrt(0.5 * whole.tensor.trace() / whole.mass);
    RobotBody between;
    between.name = fmt::format("{} (after {})", of.name, label(mjOBJ_JOINT, "joint", j));
    between.pose.position = vector_at(d_.xanchor, j);
    between.inertia = RobotInertia{mass, Vec<3>::Zero(), 0.4 * mass * gyration * gyration * Mat<3>::Identity()};
    between.is_link_between = true;
    ++num_between_;
    return push(std::move(between), {});
  }

  void set_limits(int j, RobotJoint& joint) const {
    if (m_.jnt_limited[j] == 0 || (m_.opt.disableflags & (mjDSBL_LIMIT | mjDSBL_CONSTRAINT)) != 0) return;
    const double start = d_.qpos[m_.jnt_qposadr[j]];
    joint.lower = m_.jnt_range[2 * j] - start;
    joint.upper = m_.jnt_range[2 * j + 1] - start;
  }

  // --- equality constraints ---

  void add_equality(int e) {
    const std::string name = label(mjOBJ_EQUALITY, "equality", e);
    if (m_.eq_active[e] == 0 || (m_.opt.disableflags & (mjDSBL_EQUALITY | mjDSBL_CONSTRAINT)) != 0) {
      omissions_.add("equality constraints that are switched off", name);
    } else if (m_.eq_type[e] == mjEQ_CONNECT || m_.eq_type[e] == mjEQ_WELD) {
      add_loop(e, name);
    } else if (m_.eq_type[e] == mjEQ_JOINT && m_.eq_obj2id[e] < 0) {
      lock_joint(e, name);
    } else if (m_.eq_type[e] == mjEQ_JOINT) {
      couple_joints(e, name);
    } else {
      omissions_.add("equality constraints of tendons", name);
    }
  }

  void add_loop(int e, const std::string& name) {
    int first = m_.eq_obj1id[e], second = m_.eq_obj2id[e];
    const mjtNum* data = m_.eq_data + mjNEQDATA * e;
    const Vec<3> anchor(data[0], data[1], data[2]);
    RobotJoint joint;
    joint.kind = m_.eq_type[e] == mjEQ_WELD ? JointKind::fixed : JointKind::ball;
    joint.name = name;
    // (A weld's anchor belongs to its second body.)
    joint.point = m_.eq_type[e] == mjEQ_WELD ? pose_of(first).position : pose_of(first).apply(anchor);
    if (m_.body_weldid[first] == 0) std::swap(first, second);
    if (m_.body_weldid[first] == m_.body_weldid[second]) return;
    joint.body = body_of_.at(m_.body_weldid[first]);
    joint.parent = m_.body_weldid[second] == 0 ? -1 : body_of_.at(m_.body_weldid[second]);
    model_.joints.push_back(std::move(joint));
  }

  /// Locks a joint that a polynomial holds at a constant.
  void lock_joint(int e, const std::string& name) {
    const int j = m_.eq_obj1id[e];
    const auto found = joint_of_.find(j);
    if (found == joint_of_.end()) {
      omissions_.add("equality constraints of joints that are no joints here", name);
      return;
    }
    RobotJoint& joint = model_.joints[at(found->second)];
    if (joint.mimic) {
      omissions_.add("further equality constraints of one joint, which has the first", name);
      return;
    }
    const int q = m_.jnt_qposadr[j];
    const double target = m_.qpos0[q] + m_.eq_data[mjNEQDATA * e] - d_.qpos[q];
    joint.drive = fmt::format("{}", target);
    joint.lower.reset();
    joint.upper.reset();
    joint.effort.clear();
    joint.rest.clear();
    joint.stiffness = joint.damping = joint.friction = joint.armature = 0.0;
  }

  /// Couples a joint to another one that it follows by a polynomial; only the linear part counts.
  void couple_joints(int e, const std::string& name) {
    const auto follower = joint_of_.find(m_.eq_obj1id[e]), leader = joint_of_.find(m_.eq_obj2id[e]);
    if (follower == joint_of_.end() || leader == joint_of_.end() || follower == leader) {
      omissions_.add("equality constraints of joints that are no joints here", name);
      return;
    }
    RobotJoint& joint = model_.joints[at(follower->second)];
    if (joint.mimic || !joint.drive.empty()) {
      omissions_.add("further equality constraints of one joint, which has the first", name);
      return;
    }
    if (follows(leader->second, follower->second)) {
      omissions_.add("couplings that close a loop of joints which follow each other", name);
      return;
    }
    const mjtNum* a = m_.eq_data + mjNEQDATA * e;
    if (std::any_of(a + 2, a + 5, [](mjtNum factor) { return factor != 0.0; })) {
      omissions_.add("quadratic and higher terms of couplings of joints, which follow the linear ones", name);
    }
    // Joints count from where they start, couplings from the reference.
    const auto start = [&](int j) { return d_.qpos[m_.jnt_qposadr[j]] - m_.qpos0[m_.jnt_qposadr[j]]; };
    double offset = a[0] + a[1] * start(leader->first) - start(follower->first);
    if (std::abs(offset) < 1e-9) offset = 0.0;
    joint.mimic = RobotMimic{leader->second, a[1], offset};
  }
  /// True if a joint of the model follows another one, directly or through others.
  bool follows(int joint, int other) const {
    while (joint != other && model_.joints[at(joint)].mimic) joint = model_.joints[at(joint)].mimic->leader;
    return joint == other;
  }

  // --- contact filters ---

  Masks masks_of(std::size_t body) const {
    Masks masks;
    for (const int b : members_[body]) {
      for (int g = m_.body_geomadr[b]; g < m_.body_geomadr[b] + m_.body_geomnum[b]; ++g) {
        if (m_.geom_type[g] != mjGEOM_PLANE) masks.insert({m_.geom_contype[g], m_.geom_conaffinity[g]});
      }
    }
    return masks;
  }
  bool do_match(const Masks& a, const Masks& b) const {
    if (m_.opt.collision == mjCOL_PAIR) return false;
    for (const auto& [type_a, affinity_a] : a) {
      for (const auto& [type_b, affinity_b] : b) {
        if ((type_a & affinity_b) != 0 || (type_b & affinity_a) != 0) return true;
      }
    }
    return false;
  }

  /// Makes a group of bodies with the same masks that do not match each other, and lists all other pairs that do not
  /// collide.
  void add_contact_filters() {
    if (!model_.has_contact) return;
    add_contact_pairs();
    const int count = static_cast<int>(model_.bodies.size());
    std::map<Masks, Numbers> classes;
    for (int i = 0; i < count; ++i) {
      if (!model_.bodies[at(i)].shapes.empty()) classes[masks_of(at(i))].push_back(i);
    }
    for (const auto& [masks, bodies] : classes) {
      for (std::size_t p = 0; p < planes_.size(); ++p) {
        if (do_match(masks, planes_[p].masks)) continue;
        for (const int i : bodies) ignore(i, number_of_plane(static_cast<int>(p)));
      }
    }
    int group = 0;
    for (auto first = classes.begin(); first != classes.end(); ++first) {
      const bool has_fixed =
          std::any_of(first->second.begin(), first->second.end(), [&](int i) { return model_.bodies[at(i)].is_fixed; });
      if (!do_match(first->first, first->first) && !has_fixed && wanted_.empty()) {
        for (const int i : first->second) model_.bodies[at(i)].collision_group = group;
        ++group;
      } else if (!do_match(first->first, first->first)) {
        for (const int a : first->second) {
          for (const int b : first->second) ignore(a, b);
        }
      }
      for (auto second = std::next(first); second != classes.end(); ++second) {
        if (do_match(first->first, second->first)) continue;
        for (const int a : first->second) {
          for (const int b : second->second) ignore(a, b);
        }
      }
    }
    // MuJoCo lets no body touch the one that it hangs on, unless that is the world.
    if ((m_.opt.disableflags & mjDSBL_FILTERPARENT) == 0) {
      for (int b = 1; b < m_.nbody; ++b) {
        if (m_.body_weldid[b] != b) continue;
        if (const int parent = parent_of(b); parent >= 0) ignore(parent, body_of_.at(b));
      }
    }
    for (int e = 0; e < m_.nexclude; ++e) {
      add_exclude((m_.exclude_signature[e] >> 16) - 1, (m_.exclude_signature[e] & 0xFFFF) - 1);
    }
  }

  void ignore(int a, int b) {
    const Pair pair = {std::min(a, b), std::max(a, b)};
    if (a != b && wanted_.count(pair) == 0) model_.ignored_pairs.push_back(pair);
  }

  static int number_of_plane(int plane) { return -1 - plane; }

  /// Returns the numbers of the body and the planes that represent a body of MuJoCo: its own, or the one that it is
  /// welded to.
  Numbers numbers_of(int b) const {
    Numbers numbers;
    const int root = m_.body_weldid[b];
    if (const auto found = body_of_.find(root == 0 ? b : root); found != body_of_.end()) {
      numbers.push_back(found->second);
    }
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      if (planes_[p].body == b) numbers.push_back(number_of_plane(static_cast<int>(p)));
    }
    return numbers;
  }

  /// Excludes contact of two bodies, in any order; each may be the world or welded to it.
  void add_exclude(int first, int second) {
    const auto is_alone = [&](int b) {
      const auto found = body_of_.find(m_.body_weldid[b]);
      return m_.body_weldid[b] == 0 || found == body_of_.end() || members_[at(found->second)].size() == 1;
    };
    for (const int a : numbers_of(first)) {
      for (const int b : numbers_of(second)) {
        if (a >= 0 || b >= 0) ignore(a, b);
      }
    }
    for (const int b : {first, second}) {
      if (is_alone(b)) continue;
      warn(fmt::format("exclude of '{}' and '{}': all that is welded to '{}' is excluded with it",
                       label(mjOBJ_BODY, "body", first), label(mjOBJ_BODY, "body", second),
                       label(mjOBJ_BODY, "body", b)));
    }
  }

  /// Adds pairs of geoms that collide regardless of their masks, with friction of their own.
  void add_contact_pairs() {
    if (m_.opt.collision == mjCOL_DYNAMIC) return;
    std::map<Pair, double> friction_of;
    for (int p = 0; p < m_.npair; ++p) {
      const int a = number_of_geom(m_.pair_geom1[p]), b = number_of_geom(m_.pair_geom2[p]);
      const std::string names = fmt::format("{} and {}", label(mjOBJ_GEOM, "geom", m_.pair_geom1[p]),
                                            label(mjOBJ_GEOM, "geom", m_.pair_geom2[p]));
      if (a == b || (a < 0 && b < 0)) {
        omissions_.add("contact pairs of what does not move, or of one body", names);
        continue;
      }
      const Pair pair = {std::min(a, b), std::max(a, b)};
      wanted_.insert(pair);
      const mjtNum* of_pair = m_.pair_friction + 5 * p;
      const double friction = m_.pair_dim[p] > 1 ? of_pair[0] : 0.0;
      if (m_.pair_dim[p] > 1 && of_pair[0] != of_pair[1]) {
        omissions_.add("second coefficients of friction of contact pairs, which rub alike in all directions",
                       fmt::format("{}: {:g}, not {:g}", names, of_pair[0], of_pair[1]));
      }
      if (m_.pair_dim[p] > 3) omissions_.add("contact pairs' frictions against twisting and rolling", names);
      const auto [known, is_new] = friction_of.emplace(pair, friction);
      if (is_new || known->second == friction) continue;
      warn(
          fmt::format("contact pair {}: another pair of the same bodies has the friction {:g}, this one {:g}: the "
                      "larger one holds for both",
                      names, known->second, friction));
      known->second = std::max(known->second, friction);
    }
    for (const auto& [pair, friction] : friction_of) model_.friction_pairs.push_back({pair, friction});
  }
  int number_of_geom(int g) const {
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      if (planes_[p].geom == g) return number_of_plane(static_cast<int>(p));
    }
    const int b = m_.geom_bodyid[g], root = m_.body_weldid[b];
    return body_of_.at(root == 0 ? b : root);
  }

  // --- what is left ---

  void count_omissions() {
    if (!names_of_welded_.empty()) {
      std::string names;
      for (std::size_t i = 0; i < std::min<std::size_t>(8, names_of_welded_.size()); ++i) {
        names += (i == 0 ? "" : ", ") + names_of_welded_[i];
      }
      model_.notes.push_back(fmt::format("{} bodies without joints are parts of the ones that they hang on ({}{})",
                                         names_of_welded_.size(), names, names_of_welded_.size() > 8 ? ", ..." : ""));
    }
    if (num_between_ > 0) {
      model_.notes.push_back(
          fmt::format("bodies with several joints: {} bodies that touch nothing stand between these", num_between_));
    }
    for (int t = 0; t < m_.ntendon; ++t) omissions_.add("tendons", name_of(mjOBJ_TENDON, t));
    for (int s = 0; s < m_.nskin; ++s) omissions_.add("skins", name_of(mjOBJ_SKIN, s));
    for (int s = 0; s < m_.nsensor; ++s) omissions_.add("sensors", name_of(mjOBJ_SENSOR, s));
    for (int j = 0; j < m_.njnt; ++j) {
      if (m_.jnt_type[j] == mjJNT_HINGE || m_.jnt_type[j] == mjJNT_SLIDE) continue;
      const std::string joint = name_of(mjOBJ_JOINT, j);
      if (m_.dof_armature[m_.jnt_dofadr[j]] > 0.0) omissions_.add("armatures of ball and free joints", joint);
      if (friction_of(j) > 0.0) omissions_.add("dry frictions of ball and free joints", joint);
    }
    if (m_.opt.density > 0.0 || m_.opt.viscosity > 0.0) omissions_.add("mediums with density or viscosity", "");
  }

  const mjModel& m_;
  mjData& d_;
  Issues& issues_;
  RobotModel model_;
  RobotOmissions omissions_;
  Motors motors_;
  std::map<int, int> body_of_;       // key: MuJoCo's number of a weld's root, or of a fixed body with shapes
  std::map<int, int> joint_of_;      // key: MuJoCo's number
  std::map<int, Numbers> geoms_of_;  // the shapes of a body; key as in body_of_
  std::vector<Numbers> members_;     // per body: the MuJoCo bodies it consists of
  struct Plane {
    int geom, body;  // MuJoCo's
    Masks masks;
  };
  std::vector<Plane> planes_;  // in the order of the model's planes
  std::vector<std::string> names_of_welded_;
  std::set<Pair> wanted_;  // pairs that collide regardless of their masks
  int num_between_ = 0;
};

/// Puts joints that follow others where those lead them; returns the number of joints that this moves. In a chain, a
/// follower comes after its leader, in whatever order the constraints are given.
int place_coupled_joints(const mjModel& m, mjData& d) {
  if ((m.opt.disableflags & (mjDSBL_EQUALITY | mjDSBL_CONSTRAINT)) != 0) return 0;
  std::set<int> moved;
  for (int round = 0; round < m.neq; ++round) {
    for (int e = 0; e < m.neq; ++e) {
      if (m.eq_type[e] != mjEQ_JOINT || m.eq_active[e] == 0 || m.eq_obj2id[e] < 0) continue;
      const int q = m.jnt_qposadr[m.eq_obj1id[e]], lead = m.jnt_qposadr[m.eq_obj2id[e]];
      const mjtNum* a = m.eq_data + mjNEQDATA * e;
      const double place = m.qpos0[q] + a[0] + a[1] * (d.qpos[lead] - m.qpos0[lead]);
      if (std::abs(place - d.qpos[q]) < 1e-12) continue;
      d.qpos[q] = place;
      moved.insert(q);
    }
  }
  return static_cast<int>(moved.size());
}

// MuJoCo ends the program after an error, so that its message is printed first.
std::string last_words;  // NOLINT
void on_warning(const char* text) {
  last_words += (last_words.empty() ? "" : "; ") + std::string(text);
}
[[noreturn]] void on_error(const char* text) {
  std::fprintf(stderr, "libmujoco: %s\n", text);
  std::exit(2);
}

}  // namespace

std::optional<RobotModel> read_mjcf(const std::filesystem::path& path, Issues& issues) {
  mju_user_error = on_error;
  mju_user_warning = on_warning;
  const MjModelPointer model = compile_mjcf(path, issues);
  if (!model) return std::nullopt;
  const std::unique_ptr<mjData, DataDeleter> data(mj_makeData(model.get()));
  if (model->nkey > 0) {
    mj_resetDataKeyframe(model.get(), data.get(), 0);
    const char* name = mj_id2name(model.get(), mjOBJ_KEY, 0);
    issues.push_back({"", "", "",
                      fmt::format("starts as keyframe {} of {} has it", name == nullptr ? "0" : name, model->nkey),
                      Severity::warning});
  }
  if (const int count = place_coupled_joints(*model, *data); count > 0) {
    issues.push_back({"", "", "",
                      fmt::format("{} joints start where those that they follow (equality) lead them", count),
                      Severity::warning});
  }
  mj_kinematics(model.get(), data.get());
  mj_comPos(model.get(), data.get());
  mj_comVel(model.get(), data.get());
  RobotModel robot = Reader(*model, *data, issues).read();
  if (!last_words.empty()) issues.push_back({"", "", "", "libmujoco: " + last_words, Severity::warning});
  return robot;
}

}  // namespace clearance::robot

#endif
