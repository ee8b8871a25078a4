#include "clearance/io/ipc_script_motions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

namespace clearance {
namespace {

// Bounds of a selection of nodes; the reference compares strictly: lower < x < upper.
struct Bounds {
  Vec<3> lower = Vec<3>::Constant(-infinity);
  Vec<3> upper = Vec<3>::Constant(infinity);
};

Bounds below(int axis, double bound) {
  Bounds bounds;
  bounds.upper[axis] = bound;
  return bounds;
}

Bounds above(int axis, double bound) {
  Bounds bounds;
  bounds.lower[axis] = bound;
  return bounds;
}

bool is_inside(const Bounds& bounds, const Vec<3>& x) {
  return (x.array() > bounds.lower.array()).all() && (x.array() < bounds.upper.array()).all();
}

class NamedScript {
 public:
  explicit NamedScript(IpcModel& model) : model_(model), box_(box_of(model.shapes)) {}

  void apply() {
    const std::string& name = model_.script.script;
    const auto found = scripts().find(name);
    if (found != scripts().end()) {
      found->second(*this);
    } else {
      error("this script is not known or not supported, and it would change the motion", name);
    }
  }

 private:
  using Apply = std::function<void(NamedScript&)>;
  static const std::unordered_map<std::string, Apply>& scripts();

  Vec<3> range() const { return box_.extent(); }
  double step() const { return model_.script.step; }

  void error(const std::string& message, const std::string& value = "") {
    model_.issues.push_back({"", fmt::format("line {}", model_.script.script_line), value, message});
  }

  // Whole model, colliders among the shapes too, up by half the diagonal of its box.
  void lift() {
    const double height = 0.5 * range().norm();
    for (PlacedShape& shape : model_.shapes) shape.translation[1] += height;
    box_ = box_of(model_.shapes);
  }

  // Bounds of a closed box with the same nodes inside: each bound moves to the middle between the nodes on its two
  // sides, so that no rounding of the placement can change the selection.
  std::array<Vec<3>, 2> closed_box(const Bounds& bounds) const {
    const double margin = range().norm();
    std::array<Vec<3>, 2> box = {box_.min.array() - margin, box_.max.array() + margin};
    for (int d = 0; d < 3; ++d) {
      if (std::isfinite(bounds.lower[d])) box[0][d] = middle(d, bounds.lower[d], false);
      if (std::isfinite(bounds.upper[d])) box[1][d] = middle(d, bounds.upper[d], true);
    }
    return box;
  }
  double middle(int axis, double bound, bool bound_counts_as_above) const {
    double before = -infinity, after = infinity;
    for (const PlacedShape& shape : model_.shapes) {
      shape.for_each_vertex([&](const Vec<3>& x) {
        const bool is_above = bound_counts_as_above ? x[axis] >= bound : x[axis] > bound;
        if (is_above) after = std::min(after, x[axis]);
        if (!is_above) before = std::max(before, x[axis]);
      });
    }
    return std::isfinite(before) && std::isfinite(after) ? 0.5 * (before + after) : bound;
  }

  // Adds a motion to every deformable body that has nodes inside the bounds.
  void move(const Bounds& bounds, MotionDesc motion) {
    motion.region.box = closed_box(bounds);
    for (std::size_t i = 0; i < model_.shapes.size(); ++i) {
      const PlacedShape& shape = model_.shapes[i];
      bool has_node = false;
      if (shape.is_deformable) {
        shape.for_each_vertex([&](const Vec<3>& x) { has_node = has_node || is_inside(bounds, x); });
      }
      if (has_node) model_.bodies[i].motions.push_back(motion);
    }
  }
  void hold(const Bounds& bounds) { move(bounds, {}); }
  static MotionDesc linear(const Vec<3>& velocity) {
    MotionDesc motion;
    motion.linear_velocity = velocity;
    return motion;
  }

  Bounds left(double ratio) const { return below(0, box_.min[0] + range()[0] * ratio); }
  Bounds right(double ratio) const { return above(0, box_.max[0] - range()[0] * ratio); }
  Bounds bottom(double ratio) const { return below(1, box_.min[1] + range()[1] * ratio); }
  Bounds top(double ratio) const { return above(1, box_.max[1] - range()[1] * ratio); }

  // Both ends turn about the x axis through the middle of the model, and move apart.
  void twist(double degrees_per_second, double pull) {
    for (const double side : {-1.0, 1.0}) {
      MotionDesc motion = linear({side * pull, 0.0, 0.0});
      motion.angular_velocity = {side * degrees_per_second, 0.0, 0.0};
      motion.center = box_.center();
      move(side < 0.0 ? left(model_.script.handle_ratio) : right(model_.script.handle_ratio), motion);
    }
  }
  void pull_ends(double speed) {
    move(left(model_.script.handle_ratio), linear({-speed, 0.0, 0.0}));
    move(right(model_.script.handle_ratio), linear({speed, 0.0, 0.0}));
  }

  void drag_right() {
    lift();
    MotionDesc motion = linear({0.5, 0.0, 0.0});
    // The nodes are let go once the whole model is past all colliders.
    if (std::isfinite(model_.mesh_obstacles.max[0])) {
      motion.release = ReleaseDesc{.axis = 0, .above = model_.mesh_obstacles.max[0]};
    }
    move(right(0.04), motion);
  }
  void drag_down() {
    lift();
    Bounds patch = bottom(0.1);
    patch.lower[0] = box_.min[0] + range()[0] * 0.42;
    patch.upper[0] = box_.min[0] + range()[0] * 0.52;
    move(patch, linear({0.0, -1.5, 0.0}));
  }
  void stretch_and_pause() {
    // Until the first node of the left end has passed x = -0.28, checked before each step; then both ends are held.
    const double bound = box_.min[0] + range()[0] * 0.01;
    double first = infinity;
    for (const PlacedShape& shape : model_.shapes) {
      shape.for_each_vertex([&](const Vec<3>& x) {
        if (!std::isfinite(first) && x[0] < bound) first = x[0];
      });
    }
    const double end = duration_of(first + 0.28, 1.0);
    for (const double side : {-1.0, 1.0}) {
      const Bounds nodes = side < 0.0 ? left(0.01) : right(0.01);
      MotionDesc motion = linear({side, 0.0, 0.0});
      motion.end = end;
      if (end > 0.0) move(nodes, motion);
      MotionDesc pause;
      pause.start = end;
      move(nodes, pause);
    }
  }

  // Time of the whole steps that a motion of `speed` takes until it has gone at least `distance`.
  double duration_of(double distance, double speed) const {
    const double steps = distance / (speed * step());
    const double nearest = std::round(steps);
    const double whole = std::abs(steps - nearest) <= 1e-9 * std::max(1.0, nearest) ? nearest : std::ceil(steps);
    return std::max(0.0, whole) * step();
  }

  // The reference counts every copy as a component; native bodies move as a whole.
  bool is_single(std::size_t num_shapes) {
    if (model_.shapes.size() < num_shapes) {
      error(fmt::format("the script needs {} shapes, found {}", num_shapes, model_.shapes.size()),
            model_.script.script);
      return false;
    }
    for (std::size_t i = 0; i < num_shapes; ++i) {
      if (model_.shapes[i].num_copies() == 1) continue;
      error("the script is not supported with `shapeMatrix` among the shapes that it moves", model_.script.script);
      return false;
    }
    return true;
  }
  void spin(const std::vector<std::pair<int, double>>& axis_and_rate) {
    if (!is_single(axis_and_rate.size())) return;
    for (std::size_t i = 0; i < axis_and_rate.size(); ++i) {
      MotionDesc motion;
      // The rates of the reference are in rad/s.
      motion.angular_velocity[axis_and_rate[i].first] = axis_and_rate[i].second * 180.0 / 3.14159265358979323846;
      motion.center = model_.shapes[i].box().center();
      model_.bodies[i].motions.push_back(motion);
    }
  }
  // Pairs of walls close in along x, y, z at 1 m/s and go back once the first pair is nearer than 0.1 m.
  void squash(std::size_t num_walls) {
    if (!is_single(num_walls)) return;
    const double gap = model_.shapes[1].box().min[0] - model_.shapes[0].box().max[0];
    const double turn = gap < 0.1 ? 0.0 : (std::floor((gap - 0.1) / (2.0 * step()) + 1e-9) + 1.0) * step();
    for (std::size_t i = 0; i < num_walls; ++i) {
      Vec<3> velocity = Vec<3>::Zero();
      velocity[static_cast<Eigen::Index>(i / 2)] = i % 2 == 0 ? 1.0 : -1.0;
      MotionDesc in = linear(velocity), out = linear(-velocity);
      in.end = out.start = turn;
      if (turn > 0.0) model_.bodies[i].motions.push_back(in);
      model_.bodies[i].motions.push_back(out);
    }
  }
  void cut() {
    if (!is_single(2)) return;
    MotionDesc motion = linear({0.0, -1.0, -1.0});
    motion.end = duration_of(model_.shapes[1].box().min[1] - 0.001, 1.0);
    if (motion.end > 0.0) model_.bodies[1].motions.push_back(motion);
  }
  // The second half of the components comes down on the first until they are 0.1 m apart.
  void squash_beds() {
    long long num_components = 0, component = 0;
    for (const PlacedShape& shape : model_.shapes) num_components += shape.num_copies();
    const long long first_moving = (num_components + 1) / 2;
    Box lower, upper;
    std::vector<std::size_t> moving;
    for (std::size_t i = 0; i < model_.shapes.size(); ++i) {
      const PlacedShape& shape = model_.shapes[i];
      const long long begin = component;
      component += shape.num_copies();
      if (shape.is_deformable) continue;
      if (begin < first_moving && component > first_moving) {
        error("half of a `shapeMatrix` would move, which is not supported", model_.script.script);
        return;
      }
      Box& bed = begin >= first_moving ? upper : lower;
      bed.add(shape.box().min);
      bed.add(shape.box().max);
      if (begin >= first_moving) moving.push_back(i);
    }
    MotionDesc motion = linear({0.0, -1.0, 0.0});
    motion.end = duration_of(upper.min[1] - lower.max[1] - 0.1, 1.0);
    if (!(motion.end > 0.0)) return;
    for (const std::size_t i : moving) model_.bodies[i].motions.push_back(motion);
  }
  void throw_at_wall() {
    const double speed = model_.script.script_parameters.empty() ? 1000.0 : model_.script.script_parameters[0];
    start_all({speed, 0.0, 0.0});
  }
  void start_all(const Vec<3>& velocity) {
    for (std::size_t i = 0; i < model_.shapes.size(); ++i) {
      if (model_.shapes[i].is_deformable) model_.bodies[i].linear_velocity = velocity;
    }
  }
  void corner() {
    for (int axis = 0; axis < 3; ++axis) hold(below(axis, box_.min[axis] + range()[axis] * 0.01));
  }

  IpcModel& model_;
  Box box_;
};

const std::unordered_map<std::string, NamedScript::Apply>& NamedScript::scripts() {
  static const std::unordered_map<std::string, Apply> table = {
      {"null", [](NamedScript&) {}},
      {"fall", [](NamedScript& s) { s.lift(); }},
      {"fallNoShift", [](NamedScript&) {}},
      {"drop",
       [](NamedScript& s) {
         s.start_all({0.0, -1.0, 0.0});
       }},
      {"dragright", [](NamedScript& s) { s.drag_right(); }},
      {"dragdown", [](NamedScript& s) { s.drag_down(); }},
      {"twist", [](NamedScript& s) { s.twist(72.0, 0.0); }},
      {"twistnstretch", [](NamedScript& s) { s.twist(18.0, 0.1); }},
      {"stretch", [](NamedScript& s) { s.pull_ends(0.1); }},
      {"squash", [](NamedScript& s) { s.pull_ends(-0.03); }},
      {"stretchAndPause", [](NamedScript& s) { s.stretch_and_pause(); }},
      {"hang2", [](NamedScript& s) { s.hold(s.top(0.01)); }},
      {"hangLeft", [](NamedScript& s) { s.hold(s.left(s.model_.script.handle_ratio)); }},
      {"stamp", [](NamedScript& s) { s.hold(s.left(s.model_.script.handle_ratio)); }},
      {"stampBoth",
       [](NamedScript& s) {
         s.hold(s.left(s.model_.script.handle_ratio));
         s.hold(s.right(s.model_.script.handle_ratio));
       }},
      {"stand", [](NamedScript& s) { s.hold(s.bottom(0.01)); }},
      {"topbottomfix",
       [](NamedScript& s) {
         s.hold(s.bottom(0.02));
         s.hold(s.top(0.02));
       }},
      {"fixLowerHalf", [](NamedScript& s) { s.hold(s.bottom(0.5)); }},
      {"corner", [](NamedScript& s) { s.corner(); }},
      {"DCOFix", [](NamedScript&) {}},
      {"DCOBallHitWall", [](NamedScript& s) { s.throw_at_wall(); }},
      {"DCOSegBedSquash", [](NamedScript& s) { s.squash_beds(); }},
      {"DCOSquash", [](NamedScript& s) { s.squash(2); }},
      {"DCOSquash6", [](NamedScript& s) { s.squash(6); }},
      {"DCOCut", [](NamedScript& s) { s.cut(); }},
      // Quarter turns a second.
      {"DCORotCylinders",
       [](NamedScript& s) {
         constexpr double quarter = 3.14159265358979323846 / 2.0;
         s.spin({{0, quarter}, {0, -quarter}, {2, -quarter}, {2, quarter}});
       }},
      {"DCOVerschoorRoller",
       [](NamedScript& s) {
         s.spin({{2, -4.0}, {2, -2.0}, {2, 2.0}, {2, 4.0}, {0, 2.0}, {0, -2.0}});
       }},
  };
  return table;
}

}  // namespace

void apply_named_script(IpcModel& model) {
  NamedScript(model).apply();
}

}  // namespace clearance
