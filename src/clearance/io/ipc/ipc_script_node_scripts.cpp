// Named scripts that hold, move or push some nodes of the model.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "clearance/io/ipc/ipc_script_actions.h"

namespace clearance {
namespace {

using Actions = IpcActions;

constexpr double degrees_per_radian = 180.0 / std::numbers::pi;

NodeSet both(const NodeSet& a, const NodeSet& b) {
  NodeSet common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common;
}

NodeSet without(const NodeSet& a, const NodeSet& b) {
  NodeSet rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
  return rest;
}

// Returns a coordinate of the first node of a set, which scripts watch. Without a node it is infinite, so that they
// never reverse.
double first(const Actions& a, const NodeSet& nodes, int axis) {
  return nodes.empty() ? infinity : a.nodes().position(nodes.front())[axis];
}

MotionDesc turning(const Vec<3>& velocity, const Vec<3>& radians_per_second, const Vec<3>& center) {
  MotionDesc motion = Actions::linear(velocity);
  motion.angular_velocity = radians_per_second * degrees_per_radian;
  motion.center = center;
  return motion;
}

// Moves the nodes until `end` and holds them from then on.
void move_and_hold(Actions& a, const NodeSet& nodes, const Vec<3>& velocity, double end) {
  MotionDesc motion = Actions::linear(velocity);
  motion.end = end;
  a.move(nodes, motion);
  if (std::isfinite(end)) a.hold(nodes, end);
}

// Moves the nodes until `end` and releases them then.
void move_and_release(Actions& a, const NodeSet& nodes, const Vec<3>& velocity, double end) {
  MotionDesc motion = Actions::linear(velocity);
  motion.end = end;
  a.move(nodes, motion);
}

void hold_one(Actions& a, const NodeSet& nodes, std::size_t which, const Vec<3>& velocity = Vec<3>::Zero()) {
  if (which < nodes.size()) a.move({nodes[which]}, Actions::linear(velocity));
}

void hang(Actions& a) {
  for (const NodeSet& nodes : {a.left_handle(), a.right_handle()}) hold_one(a, nodes, nodes.size() - 1);
}

void hang_top_left(Actions& a) {
  const NodeSet top = both(a.left_handle(), a.high(1, 0.01));
  a.hold(both(top, a.high(2, 0.01)));
  a.hold(without(both(top, a.low(2, 0.01)), a.high(2, 0.01)));
}

void corner(Actions& a) {
  const NodeSet x = a.low(0, 0.01), y = a.low(1, 0.01), z = a.low(2, 0.01);
  a.hold(x);
  a.hold(without(y, x));
  a.hold(without(without(z, x), y));
}

void pull_handles(Actions& a, double speed) {
  a.move(a.left_handle(), Actions::linear({-speed, 0.0, 0.0}));
  a.move(a.right_handle(), Actions::linear({speed, 0.0, 0.0}));
}

// Turns both ends about the x axis through the middle of the model [rad/s] and moves them apart [m/s].
void twist(Actions& a, double rate, double pull) {
  a.move(a.left_handle(), turning({-pull, 0.0, 0.0}, {-rate, 0.0, 0.0}, a.box().center()));
  a.move(a.right_handle(), turning({pull, 0.0, 0.0}, {rate, 0.0, 0.0}, a.box().center()));
}

// Twists as above, pulls until the left end has gone `out`, and moves back until it is `in` beyond its start.
void twist_and_swing(Actions& a, double rate, double pull, double out, double in) {
  const auto phases = a.swing(-pull, -out, in);
  a.move_in_phases(a.left_handle(), turning({-pull, 0.0, 0.0}, {-rate, 0.0, 0.0}, a.box().center()), phases);
  a.move_in_phases(a.right_handle(), turning({pull, 0.0, 0.0}, {rate, 0.0, 0.0}, a.box().center()), phases);
}

void bend(Actions& a) {
  const double rate = 0.05 * std::numbers::pi;
  for (const double side : {-1.0, 1.0}) {
    const NodeSet handle = side < 0.0 ? a.left_handle() : a.right_handle();
    if (handle.empty()) continue;
    a.move(handle, turning(Vec<3>::Zero(), {0.0, 0.0, side * rate}, a.nodes().position(handle.back())));
  }
}

void swing_up_and_down(Actions& a, bool has_right) {
  const auto phases = a.swing(1.8, -0.6, 0.6);
  a.move_in_phases(a.left_handle(), Actions::linear({0.0, 1.8, 0.0}), phases);
  if (has_right) a.move_in_phases(a.right_handle(), Actions::linear({0.0, -1.8, 0.0}), phases);
}

void push(Actions& a) {
  a.hold(a.low(1, 0.01));
  move_and_hold(a, without(a.high(1, 0.01), a.low(1, 0.01)), {0.0, -1.0, 0.0}, a.time_to_reach(0.5, 1.0));
}

void tear(Actions& a) {
  a.hold(a.low(1, 0.01));
  const double turn = a.time_to_reach(4.0, 5.0);
  a.move_in_phases(without(a.high(1, 0.01), a.low(1, 0.01)), Actions::linear({-5.0, 0.0, 0.0}),
                   {{0.0, turn, 1.0}, {turn, infinity, -1.0}});
}

void stretch_and_pause(Actions& a) {
  const NodeSet left = a.low(0, 0.01), right = without(a.high(0, 0.01), left);
  // The motion ends when the first node of the left end has passed x = -0.28.
  const double end = left.empty() ? infinity : a.time_to_pass(first(a, left, 0) + 0.28, 1.0);
  move_and_hold(a, left, {-1.0, 0.0, 0.0}, end);
  move_and_hold(a, right, {1.0, 0.0, 0.0}, end);
}

void pull_rubber_band(Actions& a) {
  const NodeSet bottom = a.low(1, 0.02), top = without(a.high(1, 0.02), bottom);
  const double lower = a.box().min[1] + a.range()[1] * 0.48, upper = a.box().max[1] - a.range()[1] * 0.48;
  const NodeSet waist =
      without(without(a.nodes().select([&](const Vec<3>& x) { return x[1] > lower && x[1] < upper; }), bottom), top);
  const double end = waist.empty() ? infinity : a.time_to_reach(5.0, 2.5);
  move_and_hold(a, bottom, {0.0, -0.2, 0.0}, end);
  move_and_hold(a, top, {0.0, 0.2, 0.0}, end);
  move_and_release(a, waist, {-2.5, 0.0, 0.0}, end);
}

void pull_four_legs(Actions& a) {
  const NodeSet top_left = both(a.high(1, 0.129), a.low(0, 0.16));
  const NodeSet top_right = without(both(a.high(1, 0.16), a.high(0, 0.16)), top_left);
  const NodeSet bottom_right = without(without(both(a.low(1, 0.02), a.high(0, 0.25)), top_left), top_right);
  const NodeSet bottom_left =
      without(without(without(both(a.low(1, 0.02), a.low(0, 0.25)), top_left), top_right), bottom_right);
  const double end = bottom_left.empty() ? infinity : a.time_to_reach(5.0, 3.5);
  a.hold(top_left);
  move_and_release(a, top_right, {2.5, 0.0, 0.0}, end);
  move_and_release(a, bottom_right, {2.5, -3.5, 0.0}, end);
  move_and_release(a, bottom_left, {0.0, -3.5, 0.0}, end);
}

void pull_head_and_tail(Actions& a) {
  const NodeSet head = a.low(2, 0.02), tail = without(a.high(2, 0.02), head);
  const double lower = a.box().min[2] + a.range()[2] * 0.46, upper = a.box().min[2] + a.range()[2] * 0.54;
  const NodeSet middle =
      without(without(a.nodes().select([&](const Vec<3>& x) { return x[2] > lower && x[2] < upper; }), head), tail);
  const double end = head.empty() ? infinity : a.time_to_reach(4.5, 3.5);
  move_and_release(a, head, {3.5, 0.0, 0.0}, end);
  move_and_release(a, tail, {3.5, 0.0, 0.0}, end);
  a.hold(middle);
}

// Lifts the model by half its diagonal, as all scripts in which it falls do.
void lift(Actions& a) {
  a.lift(0.5 * a.range().norm());
}

void drag_down(Actions& a) {
  lift(a);
  const double lower = a.box().min[0] + a.range()[0] * 0.42, upper = a.box().min[0] + a.range()[0] * 0.52;
  const NodeSet patch = a.nodes().select([&](const Vec<3>& x) { return x[0] > lower && x[0] < upper; });
  a.move(both(a.low(1, 0.1), patch), Actions::linear({0.0, -1.5, 0.0}));
}

void drag_right(Actions& a) {
  lift(a);
  // The nodes are let go once the whole model is past all `meshCO`; without any, they are let go at once.
  const Box obstacles = box_of(a.model.mesh_obstacles);
  if (a.model.mesh_obstacles.empty()) {
    a.warning("the script has no effect without `meshCO`, as in IPC", "dragright");
    return;
  }
  MotionDesc motion = Actions::linear({0.5, 0.0, 0.0});
  motion.release = ReleaseDesc{.axis = 0, .above = obstacles.max[0]};
  a.move(a.high(0, 0.04), motion);
}

void hang_curtain(Actions& a) {
  const NodeSet top = a.high(1, 0.005);

  for (int pin = 0; pin < 8; ++pin) {
    const double x_pin = a.box().min[0] + a.range()[0] / 7.0 * pin, width = a.range()[0] * 0.0025;
    const NodeSet column =
        a.nodes().select([&](const Vec<3>& x) { return x[0] > x_pin - width && x[0] < x_pin + width; });
    a.move(both(top, column), Actions::linear({0.04 * (7.0 - pin) / 7.0, 0.0, 0.0}));
  }
}

void swing_model(Actions& a) {
  a.lift(1.3 * a.range()[1]);
  a.hold(a.low(0, 0.05));
}

void fix_and_drag(Actions& a, const Vec<3>& acceleration) {
  const NodeSet bottom = a.low(1, 0.05);
  a.hold(bottom);
  for (BodyDesc& body : a.model.scene.bodies) body.loads.clear();
  a.accelerate(without(a.high(1, 0.05), bottom), acceleration);
}

void compare_with_utopia(Actions& a) {
  const double depth = a.range()[0] * 1e-4;
  const NodeSet top = a.nodes().select([&](const Vec<3>& x) { return x[1] > a.box().max[1] - depth; });
  const NodeSet bottom = a.nodes().select([&](const Vec<3>& x) { return x[1] < a.box().min[1] + depth; });
  for (BodyDesc& body : a.model.scene.bodies) body.loads.clear();
  a.accelerate(top, {0.0, -1.5, 0.0});
  a.hold(without(bottom, top));
}

void start_all(Actions& a, const Vec<3>& velocity) {
  a.start(a.nodes().select([](const Vec<3>&) { return true; }), velocity);
}

// Returns a script that reports an error: a scene starts in its rest shape, and elements never invert.
IpcNamedScript impossible(const char* start) {
  return {[start](Actions& a) {
    a.error(std::string("the script starts with ") + start + ", but a scene starts in its rest shape",
            a.model.script.script);
  }};
}

}  // namespace

const IpcScriptTable& ipc_node_scripts() {
  constexpr double pi = std::numbers::pi;
  static const IpcScriptTable table = {
      {"null", {[](Actions&) {}, true}},
      {"hang", {hang}},
      {"hang2", {[](Actions& a) { a.hold(a.high(1, 0.01)); }}},
      {"hangTopLeft", {hang_top_left}},
      {"hangLeft", {[](Actions& a) { a.hold(a.left_handle()); }}},
      {"swing", {swing_model}},
      {"stamp", {[](Actions& a) { a.hold(a.left_handle()); }}},
      {"stampTopLeft", {[](Actions& a) { a.hold(both(a.left_handle(), a.high(1, 0.01))); }}},
      {"stampBoth", {[](Actions& a) {
         a.hold(a.left_handle());
         a.hold(a.right_handle());
       }}},
      {"undstamp", {[](Actions& a) { swing_up_and_down(a, false); }}},
      {"stand", {[](Actions& a) { a.hold(a.low(1, 0.01)); }}},
      {"topbottomfix", {[](Actions& a) {
         a.hold(a.low(1, 0.02));
         a.hold(without(a.high(1, 0.02), a.low(1, 0.02)));
       }}},
      {"fixLowerHalf", {[](Actions& a) { a.hold(a.low(1, 0.5)); }}},
      {"corner", {corner}},
      {"push", {push}},
      {"tear", {tear}},
      {"upndown", {[](Actions& a) { swing_up_and_down(a, true); }}},
      {"stretch", {[](Actions& a) { pull_handles(a, 0.1); }}},
      {"stretchAndPause", {stretch_and_pause}},
      {"squash", {[](Actions& a) { pull_handles(a, -0.03); }}},
      {"stretchnsquash", {[](Actions& a) { twist_and_swing(a, 0.0, 0.9, 0.8, 0.4); }}},
      {"bend", {bend}},
      {"twist", {[](Actions& a) { twist(a, 0.4 * pi, 0.0); }}},
      {"twistnstretch", {[](Actions& a) { twist(a, 0.1 * pi, 0.1); }}},
      {"twistnsns", {[](Actions& a) { twist_and_swing(a, 0.4 * pi, 1.2, 1.2, 0.4); }}},
      {"twistnsns_old", {[](Actions& a) { twist_and_swing(a, 0.4 * pi, 0.9, 0.8, 0.4); }}},
      {"rubberBandPull", {pull_rubber_band}},
      {"fourLegPull", {pull_four_legs}},
      {"headTailPull", {pull_head_and_tail}},
      {"fall", {lift}},
      {"fallNoShift", {[](Actions&) {}}},
      {"dragdown", {drag_down}},
      {"dragright", {drag_right}},
      {"toggleTop", {[](Actions& a) {
         move_and_release(a, a.high(1, 0.02), {-0.5, 0.0, 0.0}, a.time_to_reach(0.1, 0.5));
       }}},
      {"leftHitRight", {[](Actions& a) {
         a.start(a.low(0, 0.5), {1.0, 0.0, 0.0});
       }}},
      {"drop", {[](Actions& a) {
         start_all(a, {0.0, -1.0, 0.0});
       }}},
      {"XYRotate", {[](Actions& a) {
         a.start(a.low(1, 0.01), {1.0, 0.0, 0.0});
         a.start(without(a.high(1, 0.01), a.low(1, 0.01)), {-1.0, 0.0, 0.0});
       }}},
      {"curtain", {hang_curtain}},
      {"fixRightMost1", {[](Actions& a) { hold_one(a, a.high(0, 1e-3), 0); }}},
      {"pushRightMost1", {[](Actions& a) {
         hold_one(a, a.high(0, 1e-3), 0, {-0.15, 0.0, 0.0});
       }}},
      {"NMFixBottomDragLeft", {[](Actions& a) {
         fix_and_drag(a, {-600.0, 0.0, 0.0});
       }}},
      {"NMFixBottomDragForward", {[](Actions& a) {
         fix_and_drag(a, {0.0, 0.0, 600.0});
       }}},
      {"utopiaComparison", {compare_with_utopia}},
      {"scaleF", impossible("the model stretched to 1.5 times its size")},
      {"stampInv", impossible("the model turned inside out")},
      {"standInv", impossible("the model turned inside out")},
      {"onepoint", impossible("all nodes at one point")},
      {"random", impossible("all nodes at random places")},
  };
  return table;
}

}  // namespace clearance
