// The nodes of all shapes of an IPC script, from which its named scripts select.
#pragma once

#include "clearance/io/ipc/ipc_script_placement.h"

namespace clearance {

/// Nodes by their numbers, ascending.
using NodeSet = std::vector<int>;

class IpcNodes {
 public:
  /// Numbers the vertices as the reference does: shape by shape, copy by copy.
  explicit IpcNodes(const std::vector<PlacedShape>& shapes);

  const Box& box() const { return box_; }
  const Vec<3>& position(int node) const { return positions_[node]; }
  int size() const { return static_cast<int>(positions_.size()); }
  int num_shapes() const { return static_cast<int>(first_.size()) - 1; }
  int num_nodes_of(int shape) const { return first_[shape + 1] - first_[shape]; }

  template <class Test>
  NodeSet select(const Test& is_meant) const {
    NodeSet chosen;
    for (int node = 0; node < size(); ++node) {
      if (is_meant(position(node))) chosen.push_back(node);
    }
    return chosen;
  }
  /// Returns the nodes of the set that belong to the shape.
  NodeSet of_shape(const NodeSet& nodes, int shape) const;
  /// Returns boxes in the scene that hold each of these nodes of a shape once, and none of its other nodes. Returns an
  /// empty list if there is no such list of reasonable length, as for nodes at the same position.
  std::vector<std::array<Vec<3>, 2>> boxes(const NodeSet& nodes_of_shape, int shape) const;

 private:
  bool add_boxes(NodeSet nodes, int shape, std::vector<std::array<Vec<3>, 2>>& boxes) const;

  std::vector<Vec<3>> positions_;
  std::vector<int> first_;  ///< node of every shape, and one past the last
  Box box_;
};

}  // namespace clearance
