#include "clearance/io/robot/robot_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>
#include <set>
#include <utility>

#include "clearance/geometry/mass_properties.h"
#include "clearance/io/robot/robot_overlaps.h"
#include "clearance/io/robot/shape_inertia.h"
#include "clearance/io/robot/shape_mesh.h"
#include "clearance/math/elementary.h"
#include "clearance/math/rotation.h"

namespace clearance {

namespace {

/// Returns the rotation that turns the z axis into the y axis.
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

// The sides of a body that can roll would rest on slopes of 0.9 degrees if contact were infinitely thin. With dhat, a
// thousandth of a body's size, a cylinder of 192 sides that rolls down 5 degrees for 2 s is 0.1 % short, of 96 sides
// 0.6 %, of 36 sides 14 %. Legs and arms do not roll.
constexpr int sides_of_rollers = 192, sides_of_others = 64, fewest_sides = 16;
/// Sides of spheres and capsules that collide as such, in pictures.
constexpr int sides_in_pictures = 24;
constexpr double most_round_vertices = 2e5;

bool is_sphere_or_capsule(const RobotShape& shape) {
  if (shape.kind == RobotShapeKind::capsule) return true;
  return shape.kind == RobotShapeKind::ellipsoid && shape.size[0] == shape.size[1] && shape.size[1] == shape.size[2];
}

CapsuleDesc capsule_of(const RobotShape& shape) {
  if (shape.kind == RobotShapeKind::ellipsoid) return {shape.size[0], {shape.pose.position}};
  const Vec<3> half = shape.size[1] * shape.pose.rotation.col(2);
  return {shape.size[0], {shape.pose.position - half, shape.pose.position + half}};
}

/// Returns the shape with a radius that its polyhedron of that many sides does not reach into.
RobotShape around(RobotShape shape, int sides) {
  const double factor = 1.0 / elementary::cos(std::numbers::pi / sides);
  shape.size[0] *= factor * factor;
  if (shape.kind == RobotShapeKind::ellipsoid) shape.size = Vec<3>::Constant(shape.size[0]);
  return shape;
}

/// Returns a list of names, shortened.
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
    // The motion of a robot must be accurate, not only stable: implicit Euler takes a percent of a swing's energy in a
    // step. But where a joint stops at a limit, methods of second order make energy (a humanoid that falls: a third of
    // it).
    const bool has_limits = std::any_of(model_.joints.begin(), model_.joints.end(),
                                        [](const RobotJoint& joint) { return joint.lower || joint.upper; });
    if (!has_limits) scene_.time.integrator = TimeIntegrator::bdf2_restarted;
    scene_.contact.enabled = model_.has_contact;
    // A body that rests on another touches it, but contact here must begin with a gap.
    scene_.start.overlaps = OverlapHandling::separate;
    scene_.friction.coefficient = model_.friction.value_or(0.0);
    scene_.controls = model_.controls;
    for (auto pair : model_.ignored_pairs) {
      std::sort(pair.begin(), pair.end());
      ignored_.insert(pair);
    }
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
    for (const RobotFrictionPair& pair : model_.friction_pairs) {
      if (!may_meet(pair.bodies)) continue;
      scene_.friction.pairs.push_back({{name_of(pair.bodies[1]), name_of(pair.bodies[0])}, pair.friction});
    }
    return std::move(scene_);
  }

 private:
  void note(std::string message) { notes_.push_back({"", "", "", std::move(message), Severity::warning}); }
  const RobotBody& body(std::size_t b) const { return model_.bodies[b]; }

  /// Numbers the mechanisms. Bodies that joints hold together share a number; those held to the world have that of its
  /// fixed parts.
  void find_mechanisms() {
    const std::size_t count = model_.bodies.size();
    mechanism_.resize(count + 1);
    std::iota(mechanism_.begin(), mechanism_.end(), 0);
    const auto root = [&](std::size_t b) {
      while (mechanism_[b] != static_cast<int>(b)) b = mechanism_[b];
      return b;
    };
    const auto join = [&](std::size_t a, std::size_t b) { mechanism_[root(a)] = static_cast<int>(root(b)); };
    for (std::size_t b = 0; b < count; ++b) {
      if (body(b).is_fixed) join(b, count);
    }
    for (const RobotJoint& joint : model_.joints) {
      join(joint.body, joint.parent < 0 ? count : joint.parent);
    }
    for (std::size_t b = 0; b <= count; ++b) mechanism_[b] = static_cast<int>(root(b));
  }
  bool is_free(std::size_t b) const { return mechanism_[b] != mechanism_.back(); }

  /// Makes the meshes in the frames of the bodies. A body without a shape becomes an octahedron whose size follows from
  /// its inertia.
  void make_meshes() {
    std::vector<std::string> shapeless;
    const std::vector<int> sides = choose_sides();
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      const RobotBody& of = body(b);
      meshes_.push_back(mesh_of_shapes(of.shapes, sides[b]));
      lift_.push_back(Vec<3>::Zero());
      if (!of.shapes.empty()) continue;
      const RobotInertia inertia = of.inertia.value_or(RobotInertia{});
      const double gyration = inertia.mass > 0.0 ? std::sqrt(0.5 * inertia.tensor.trace() / inertia.mass) : 0.0;
      const double size = of.is_link_between ? 0.3 * gyration : gyration;  // an auxiliary body lies within others
      meshes_.back() = octahedron(inertia.center, std::max(size, 1e-3));
      if (!of.is_link_between) shapeless.push_back(of.name);
    }
    if (!shapeless.empty()) {
      note(fmt::format("{} bodies have no shape that collides ({}); small octahedra that do not collide represent them",
                       shapeless.size(), listed(shapeless)));
    }
  }

  /// Returns the number of sides of the round shapes of each body.
  std::vector<int> choose_sides() {
    std::vector<int> sides;
    double num_vertices = 0.0;
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      const int usual = is_round(b) ? sides_in_pictures : may_roll(b) ? sides_of_rollers : sides_of_others;
      sides.push_back(model_.sides > 0 ? model_.sides : usual);
      if (is_round(b)) continue;
      for (const RobotShape& shape : body(b).shapes) num_vertices += num_vertices_of_round(shape, sides[b]);
    }
    if (model_.sides > 0 && model_.sides < sides_of_others && num_vertices > 0.0) {
      note(
          fmt::format("faceted_rolling: round shapes have {} sides, on which they stand on slopes of up to {:.2g} "
                      "degrees",
                      sides_at_least(model_.sides), 180.0 / sides_at_least(model_.sides)));
    }
    if (model_.sides > 0 || num_vertices <= most_round_vertices) return sides;
    // The vertices of balls and capsules grow with the square of the number of sides.
    const double share = std::sqrt(most_round_vertices / num_vertices);
    for (std::size_t b = 0; b < sides.size(); ++b) {
      if (!is_round(b)) sides[b] = std::max(fewest_sides, static_cast<int>(sides[b] * share));
    }
    int fewest = sides_of_rollers, most = fewest_sides;
    for (std::size_t b = 0; b < sides.size(); ++b) {
      if (is_round(b)) continue;
      fewest = std::min(fewest, sides[b]);
      most = std::max(most, sides[b]);
    }
    note(fmt::format(
        "faceted_rolling: because there are many round shapes, they get {} to {} sides instead of {} to {}; a shape "
        "with n sides stays at rest on slopes up to 180/n degrees; `--set robot.sides=N` gives all of them N sides",
        sides_at_least(fewest), sides_at_least(most), sides_of_others, sides_of_rollers));
    return sides;
  }

  /// True if the body moves and collides as spheres and capsules, which need no sides.
  bool is_round(std::size_t b) const {
    const std::vector<RobotShape>& shapes = body(b).shapes;
    return may_touch(b) && !body(b).is_fixed && std::all_of(shapes.begin(), shapes.end(), is_sphere_or_capsule);
  }

  /// True if the body is free by itself, or is a wheel or a caster: one that turns about the middle of one of its round
  /// shapes.
  bool may_roll(std::size_t b) const {
    if (body(b).is_fixed || body(b).keeps_orientation) return false;
    bool is_alone = true;
    for (const RobotJoint& joint : model_.joints) {
      const bool is_its_own = joint.body == static_cast<int>(b);
      is_alone = is_alone && !is_its_own && joint.parent != static_cast<int>(b);
      if (!is_its_own || joint.kind == JointKind::slider || joint.kind == JointKind::fixed) continue;
      for (const RobotShape& shape : body(b).shapes) {
        if (turns_about_middle(body(b).pose * shape.pose, shape, joint)) return true;
      }
    }
    return is_alone;
  }
  /// True if the joint turns the shape about its middle. `pose` is that of the shape in the world.
  static bool turns_about_middle(const RobotPose& pose, const RobotShape& shape, const RobotJoint& joint) {
    constexpr double is_near = 0.05, is_parallel = 0.999;  // of the radius; cosine
    if (shape.kind == RobotShapeKind::box || shape.kind == RobotShapeKind::mesh) return false;
    const bool is_ball = shape.kind == RobotShapeKind::ellipsoid;
    const Vec<3> axis = joint.axis.normalized(), arm = pose.position - joint.point;
    const Vec<3> off = joint.kind == JointKind::ball ? arm : Vec<3>(arm - arm.dot(axis) * axis);
    if (off.norm() > is_near * shape.size[0]) return false;
    return is_ball || (joint.kind == JointKind::hinge && std::abs(pose.rotation.col(2).dot(axis)) > is_parallel);
  }

  /// Returns points of the body, in its frame, that contain it together with balls of the given radii about them.
  std::vector<std::pair<Vec<3>, double>> extremes(std::size_t b) const {
    std::vector<std::pair<Vec<3>, double>> points;
    if (!is_round(b)) {
      for (const Vec<3>& v : meshes_[b].vertices) points.emplace_back(v, 0.0);
      return points;
    }
    for (const RobotShape& shape : body(b).shapes) {
      const CapsuleDesc capsule = capsule_of(shape);
      for (const Vec<3>& end : capsule.ends) points.emplace_back(end, capsule.radius);
    }
    return points;
  }

  /// Returns a mesh around the body where it starts.
  Mesh placed_mesh(std::size_t b) const {
    Mesh mesh = meshes_[b];
    if (is_round(b)) {
      std::vector<RobotShape> shapes;
      for (const RobotShape& shape : body(b).shapes) shapes.push_back(around(shape, sides_in_pictures));
      mesh = mesh_of_shapes(shapes, sides_in_pictures);
    }
    for (Vec<3>& v : mesh.vertices) v = body(b).pose.apply(v) + lift_[b];
    return mesh;
  }
  bool may_touch(std::size_t b) const { return body(b).collides && !body(b).shapes.empty(); }
  /// True if a pair may meet. The pair consists of two bodies, or of -1 - plane and a body.
  bool may_meet(const std::array<int, 2>& pair) const {
    return std::all_of(pair.begin(), pair.end(), [&](int b) { return b < 0 || may_touch(b); });
  }
  std::string name_of(int b) const { return b < 0 ? fmt::format("half_spaces[{}]", -1 - b) : scene_.bodies[b].name; }
  bool ignores(std::size_t plane, std::size_t b) const {
    return ignored_.count({-1 - static_cast<int>(plane), static_cast<int>(b)}) > 0;
  }

  /// Lifts mechanisms off planes that they touch or penetrate, such as feet on the floor, because contact starts with a
  /// gap.
  void lift_off_planes() {
    if (!model_.has_contact) return;
    for (std::size_t p = 0; p < model_.planes.size(); ++p) {
      const RobotPlane& plane = model_.planes[p];
      const Vec<3> normal = plane.normal.normalized();
      std::vector<double> missing(mechanism_.size(), 0.0);
      for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
        if (!may_touch(b) || !is_free(b) || ignores(p, b)) continue;
        double& most = missing[mechanism_[b]];
        const double gap = 1e-3 * bounding_box(meshes_[b].vertices).diagonal();
        for (const auto& [place, radius] : extremes(b)) {
          most = std::max(most, gap + radius - normal.dot(body(b).pose.apply(place) + lift_[b] - plane.point));
        }
      }
      for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
        const double by = is_free(b) ? missing[mechanism_[b]] : 0.0;
        lift_[b] += by * normal;
        if (by == 0.0 || mechanism_[b] != static_cast<int>(b)) continue;
        note(fmt::format("'{}' starts on a plane and was lifted by {:.3g} m, with everything that is joined to it",
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
    if (is_round(b)) std::transform(of.shapes.begin(), of.shapes.end(), std::back_inserter(desc.capsules), capsule_of);
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
    CheckedInertia checked;
    if (of.inertia) {
      checked = check_inertia(*of.inertia, of.shapes);
      if (!checked.told.empty()) note(fmt::format("body '{}': {}", desc.name, checked.told));
    } else {
      // The scene determines the thickness of shapes that are not closed.
      const bool is_solid = are_solid(of.shapes);
      if (is_solid) checked.inertia = inertia_of_shapes(of.shapes, usual_density);
      note(fmt::format("body '{}' has no mass in the model; its shape gets the density of water{}", desc.name,
                       is_solid ? fmt::format(", {:.4g} kg", checked.inertia.mass) : ""));
      if (!is_solid) return;
    }
    const Mat<3>& tensor = checked.inertia.tensor;
    desc.mass = checked.inertia.mass;
    desc.center_of_mass = checked.inertia.center;
    desc.inertia = InertiaDesc{tensor.diagonal(), Vec<3>(tensor(0, 1), tensor(0, 2), tensor(1, 2))};
  }

  void add_joint(const RobotJoint& of, std::size_t j) {
    const bool is_hinge = of.kind == JointKind::hinge;
    const double unit = is_hinge ? 1.0 / radians_per_degree : 1.0;
    const auto in_scene = [&](const std::string& formula) {
      return formula.empty() || !is_hinge ? formula : fmt::format("(180 / pi) * ({})", formula);
    };
    JointDesc desc;
    desc.name = unique_name(of.name, "joint", j, taken_joints_);
    desc.kind = of.kind;
    // A fixed part of the world is an obstacle, and no joint holds an obstacle; the joint holds to the world instead.
    const bool is_to_world = of.parent < 0 || body(of.parent).is_fixed;
    desc.bodies = {name_of(of.body), is_to_world ? "" : name_of(of.parent)};
    desc.point = upright() * (of.point + lift_[of.body]);
    desc.axis = upright() * of.axis;
    if (of.lower) desc.lower = unit * *of.lower;
    if (of.upper) desc.upper = unit * *of.upper;
    extend_limits(desc);
    desc.drive = in_scene(of.drive);
    desc.effort = of.effort;
    desc.stiffness = of.stiffness;
    desc.rest = of.stiffness > 0.0 ? in_scene(of.rest) : "";
    desc.damping = of.damping;
    desc.friction = of.friction;
    desc.armature = of.armature;
    scene_.joints.push_back(std::move(desc));
  }

  /// Moves a limit that the joint violates at the start to the start.
  void extend_limits(JointDesc& desc) {
    if (!(desc.lower && *desc.lower > 0.0) && !(desc.upper && *desc.upper < 0.0)) return;
    note(fmt::format("joint '{}' starts beyond a limit; the limit was moved to where the joint starts", desc.name));
    if (desc.lower) desc.lower = std::min(*desc.lower, 0.0);
    if (desc.upper) desc.upper = std::max(*desc.upper, 0.0);
  }

  void add_mimic(std::size_t j) {
    const std::optional<RobotMimic>& mimic = model_.joints[j].mimic;
    if (!mimic) return;
    const auto unit_of = [](const JointDesc& desc) {
      return desc.kind == JointKind::hinge ? 1.0 / radians_per_degree : 1.0;
    };
    const JointDesc& leader = scene_.joints[mimic->leader];
    const double unit = unit_of(scene_.joints[j]), unit_of_leader = unit_of(leader);
    const double multiplier = unit == unit_of_leader ? mimic->multiplier : mimic->multiplier * unit / unit_of_leader;
    scene_.joints[j].mimic = MimicDesc{leader.name, multiplier, unit * mimic->offset};
  }

  void add_ignored_pairs() {
    std::vector<std::array<int, 2>> pairs(ignored_.begin(), ignored_.end());
    // Fixed bodies meet neither each other nor planes.
    const auto is_fixed = [&](int b) { return b < 0 || body(b).is_fixed; };
    std::erase_if(pairs, [&](const auto& pair) { return !may_meet(pair) || (is_fixed(pair[0]) && is_fixed(pair[1])); });
    if (model_.has_contact) {
      std::vector<Mesh> placed;
      for (std::size_t b = 0; b < model_.bodies.size(); ++b) placed.push_back(may_touch(b) ? placed_mesh(b) : Mesh());
      std::vector<std::string> names;
      for (const auto& pair : find_overlaps(placed, mechanism_, pairs)) {
        const std::size_t a = pair[0], b = pair[1];
        if (body(a).is_fixed && body(b).is_fixed) continue;
        const bool is_one_group = body(a).collision_group >= 0 && body(a).collision_group == body(b).collision_group;
        if (is_one_group) continue;
        names.push_back(fmt::format("'{}' and '{}'", scene_.bodies[a].name, scene_.bodies[b].name));
        pairs.push_back(pair);
      }
      if (!names.empty()) {
        note(
            fmt::format("{} pairs of bodies of the same mechanism overlap at the start and are allowed to pass through "
                        "each other: {}",
                        names.size(), listed(names)));
      }
    }
    for (const auto& [a, b] : pairs) {
      scene_.contact.ignored_pairs.push_back({{name_of(a < 0 ? b : a), name_of(a < 0 ? a : b)}});
    }
  }

  const RobotModel& model_;
  Issues& notes_;
  SceneDesc scene_;
  std::set<std::array<int, 2>> ignored_;  // ascending; -1 - plane for a plane
  std::vector<int> mechanism_;            // per body, and of the world
  std::vector<Mesh> meshes_;              // per body, in its frame
  std::vector<Vec<3>> lift_;              // [m] per body, in the model
  std::set<std::string> taken_bodies_, taken_joints_;
};

}  // namespace

SceneDesc scene_of_robot(const RobotModel& model, Issues& notes) {
  return SceneMaker(model, notes).make();
}

}  // namespace clearance
