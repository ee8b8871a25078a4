// Trees over the boxes of primitives that live on a device, one per body, and their join. They have the form of those
// on the CPU (pack_trees.h): eight children a node, all trees of a kind one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "clearance/broad_phase/box.h"
#include "clearance/broad_phase/pair_collector.h"
#include "clearance/device/device.h"

namespace clearance {

/// Boxes of vertices or bodies on a device.
class DeviceBoxes {
 public:
  /// False if a coordinate is not a number: nothing is written.
  bool write(Device& device, const std::vector<Box>& boxes);
  const DeviceBuffer& buffer() const { return buffer_; }

 private:
  std::vector<std::int32_t> numbers_;
  DeviceBuffer buffer_;
};

/// Trees over one kind of primitives.
class DeviceTrees {
 public:
  /// A primitive has `arity` vertices in `corners` and belongs to the tree of its first one. Its number is its place;
  /// that of a vertex is the vertex itself.
  DeviceTrees(Device& device, int arity, std::vector<int> corners, const std::vector<int>& tree_of_vertex,
              int num_trees);

  /// Updates all boxes. Sorts the trees anew now and then, which no answer depends on.
  void update(Device& device, const DeviceBoxes& vertex_boxes, const DeviceBoxes& tree_boxes);

  /// All numbers are smaller.
  int num_numbers() const { return num_numbers_; }
  int num_leaves(int tree) const { return first_leaf_[tree + 1] - first_leaf_[tree]; }

 private:
  friend class DeviceJoin;
  void place_nodes(int num_trees);
  void sort(Device& device, const DeviceBoxes& vertex_boxes, const DeviceBoxes& tree_boxes);
  void sort_by(Device& device, const DeviceBuffer& keys, int num_bits);

  int arity_;
  int num_numbers_;
  std::uint32_t num_leaves_;
  std::vector<int> first_leaf_;                        // of each tree, one more than trees
  std::vector<int> root_;                              // of each tree; -1 without primitives
  std::vector<std::uint32_t> level_begin_;             // in nodes that are no leaves, one more than levels
  std::vector<std::array<std::int32_t, 2>> children_;  // begin and end, of those nodes
  std::vector<std::int32_t> last_leaf_;                // under those nodes
  int num_tree_bits_ = 0;
  int num_updates_ = 0;
  DeviceBuffer corners_, tree_of_;  // in the order of numbers
  DeviceBuffer keys_, order_, moved_, counts_, sums_;
  DeviceBuffer ordered_corners_, numbers_, boxes_;  // in the order of leaves; boxes of all nodes
  DeviceBuffer children_on_device_, last_leaf_on_device_;
};

/// Search for all overlapping pairs of two kinds of trees.
class DeviceJoin {
 public:
  /// Returns what find_overlaps (tree_join.h) does. Throws DeviceFailure if the pairs are too many for the device.
  std::optional<std::vector<std::array<int, 2>>> find_overlaps(Device& device, const DeviceTrees& first,
                                                               const DeviceTrees& second,
                                                               const std::vector<std::array<int, 2>>& tree_pairs,
                                                               std::size_t most_pairs, PairCollector& collector);

 private:
  struct Side {
    std::vector<std::array<std::int32_t, 4>> tree_pairs;  // as `join` in device_kernels.cpp
    std::int64_t num_items = 0;
    DeviceBuffer tree_pairs_on_device;
  };
  static void add_pair(Side& side, const DeviceTrees& leaves, int tree, const DeviceTrees& others, int other_tree);
  void launch(Device& device, Side& side, const DeviceTrees& leaves, const DeviceTrees& others, int flags,
              std::uint32_t most);

  Side from_first_, from_second_;
  DeviceBuffer found_, num_found_;
  std::uint32_t capacity_ = 0;
};

}  // namespace clearance
