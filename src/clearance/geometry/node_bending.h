// Bending of straight elements of a higher order: some nodes are told where to go, and the others follow.
#pragma once

#include <span>
#include <vector>

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Moves some nodes of straight elements, and lets the other nodes of these elements follow by polynomials that act
/// only on elements with such a node. The k-th derivatives of an element's map are then of the order of the k-th power
/// of its size, as interpolation of full order requires [Len86]. All elements have one order.
class NodeBending {
 public:
  /// The mesh must outlive the object.
  explicit NodeBending(Mesh& mesh);

  /// Tells where a node goes.
  void move_to(int v, const Vec<3>& place) {
    moves_[v] = place - mesh_.vertices[v];
    is_told_[v] = is_done_[v] = 1;
  }

  /// Moves all nodes, once.
  void run();

 private:
  void spread(std::span<const int> nodes);

  Mesh& mesh_;
  const std::vector<NodeIndex>& nodes_;
  std::vector<double> values_;  ///< values of the functions of all nodes at all nodes
  std::vector<Vec<3>> moves_;
  std::vector<char> is_told_, is_done_;
};

}  // namespace clearance
