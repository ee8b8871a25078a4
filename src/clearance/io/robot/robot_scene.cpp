#include "clearance/io/robot/robot_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "clearance/geometry/mass_properties.h"
#include "clearance/io/robot/robot_overlaps.h"
#include "clearance/io/robot/shape_mesh.h"
#include "clearance/math/rotation.h"
#include "clearance/scene/body_inertia.h"

namespace clearance {

namespace {

/// z becomes y.
Mat<3> upright() {
  Mat<3> turn;
  turn << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  return turn;
}

std::string unique_name(std::string name, const std::string& kind, std::size_t number, std::set<std::string>& taken) {
  if (name.empty()) name = fmt::format("{} {}", kind, number);
  // `link[3]` is the fourth copy of a body.
  std::replace(name.begin(), name.end(), '[', '(');
  std::replace(name.begin(), name.end(), ']', ')');
  const std::string base = name;
  for (int next = 2; !taken.insert(name).second; ++next) name = fmt::format("{} {}", base, next);
  return name;
}

/// A list of names, shortened.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t max_names = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(max_names, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > max_names ? text + ", ..." : text;
}

class SceneMaker {
 public:
  SceneMaker(const RobotModel& model, Issues& notes) : model_(model), notes_(notes) {}

  SceneDesc make() {
    scene_.name = model_.name;
    scene_.gravity = upright() * model_.gravity;
    scene_.time.step = 0.005;
    scene_.time.duration = 1.0;
    // What a robot does is to be right, not only stable: implicit Euler takes a percent of a swing's energy in a step.
    // But where a joint stops at a limit, methods of second order make energy (a humanoid that falls: a third of it).
    const bool has_limits = std::any_of(model_.joints.begin(), model_.joints.end(),
                                        [](const RobotJoint& joint) { return joint.lower || joint.upper; });
    if (!has_limits) scene_.time.integrator = TimeIntegrator::bdf2_restarted;
    scene_.contact.enabled = model_.has_contact;
    // What rests on another body touches it, which contact here does not begin with.
    scene_.start.overlaps = OverlapHandling::separate;
    scene_.friction.coefficient = model_.friction.value_or(0.0);
    scene_.controls = model_.controls;
    find_mechanisms();
    make_meshes();
    lift_off_planes();
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) add_body(b);
    for (std::size_t j = 0; j < model_.joints.size(); ++j) add_joint(model_.joints[j], j);
    for (std::size_t j = 0; j < model_.joints.size(); ++j) add_mimic(j);
    for (const RobotPlane& plane : model_.planes) {
      scene_.half_spaces.push_back(
          {.point = upright() * plane.point, .normal = upright() * plane.normal, .friction = plane.friction});
    }
    add_ignored_pairs();
    return std::move(scene_);
  }

 private:
  void note(std::string message) { notes_.push_back({"", "", "", std::move(message), Severity::warning}); }
  const RobotBody& body(std::size_t b) const { return model_.bodies[b]; }

  /// Bodies that joints hold together have one number; those held to the world that of its fixed parts.
  void find_mechanisms() {
    const std::size_t count = model_.bodies.size();
    mechanism_.resize(count + 1);
    std::iota(mechanism_.begin(), mechanism_.end(), 0);
    const auto root = [&](std::size_t b) {
      while (mechanism_[b] != static_cast<int>(b)) b = static_cast<std::size_t>(mechanism_[b]);
      return b;
    };
    const auto join = [&](std::size_t a, std::size_t b) { mechanism_[root(a)] = static_cast<int>(root(b)); };
    for (std::size_t b = 0; b < count; ++b) {
      if (body(b).is_fixed) join(b, count);
    }
    for (const RobotJoint& joint : model_.joints) {
      join(static_cast<std::size_t>(joint.body), joint.parent < 0 ? count : static_cast<std::size_t>(joint.parent));
    }
    for (std::size_t b = 0; b <= count; ++b) mechanism_[b] = static_cast<int>(root(b));
  }
  bool is_free(std::size_t b) const { return mechanism_[b] != mechanism_.back(); }

  /// In the frames of the bodies; what has no shape is an octahedron as large as its inertia tells.
  void make_meshes() {
    std::vector<std::string> shapeless;
    for (const RobotBody& of : model_.bodies) {
      meshes_.push_back(mesh_of_shapes(of.shapes));
      lift_.push_back(Vec<3>::Zero());
      if (!of.shapes.empty()) continue;
      const RobotInertia inertia = of.inertia.value_or(RobotInertia{});
      const double gyration = inertia.mass > 0.0 ? std::sqrt(0.5 * inertia.tensor.trace() / inertia.mass) : 0.0;
      const double size = of.is_link_between ? 0.3 * gyration : gyration;  // those are within others
      meshes_.back() = octahedron(inertia.center, std::max(size, 1e-3));
      if (!of.is_link_between) shapeless.push_back(of.name);
    }
    if (!shapeless.empty()) {
      note(fmt::format("{} bodies have no shape that collides ({}): small octahedra that touch nothing stand for them",
                       shapeless.size(), listed(shapeless)));
    }
  }

  Mesh placed_mesh(std::size_t b) const {
    Mesh mesh = meshes_[b];
    for (Vec<3>& v : mesh.vertices) v = body(b).pose.apply(v) + lift_[b];
    return mesh;
  }
  bool may_touch(std::size_t b) const { return body(b).collides && !body(b).shapes.empty(); }

  /// Feet that stand exactly on the floor, or in it: contact starts with a gap.
  void lift_off_planes() {
    if (!model_.has_contact) return;
    for (const RobotPlane& plane : model_.planes) {
      const Vec<3> normal = plane.normal.normalized();
      std::vector<double> missing(mechanism_.size(), 0.0);
      for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
        if (!may_touch(b) || !is_free(b)) continue;
        const Mesh mesh = placed_mesh(b);
        const double gap = 1e-3 * bounding_box(mesh.vertices).diagonal();
        for (const Vec<3>& v : mesh.vertices) {
          double& most = missing[static_cast<std::size_t>(mechanism_[b])];
          most = std::max(most, gap - normal.dot(v - plane.point));
        }
      }
      for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
        const double by = is_free(b) ? missing[static_cast<std::size_t>(mechanism_[b])] : 0.0;
        lift_[b] += by * normal;
        if (by == 0.0 || mechanism_[b] != static_cast<int>(b)) continue;
        note(fmt::format("'{}', with all that is joined to it, touches a plane where it starts: lifted by {:.3g} m",
                         body(b).name, by));
      }
    }
  }

  void add_body(std::size_t b) {
    const RobotBody& of = body(b);
    BodyDesc desc;
    desc.name = unique_name(of.name, "body", b, taken_bodies_);
    desc.kind = of.is_fixed ? BodyKind::obstacle : BodyKind::affine;
    desc.geometry = GeometryDesc{meshes_[b].vertices, {}, meshes_[b].triangles};
    desc.transform.rotation = euler_xyz_from_rotation(upright() * of.pose.rotation);
    desc.transform.translation = upright() * (of.pose.position + lift_[b]);
    desc.collides = may_touch(b);
    desc.collision_group = of.collision_group;
    desc.friction = of.friction;
    if (!of.is_fixed) {
      add_inertia(of, desc);
      desc.linear_velocity = upright() * of.linear_velocity;
      desc.angular_velocity = upright() * of.angular_velocity / radians_per_degree;
      if (of.keeps_orientation) desc.fixed_rotation = {true, true, true};
    }
    scene_.bodies.push_back(std::move(desc));
  }

  void add_inertia(const RobotBody& of, BodyDesc& desc) {
    if (!of.inertia) {
      note(fmt::format("body '{}' has no mass in the model: its shape has the density of water", desc.name));
      return;
    }
    const RobotInertia& inertia = *of.inertia;
    desc.mass = inertia.mass;
    desc.center_of_mass = inertia.center;
    const Mat<3>& tensor = inertia.tensor;
    desc.inertia = InertiaDesc{tensor.diagonal(), Vec<3>(tensor(0, 1), tensor(0, 2), tensor(1, 2))};
    if (tensor.diagonal().minCoeff() > 0.0 && is_inertia_of_a_body(*desc.inertia)) return;
    note(
        fmt::format("body '{}' has an inertia that no body has (Ixx {:g}, Iyy {:g}, Izz {:g} kg m^2): that of its "
                    "shape stands for it",
                    desc.name, tensor(0, 0), tensor(1, 1), tensor(2, 2)));
    desc.inertia.reset();
  }

  void add_joint(const RobotJoint& of, std::size_t j) {
    const auto name_of = [&](int b) { return b < 0 ? std::string() : scene_.bodies[static_cast<std::size_t>(b)].name; };
    const bool is_hinge = of.kind == JointKind::hinge;
    const double unit = is_hinge ? 1.0 / radians_per_degree : 1.0;
    const auto in_scene = [&](const std::string& formula) {
      return formula.empty() || !is_hinge ? formula : fmt::format("(180 / pi) * ({})", formula);
    };
    JointDesc desc;
    desc.name = unique_name(of.name, "joint", j, taken_joints_);
    desc.kind = of.kind;
    // A fixed part of the world is an obstacle, which no joint holds: the world does.
    const bool is_to_world = of.parent < 0 || body(static_cast<std::size_t>(of.parent)).is_fixed;
    desc.bodies = {name_of(of.body), is_to_world ? "" : name_of(of.parent)};
    desc.point = upright() * (of.point + lift_[static_cast<std::size_t>(of.body)]);
    desc.axis = upright() * of.axis;
    if (of.lower) desc.lower = unit * *of.lower;
    if (of.upper) desc.upper = unit * *of.upper;
    let_back(desc);
    desc.drive = in_scene(of.drive);
    desc.effort = of.effort;
    desc.stiffness = of.stiffness;
    desc.rest = of.stiffness > 0.0 ? in_scene(of.rest) : "";
    desc.damping = of.damping;
    scene_.joints.push_back(std::move(desc));
  }

  /// A joint that starts beyond a limit is let back, but no further.
  void let_back(JointDesc& desc) {
    if (!(desc.lower && *desc.lower > 0.0) && !(desc.upper && *desc.upper < 0.0)) return;
    note(fmt::format("joint '{}' starts beyond a limit: that lies where it starts", desc.name));
    if (desc.lower) desc.lower = std::min(*desc.lower, 0.0);
    if (desc.upper) desc.upper = std::max(*desc.upper, 0.0);
  }

  void add_mimic(std::size_t j) {
    const std::optional<RobotMimic>& mimic = model_.joints[j].mimic;
    if (!mimic) return;
    const auto unit_of = [](const JointDesc& desc) {
      return desc.kind == JointKind::hinge ? 1.0 / radians_per_degree : 1.0;
    };
    const JointDesc& leader = scene_.joints[static_cast<std::size_t>(mimic->leader)];
    const double unit = unit_of(scene_.joints[j]), unit_of_leader = unit_of(leader);
    const double multiplier = unit == unit_of_leader ? mimic->multiplier : mimic->multiplier * unit / unit_of_leader;
    scene_.joints[j].mimic = MimicDesc{leader.name, multiplier, unit * mimic->offset};
  }

  void add_ignored_pairs() {
    std::vector<std::array<int, 2>> pairs = model_.ignored_pairs;
    for (auto& pair : pairs) std::sort(pair.begin(), pair.end());
    std::erase_if(pairs, [&](const auto& pair) {
      return !may_touch(static_cast<std::size_t>(pair[0])) || !may_touch(static_cast<std::size_t>(pair[1]));
    });
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    if (model_.has_contact) {
      std::vector<Mesh> placed;
      for (std::size_t b = 0; b < model_.bodies.size(); ++b) placed.push_back(may_touch(b) ? placed_mesh(b) : Mesh());
      std::vector<std::string> names;
      for (const auto& pair : find_overlaps(placed, mechanism_, pairs)) {
        const auto a = static_cast<std::size_t>(pair[0]), b = static_cast<std::size_t>(pair[1]);
        if (body(a).is_fixed && body(b).is_fixed) continue;
        const bool is_one_group = body(a).collision_group >= 0 && body(a).collision_group == body(b).collision_group;
        if (is_one_group) continue;
        names.push_back(fmt::format("'{}' and '{}'", scene_.bodies[a].name, scene_.bodies[b].name));
        pairs.push_back(pair);
      }
      if (!names.empty()) {
        note(
            fmt::format("{} pairs of bodies of one mechanism overlap where they start, and pass through each other: "
                        "{}",
                        names.size(), listed(names)));
      }
    }
    for (const auto& [a, b] : pairs) {
      scene_.contact.ignored_pairs.push_back(
          {{scene_.bodies[static_cast<std::size_t>(a)].name, scene_.bodies[static_cast<std::size_t>(b)].name}});
    }
  }

  const RobotModel& model_;
  Issues& notes_;
  SceneDesc scene_;
  std::vector<int> mechanism_;  // per body, and of the world
  std::vector<Mesh> meshes_;    // per body, in its frame
  std::vector<Vec<3>> lift_;    // [m] per body, in the model
  std::set<std::string> taken_bodies_, taken_joints_;
};

}  // namespace

SceneDesc scene_of_robot(const RobotModel& model, Issues& notes) {
  return SceneMaker(model, notes).make();
}

}  // namespace clearance
