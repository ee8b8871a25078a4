// A bounding-volume hierarchy with eight children a node over primitives in Hilbert order. It has no pointers: node n
// of a level has the children 8 n .. 8 n + 7 of the level below, so that new boxes need a refit only.
#pragma once

#include <array>
#include <vector>

#include "clearance/broad_phase/hilbert.h"
#include "clearance/broad_phase/pack.h"

namespace clearance {

/// The primitives in the slots of a leaf; -1 in slots without one.
struct alignas(32) LeafItems {
  int index[pack_width];
  int vertices[3][pack_width];  ///< the first `arity` rows are used
};

class PackTree {
 public:
  /// Primitives of `arity` (1 to 3) vertices each; all vertices of one share a group.
  PackTree(int arity, std::vector<std::array<int, 3>> primitives, const std::vector<int>& vertex_group);

  /// Takes over the boxes of the primitives: unions of their vertices' boxes. Sorts anew if the primitives have moved
  /// so far from the order of the last sort that its leaves have grown.
  void update(const std::vector<Box>& vertex_boxes);

  int arity() const { return arity_; }
  int num_leaves() const { return static_cast<int>(items_.size()); }
  const LeafItems& items(int leaf) const { return items_[static_cast<std::size_t>(leaf)]; }
  /// Level 0: boxes of the primitives; level l + 1: boxes of the packs of level l. The top level is one pack; there are
  /// at least two levels unless there are no primitives.
  const std::vector<std::vector<Pack>>& levels() const { return levels_; }
  /// How often update has sorted: lets tests see that both ways were taken.
  int num_sorts() const { return num_sorts_; }

 private:
  void sort(const std::vector<Box>& vertex_boxes);
  double refit(const std::vector<Box>& vertex_boxes);
  Box box_of(const std::array<int, 3>& vertices, const std::vector<Box>& vertex_boxes) const;

  int arity_;
  std::vector<std::array<int, 3>> primitives_;
  std::vector<int> group_;  // of each primitive
  std::vector<LeafItems> items_;
  std::vector<std::vector<Pack>> levels_;
  double spread_at_sort_ = 0.0;
  int num_sorts_ = 0;
  // Buffers of sort.
  std::vector<Box> boxes_;
  HilbertOrder order_;
};

}  // namespace clearance
