#include "clearance/io/ipc/ipc_script_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/scene/validate.h"

namespace clearance {

void IpcActions::error(const std::string& message, const std::string& value) {
  model.issues.push_back({"", fmt::format("line {}", model.script.script_line), value, message});
}

void IpcActions::warning(const std::string& message, const std::string& value) {
  model.issues.push_back({"", fmt::format("line {}", model.script.script_line), value, message, Severity::warning});
}

void IpcActions::lift(double height) {
  for (PlacedShape& shape : model.shapes) shape.translation[1] += height;
  nodes_ = IpcNodes(model.shapes);
}

NodeSet IpcActions::low(int axis, double ratio) const {
  const double bound = box().min[axis] + range()[axis] * ratio;
  return nodes_.select([&](const Vec<3>& x) { return x[axis] < bound; });
}

NodeSet IpcActions::high(int axis, double ratio) const {
  const double bound = box().max[axis] - range()[axis] * ratio;
  return nodes_.select([&](const Vec<3>& x) { return x[axis] > bound; });
}

NodeSet IpcActions::handle(int end) const {
  const double ratio = model.script.handle_ratio;
  if (model.script.model_angle == 0.0) return end == 0 ? low(0, ratio) : high(0, ratio);
  // The reference takes the ends from the rest shape, which it does not rotate.
  const Vec<3> x_axis = axis_rotation(model.script.model_axis.normalized(), model.script.model_angle).col(0);
  double lowest = infinity, highest = -infinity;
  for (int node = 0; node < nodes_.size(); ++node) {
    lowest = std::min(lowest, x_axis.dot(nodes_.position(node)));
    highest = std::max(highest, x_axis.dot(nodes_.position(node)));
  }
  const double depth = (highest - lowest) * ratio;
  return nodes_.select(
      [&](const Vec<3>& x) { return end == 0 ? x_axis.dot(x) < lowest + depth : x_axis.dot(x) > highest - depth; });
}

// Calls add(body, region) for the parts of all shapes that have nodes in the set.
template <class Add>
void IpcActions::for_each_region(const NodeSet& nodes, const Add& add) {
  for (int shape = 0; shape < nodes_.num_shapes(); ++shape) {
    const NodeSet own = nodes_.of_shape(nodes, shape);
    BodyDesc& body = model.scene.bodies[shape];
    if (own.empty()) continue;
    if (static_cast<int>(own.size()) == nodes_.num_nodes_of(shape)) {
      add(body, RegionDesc{});
      continue;
    }
    const auto boxes = nodes_.boxes(own, shape);
    if (boxes.empty()) {
      error("boxes cannot separate the nodes that the script means from the others", model.script.script);
      return;
    }
    for (const auto& box : boxes) add(body, RegionDesc{.box = box});
  }
}

void IpcActions::move(const NodeSet& nodes, const MotionDesc& motion) {
  move_in_phases(nodes, motion, {{motion.start, motion.end, 1.0}});
}

void IpcActions::hold(const NodeSet& nodes, double start) {
  MotionDesc motion;
  motion.start = start;
  move(nodes, motion);
}

void IpcActions::move_in_phases(const NodeSet& nodes, const MotionDesc& motion, const std::vector<IpcPhase>& phases) {
  for_each_region(nodes, [&](BodyDesc& body, const RegionDesc& region) {
    for (const IpcPhase& phase : phases) {
      if (!(phase.end > phase.start)) continue;
      MotionDesc part = motion;
      part.region = region;
      part.start = phase.start;
      part.end = phase.end;
      if (phase.direction < 0.0) part.linear_velocity = Vec<3>::Zero() - motion.linear_velocity;
      body.motions.push_back(part);
    }
  });
}

void IpcActions::accelerate(const NodeSet& nodes, const Vec<3>& acceleration) {
  for_each_region(nodes, [&](BodyDesc& body, const RegionDesc& region) {
    if (body.kind == BodyKind::obstacle) return;
    LoadDesc load;
    load.region = region;
    load.value = acceleration;
    load.start = model.script.neumann_start;
    load.end = model.script.neumann_end;
    if (load.end > load.start) body.loads.push_back(load);
  });
}

void IpcActions::start(const NodeSet& nodes, const Vec<3>& velocity) {
  const double h = model.script.step;
  for_each_region(nodes, [&](BodyDesc& body, const RegionDesc& region) {
    if (body.kind == BodyKind::obstacle) return;
    if (!region.box) {
      body.linear_velocity = velocity;
    } else if (model.script.integrator == TimeIntegrator::implicit_euler) {
      // A scene has no start velocity for a part of a body. In implicit Euler the force m v / h during the first step
      // is the same: x_tilde = x + h v + h^2 f / m.
      LoadDesc load;
      load.region = region;
      load.value = velocity / h;
      load.end = h;
      body.loads.push_back(load);
    } else {
      error("a start velocity of a part of a body is possible only with `timeIntegration BE`", model.script.script);
    }
  });
}

double IpcActions::time_to_reach(double distance, double speed) const {
  const double steps = distance / (speed * model.script.step);
  const double nearest = std::round(steps);
  const double whole = std::abs(steps - nearest) <= 1e-9 * std::max(1.0, nearest) ? nearest : std::ceil(steps);
  return std::max(0.0, whole) * model.script.step;
}

double IpcActions::time_to_pass(double distance, double speed) const {
  if (distance < 0.0) return 0.0;
  const double steps = distance / (speed * model.script.step);
  return (std::floor(steps + 1e-9 * std::max(1.0, steps)) + 1.0) * model.script.step;
}

std::vector<IpcPhase> IpcActions::swing(double speed, double low, double high) const {
  std::vector<IpcPhase> phases;
  double position = 0.0;
  IpcPhase phase;
  phase.direction = speed > 0.0 ? 1.0 : -1.0;
  while (phase.start < model.script.duration && phases.size() < 10000) {
    const double distance = phase.direction > 0.0 ? high - position : position - low;
    const double duration = std::max(model.script.step, time_to_reach(distance, std::abs(speed)));
    phase.end = phase.start + duration;
    phases.push_back(phase);
    position += phase.direction * std::abs(speed) * duration;
    phase = {phase.end, infinity, -phase.direction};
  }
  phases.back().end = infinity;
  // The first phase moves in the direction of the velocity, whatever the sign of the speed.
  for (IpcPhase& each : phases) each.direction *= speed > 0.0 ? 1.0 : -1.0;
  return phases;
}

MotionDesc IpcActions::linear(const Vec<3>& velocity) {
  MotionDesc motion;
  motion.linear_velocity = velocity;
  return motion;
}

bool moves_single_shapes(const IpcScript& script) {
  const std::string& name = script.script;
  if (name != "DCOSegBedSquash") return name.starts_with("DCO") && name != "DCOFix" && name != "DCOBallHitWall";
  // The second half of all copies moves; tests whether it begins inside of an array.
  long long num_copies = 0;
  for (const IpcShape& shape : script.shapes) num_copies += shape.num_copies();
  long long end = 0;
  const long long first_moving = (num_copies + 1) / 2;
  return std::any_of(script.shapes.begin(), script.shapes.end(), [&](const IpcShape& shape) {
    const long long begin = end;
    end += shape.num_copies();
    return begin < first_moving && first_moving < end;
  });
}

void apply_named_script(IpcModel& model) {
  IpcActions actions(model);
  const std::string& name = model.script.script;
  for (const IpcScriptTable* table : {&ipc_node_scripts(), &ipc_component_scripts()}) {
    const auto found = table->find(name);
    if (found == table->end()) continue;
    found->second.apply(actions);
    const bool has_free_surface = std::any_of(
        model.scene.bodies.begin(), model.scene.bodies.begin() + static_cast<std::ptrdiff_t>(model.shapes.size()),
        [](const BodyDesc& body) { return body.kind == BodyKind::obstacle && body.motions.empty(); });
    if (has_free_surface && !found->second.holds_surfaces) {
      actions.warning("shapes without volume stay at rest here; with this script IPC lets them fall", name);
    }
    return;
  }
  actions.error("this script is not known, although it would change the motion", name);
}

}  // namespace clearance
