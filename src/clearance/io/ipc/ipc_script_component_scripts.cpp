// Named scripts that move whole shapes (DCO), colliders of `meshCO` (MCO) or half-spaces (ACO).
#include <fmt/format.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "clearance/io/ipc/ipc_script_actions.h"
#include "clearance/math/elementary.h"

namespace clearance {
namespace {

using Actions = IpcActions;

struct AxisRate {
  int axis;
  double rate;  ///< [rad/s]
};

bool has_at_least(Actions& a, std::size_t needed, std::size_t found, const char* what) {
  if (found >= needed) return true;
  a.error(fmt::format("the script needs {} {}, found {}", needed, what, found), a.model.script.script);
  return false;
}
bool has_shapes(Actions& a, std::size_t needed) {
  return has_at_least(a, needed, a.model.shapes.size(), "shapes");
}

std::size_t body_of_obstacle(const Actions& a, std::size_t i) {
  return a.model.shapes.size() + i;
}

void add(Actions& a, std::size_t body, const MotionDesc& motion) {
  if (motion.end > motion.start) a.model.scene.bodies[body].motions.push_back(motion);
}

MotionDesc spin(const AxisRate& turn, const Vec<3>& center) {
  MotionDesc motion;
  motion.angular_velocity[turn.axis] = turn.rate * 180.0 / std::numbers::pi;
  motion.center = center;
  return motion;
}

void spin_shapes(Actions& a, const std::vector<AxisRate>& turns) {
  if (!has_shapes(a, turns.size())) return;
  for (std::size_t i = 0; i < turns.size(); ++i) add(a, i, spin(turns[i], a.model.shapes[i].box().center()));
}

// Moves a body in until `turn`, then out.
void move_in_and_out(Actions& a, std::size_t body, const Vec<3>& velocity, double turn) {
  MotionDesc in = Actions::linear(velocity), out = Actions::linear(Vec<3>::Zero() - velocity);
  in.end = out.start = turn;
  add(a, body, in);
  add(a, body, out);
}

// Returns the direction in which a wall approaches its partner. The pairs of walls lie along x, y, z.
Vec<3> towards_partner(std::size_t wall) {
  Vec<3> velocity = Vec<3>::Zero();
  velocity[static_cast<Eigen::Index>(wall / 2)] = wall % 2 == 0 ? 1.0 : -1.0;
  return velocity;
}

// Moves pairs of shapes together at 1 m/s, and back once the first pair is nearer than 0.1 m.
void squash_with_shapes(Actions& a, std::size_t num_walls) {
  if (!has_shapes(a, num_walls)) return;
  const double gap = a.model.shapes[1].box().min[0] - a.model.shapes[0].box().max[0];
  const double turn = a.time_to_pass(gap - 0.1, 2.0);
  for (std::size_t i = 0; i < num_walls; ++i) move_in_and_out(a, i, towards_partner(i), turn);
}

// Moves the second half of the components down on the first until they are 0.1 m apart.
void squash_beds(Actions& a) {
  long long num_components = 0, component = 0;
  for (const PlacedShape& shape : a.model.shapes) num_components += shape.num_copies();
  Box lower, upper;
  std::vector<std::size_t> moving;
  for (std::size_t i = 0; i < a.model.shapes.size(); ++i) {
    const PlacedShape& shape = a.model.shapes[i];
    const bool is_moving = component >= (num_components + 1) / 2;
    component += shape.num_copies();
    if (shape.is_deformable) continue;
    Box& bed = is_moving ? upper : lower;
    bed.add(shape.box().min);
    bed.add(shape.box().max);
    if (is_moving) moving.push_back(i);
  }
  MotionDesc motion = Actions::linear({0.0, -1.0, 0.0});
  motion.end = a.time_to_reach(upper.min[1] - lower.max[1] - 0.1, 1.0);
  for (const std::size_t i : moving) add(a, i, motion);
}

// Presses the first shape down to a height inside of the second.
void squeeze_out(Actions& a) {
  if (!has_shapes(a, 2) || a.model.shapes[0].is_deformable || a.model.shapes[1].is_deformable) return;
  const Box die = a.model.shapes[1].box();
  MotionDesc motion = Actions::linear({0.0, -0.3, 0.0});
  motion.end = a.time_to_reach(a.model.shapes[0].box().max[1] - (die.min[1] + die.extent()[1] / 3.8 * 0.9), 0.3);
  add(a, 0, motion);
}

void cut(Actions& a) {
  if (!has_shapes(a, 2)) return;
  MotionDesc motion = Actions::linear({0.0, -1.0, -1.0});
  motion.end = a.time_to_reach(a.model.shapes[1].box().min[1] - 0.001, 1.0);
  add(a, 1, motion);
}

// Turns the second shape about the z axis through its right lower edge until it is lower than 0.05 m.
void hammer(Actions& a) {
  if (!has_shapes(a, 2)) return;
  const Box box = a.model.shapes[1].box();
  const Vec<3> center(box.max[0], box.min[1], box.center()[2]);
  const double rate = std::numbers::pi / 6.0, h = a.model.script.step;
  const Vertices vertices = a.model.shapes[1].world_vertices();
  MotionDesc motion = spin({2, rate}, center);
  for (double time = 0.0; time < a.model.script.duration; time += h) {
    double lowest = infinity;
    for (const Vec<3>& v : vertices) {
      const Vec<3> arm = v - center;
      lowest =
          std::min(lowest, center[1] + elementary::sin(rate * time) * arm[0] + elementary::cos(rate * time) * arm[1]);
    }
    if (lowest > 0.05) continue;
    motion.end = time;
    break;
  }
  add(a, 1, motion);
}

void throw_at_wall(Actions& a) {
  const double speed = a.model.script.script_parameters.empty() ? 1000.0 : a.model.script.script_parameters[0];
  for (std::size_t i = 0; i < a.model.shapes.size(); ++i) {
    if (a.model.shapes[i].is_deformable) a.model.scene.bodies[i].linear_velocity = {speed, 0.0, 0.0};
  }
}

void follow_meshes(Actions& a) {
  const auto first = std::find_if(a.model.shapes.begin(), a.model.shapes.end(),
                                  [](const PlacedShape& shape) { return !shape.is_deformable; });
  if (first == a.model.shapes.end()) return;
  MotionDesc motion;
  motion.mesh_sequence = a.model.script.script_folder;
  motion.mesh_sequence_first = 1;
  add(a, first - a.model.shapes.begin(), motion);
}

void squash_with_obstacles(Actions& a) {
  const auto& obstacles = a.model.script.mesh_obstacles;
  if (!has_at_least(a, 2, obstacles.size(), "`meshCO`")) return;
  const double turn = a.time_to_pass(obstacles[1].origin[0] - obstacles[0].origin[0] - 1.5, 2.0);
  for (std::size_t i = 0; i < 2; ++i) move_in_and_out(a, body_of_obstacle(a, i), towards_partner(i), turn);
}

// Turns the first collider about its upper edge and the second about its lower edge.
void squash_with_turning_obstacles(Actions& a) {
  const auto& obstacles = a.model.script.mesh_obstacles;
  if (!has_at_least(a, 2, obstacles.size(), "`meshCO`")) return;
  for (std::size_t i = 0; i < 2; ++i) {
    const Vec<3> arm(0.0, (i == 0 ? 0.5 : -0.5) * obstacles[i].scale, 0.0);
    add(a, body_of_obstacle(a, i), spin({2, std::numbers::pi}, obstacles[i].origin + arm));
  }
}

void spin_obstacles(Actions& a, const std::vector<AxisRate>& turns) {
  const auto& obstacles = a.model.script.mesh_obstacles;
  if (!has_at_least(a, turns.size(), obstacles.size(), "`meshCO`")) return;
  for (std::size_t i = 0; i < turns.size(); ++i) add(a, body_of_obstacle(a, i), spin(turns[i], obstacles[i].origin));
}

// Replaces a moving half-space by a sheet in its plane, so large that nothing reaches its edges.
std::size_t make_sheet(Actions& a, std::size_t half_space) {
  const HalfSpaceDesc& plane = a.model.script.half_spaces[half_space];
  const Vec<3> normal = plane.normal.normalized(), axis = Vec<3>::UnitY().cross(normal);
  const double angle = elementary::atan2(axis.norm(), normal[1]) * 180.0 / std::numbers::pi;
  const Vec<3> center = a.box().center();
  const double size = 100.0 * (a.range().norm() + std::abs(normal.dot(center - plane.point)));
  BodyDesc body;
  body.name = fmt::format("half-space {}", half_space + 1);
  body.kind = BodyKind::obstacle;
  body.generator = GeneratorDesc{.kind = GeneratorKind::sheet, .size = {size, size}, .resolution = {1, 1}};
  body.transform.rotation =
      native_angles(axis_rotation(axis.isZero(0.0) ? Vec<3>(Vec<3>::UnitX()) : Vec<3>(axis.normalized()), angle));
  body.transform.translation = center - normal.dot(center - plane.point) * normal;
  a.model.scene.bodies.push_back(body);
  a.model.obstacle_friction.push_back(plane.friction.value_or(0.0));
  return a.model.scene.bodies.size() - 1;
}

// Calls move(half-space, its sheet) for the first half-spaces.
template <class Move>
void move_half_spaces(Actions& a, std::size_t count, const Move& move) {
  if (!has_at_least(a, count, a.model.script.half_spaces.size(), "half-spaces")) return;
  for (std::size_t i = 0; i < count; ++i) move(i, make_sheet(a, i));
  auto& resting = a.model.scene.half_spaces;
  resting.erase(resting.begin(), resting.begin() + static_cast<std::ptrdiff_t>(count));
  a.warning(fmt::format("the first {} half-spaces move: they are large thin sheets here", count),
            a.model.script.script);
}

double half_space_gap(const Actions& a, std::size_t pair) {
  const auto& planes = a.model.script.half_spaces;
  return (planes[2 * pair + 1].point - planes[2 * pair].point)[static_cast<Eigen::Index>(pair)];
}

// Moves pairs of half-spaces together; each pair reverses by itself.
void squash_with_half_spaces(Actions& a, std::size_t num_walls, double smallest_gap) {
  move_half_spaces(a, num_walls, [&](std::size_t i, std::size_t sheet) {
    move_in_and_out(a, sheet, towards_partner(i), a.time_to_pass(half_space_gap(a, i / 2) - smallest_gap, 2.0));
  });
}

// Moves two half-spaces together. The second one moves up once they are nearer than 0.8 m.
void shear_with_half_spaces(Actions& a) {
  move_half_spaces(a, 2, [&](std::size_t i, std::size_t sheet) {
    MotionDesc in = Actions::linear(towards_partner(i)), up = Actions::linear({0.0, 1.0, 0.0});
    in.end = up.start = a.time_to_pass(half_space_gap(a, 0) - 0.8, 2.0);
    add(a, sheet, in);
    if (i == 1) add(a, sheet, up);
  });
}

}  // namespace

const IpcScriptTable& ipc_component_scripts() {
  // The rate is a quarter turn per second.
  constexpr double quarter = std::numbers::pi / 2.0;
  static const std::vector<AxisRate> cylinders = {{0, quarter}, {0, -quarter}, {2, -quarter}, {2, quarter}};
  static const std::vector<AxisRate> rollers = {{2, -4.0}, {2, -2.0}, {2, 2.0}, {2, 4.0}, {0, 2.0}, {0, -2.0}};
  static const IpcScriptTable table = {
      {"DCOFix", {[](Actions&) {}, true}},
      {"DCOBallHitWall", {throw_at_wall, true}},
      {"DCOSegBedSquash", {squash_beds, true}},
      {"DCOSqueezeOut", {squeeze_out, true}},
      {"DCOSquash", {[](Actions& a) { squash_with_shapes(a, 2); }}},
      {"DCOSquash6", {[](Actions& a) { squash_with_shapes(a, 6); }}},
      {"DCOCut", {cut}},
      {"DCOHammerWalnut", {hammer}},
      {"DCORotCylinders", {[](Actions& a) { spin_shapes(a, cylinders); }}},
      {"DCOVerschoorRoller", {[](Actions& a) { spin_shapes(a, rollers); }}},
      {"meshSeqFromFile", {follow_meshes, true}},
      {"MCOSquash", {squash_with_obstacles}},
      {"MCORotSquash", {squash_with_turning_obstacles}},
      {"MCORotCylinders", {[](Actions& a) { spin_obstacles(a, cylinders); }}},
      {"ACOSquash", {[](Actions& a) { squash_with_half_spaces(a, 2, 0.1); }}},
      {"ACOSquash6", {[](Actions& a) { squash_with_half_spaces(a, 6, 0.2); }}},
      {"ACOSquashShear", {shear_with_half_spaces}},
  };
  return table;
}

}  // namespace clearance
