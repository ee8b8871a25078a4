// Building blocks of the named scripts of the IPC reference.
#pragma once

#include <functional>
#include <string_view>
#include <unordered_map>

#include "clearance/io/ipc/ipc_script_motions.h"
#include "clearance/io/ipc/ipc_script_nodes.h"

namespace clearance {

/// A time interval in which the script moves in one direction (1 or -1).
struct IpcPhase {
  double start = 0.0, end = infinity;  ///< [s]
  double direction = 1.0;
};

class IpcActions {
 public:
  explicit IpcActions(IpcModel& ipc_model) : model(ipc_model), nodes_(ipc_model.shapes) {}

  void error(const std::string& message, const std::string& value = "");
  void warning(const std::string& message, const std::string& value = "");

  const IpcNodes& nodes() const { return nodes_; }
  const Box& box() const { return nodes_.box(); }
  Vec<3> range() const { return box().extent(); }
  /// Moves the whole model up, colliders among the shapes included.
  void lift(double height);

  /// Return the nodes whose coordinate lies in the given fraction at the lower or upper end of the model's box, the
  /// bound excluded.
  NodeSet low(int axis, double ratio) const;
  NodeSet high(int axis, double ratio) const;
  /// Ends of the model along x that many scripts hold. `rotateModel` does not turn them.
  NodeSet left_handle() const { return handle(0); }
  NodeSet right_handle() const { return handle(1); }

  void move(const NodeSet& nodes, const MotionDesc& motion);
  void hold(const NodeSet& nodes, double start = 0.0);
  /// Adds one motion per phase, with the velocities multiplied by the phase's direction. Rotations continue in the same
  /// sense.
  void move_in_phases(const NodeSet& nodes, const MotionDesc& motion, const std::vector<IpcPhase>& phases);
  void accelerate(const NodeSet& nodes, const Vec<3>& acceleration);
  void start(const NodeSet& nodes, const Vec<3>& velocity);

  /// Return the time after which whole steps at `speed` have covered at least, or more than, the distance [m]; 0 if
  /// this holds from the beginning. The reference checks before every step.
  double time_to_reach(double distance, double speed) const;
  double time_to_pass(double distance, double speed) const;
  /// Returns the phases of a motion back and forth between two bounds [m], relative to the start. The motion goes up
  /// first if the speed is above 0.
  std::vector<IpcPhase> swing(double speed, double low, double high) const;

  static MotionDesc linear(const Vec<3>& velocity);

  IpcModel& model;

 private:
  NodeSet handle(int end) const;
  template <class Add>
  void for_each_region(const NodeSet& nodes, const Add& add);

  IpcNodes nodes_;
};

/// A named script. Most scripts do not hold colliders among the shapes, which then fall in the reference.
struct IpcNamedScript {
  std::function<void(IpcActions&)> apply;
  bool holds_surfaces = false;
};
using IpcScriptTable = std::unordered_map<std::string_view, IpcNamedScript>;

/// Scripts that hold, move or push some nodes.
const IpcScriptTable& ipc_node_scripts();
/// Scripts that move whole shapes, colliders or half-spaces.
const IpcScriptTable& ipc_component_scripts();

}  // namespace clearance
