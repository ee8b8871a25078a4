// One bounding-volume hierarchy per body over primitives in Hilbert order, eight children per node. No pointers and no
// vector of its own for any tree: node n of a level has the children 8 n .. 8 n + 7 of the level below, and all trees
// lie one after the other in the same arrays, so that scenes of many small bodies cost no more than one large body.
#pragma once

#include <array>
#include <vector>

#include "clearance/broad_phase/pack.h"

namespace clearance {

/// The primitives in the slots of a leaf; -1 in slots without one.
template <int arity>
struct alignas(32) LeafItems {
  int index[pack_width];
  int vertices[arity][pack_width];

  const int* corner(int k) const { return vertices[k]; }
  void set_corner(int k, int slot, int vertex) { vertices[k][slot] = vertex; }
};
/// A vertex is its own corner.
template <>
struct alignas(32) LeafItems<1> {
  int index[pack_width];

  const int* corner(int) const { return index; }
  void set_corner(int, int, int) {}
};

/// Offsets of the levels of one tree. Level 0: boxes of the primitives; level l + 1: boxes of the packs of level l. The
/// top level is one pack.
struct TreeLevels {
  static constexpr int max_levels = 11;  // 8^11 slots: any 32-bit index
  std::array<int, max_levels> first_pack;
  int top = -1;
};

/// Trees over primitives of `arity` (1: vertices, 2: edges, 3: triangles) vertices each.
template <int arity>
class PackTrees {
 public:
  /// A primitive belongs to the tree of its first vertex. Its index is its place in `primitives`; that of a vertex is
  /// the vertex itself, so that some of all vertices may be given.
  PackTrees(const std::vector<std::array<int, arity>>& primitives, const std::vector<int>& tree_of_vertex,
            int num_trees);

  /// Updates the boxes of a tree's primitives: unions of their vertices' boxes. Sorts the tree anew if the primitives
  /// have moved so far from the order of the last sort that its leaves have grown. Calls for different trees may
  /// overlap.
  void update(int tree, const std::vector<Box>& vertex_boxes);

  int num_primitives() const { return num_primitives_; }
  int num_leaves(int tree) const { return at(tree).num_leaves; }
  const LeafItems<arity>& items(int tree, int leaf) const { return items_[at(tree).first_leaf + leaf]; }
  const Pack& pack(int index) const { return packs_[index]; }
  TreeLevels levels(int tree) const;
  /// Union of all boxes of a tree, as of its last update; without primitives it overlaps nothing.
  const Box& box(int tree) const { return at(tree).box; }
  /// Number of times that update has sorted the tree; tests use it to see that both ways were taken.
  int num_sorts(int tree) const { return at(tree).num_sorts; }

 private:
  struct Tree {
    Box box;
    int first_pack;  // packs of the leaves, then those of each level
    int first_leaf;
    int num_leaves;
    int num_sorts;
    double spread_at_sort;
  };

  const Tree& at(int tree) const { return trees_[tree]; }
  Pack& pack_at(int index) { return packs_[index]; }
  void place_trees(const std::vector<int>& num_primitives);
  double refit(Tree& tree, const std::vector<Box>& vertex_boxes);
  double fit_leaves(Tree& tree, int begin, int end, const std::vector<Box>& vertex_boxes);
  void sort(const Tree& tree);

  int num_primitives_;
  std::vector<Tree> trees_;
  std::vector<LeafItems<arity>> items_;
  std::vector<Pack> packs_;
};

}  // namespace clearance
