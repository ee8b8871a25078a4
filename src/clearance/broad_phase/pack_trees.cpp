#include "clearance/broad_phase/pack_trees.h"

#include <cmath>

#include "clearance/base/parallel.h"
#include "clearance/broad_phase/hilbert.h"

namespace clearance {
namespace {

// Sum of the square roots of the leaves' extents may grow by this factor before a new sort: about 1.3 in length.
constexpr double allowed_spread_growth = 1.15;
constexpr int leaves_per_task = 256;

constexpr int num_packs_for(int count) {
  return (count + pack_width - 1) / pack_width;
}

// Not-a-number overlaps nothing, not even a box that reaches infinity, and takes no part in unions.
constexpr Box unused_box() {
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  return {{none, none, none, none}, {none, none, none, none}};
}

Box box_of_slot(const Pack& pack, int slot) {
  Box box{};
  for (std::size_t k = 0; k < 3; ++k) box.lo[k] = pack.lo[k][slot];
  for (std::size_t k = 0; k < 3; ++k) box.hi[k] = pack.hi[k][slot];
  return box;
}

void set_slot(Pack& pack, int slot, const Box& box) {
  for (std::size_t k = 0; k < 3; ++k) pack.lo[k][slot] = box.lo[k];
  for (std::size_t k = 0; k < 3; ++k) pack.hi[k][slot] = box.hi[k];
}

// The first slot of a pack is always used, so that it starts from a number.
Box union_of_slots(const Pack& pack) {
  Box box = empty_box();
  for (std::size_t k = 0; k < 3; ++k) {
    box.lo[k] = *std::min_element(pack.lo[k], pack.lo[k] + pack_width);
    box.hi[k] = *std::max_element(pack.hi[k], pack.hi[k] + pack_width);
  }
  return box;
}

template <int arity>
Box box_of(const LeafItems<arity>& items, int slot, const std::vector<Box>& vertex_boxes) {
  Box box = vertex_boxes[items.corner(0)[slot]];
  for (int k = 1; k < arity; ++k) box.extend(vertex_boxes[items.corner(k)[slot]]);
  return box;
}

// Turns the first three coordinates of four boxes from row by row to coordinate by coordinate.
void transpose(const BoxRow (&rows)[4], float (&out)[3][pack_width], int first_slot) {
  const BoxRow xy01 = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  const BoxRow xy23 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  const BoxRow z01 = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  const BoxRow z23 = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  const auto row = [&](int k) -> BoxRow& { return *reinterpret_cast<BoxRow*>(out[k] + first_slot); };
  row(0) = __builtin_shufflevector(xy01, xy23, 0, 1, 4, 5);
  row(1) = __builtin_shufflevector(xy01, xy23, 2, 3, 6, 7);
  row(2) = __builtin_shufflevector(z01, z23, 0, 1, 4, 5);
}

// Union of boxes, and how far apart their middles are: unlike the size of the union that does not depend on inflation
// and sweep.
class LeafBox {
 public:
  void add(const Box& box) {
    union_.extend(box);
    Box middle;
    middle.lo_row() = middle.hi_row() = 0.5F * box.lo_row() + 0.5F * box.hi_row();
    middles_.extend(middle);
  }
  const Box& box() const { return union_; }
  float spread() const {
    const BoxRow extent = middles_.hi_row() - middles_.lo_row();
    return std::max(extent[0], 0.0F) + std::max(extent[1], 0.0F) + std::max(extent[2], 0.0F);
  }

 private:
  Box union_ = empty_box();
  Box middles_ = empty_box();
};

}  // namespace

template <int arity>
PackTrees<arity>::PackTrees(const std::vector<std::array<int, arity>>& primitives,
                            const std::vector<int>& tree_of_vertex, int num_trees)
    : num_primitives_(static_cast<int>(arity == 1 ? tree_of_vertex.size() : primitives.size())) {
  const auto tree_of = [&](const auto& primitive) { return tree_of_vertex[primitive[0]]; };
  std::vector<int> counts(num_trees, 0);
  for (const auto& primitive : primitives) ++counts[tree_of(primitive)];
  place_trees(counts);

  // Fill the slots in the order of the primitives; the first update sorts.
  std::fill(counts.begin(), counts.end(), 0);
  for (int i = 0; i < std::ssize(primitives); ++i) {
    const auto& primitive = primitives[i];
    const std::size_t tree = tree_of(primitive);
    const int position = counts[tree]++;
    LeafItems<arity>& items = items_[trees_[tree].first_leaf + position / pack_width];
    items.index[position % pack_width] = arity == 1 ? primitive[0] : i;
    for (int k = 0; k < arity; ++k) {
      items.set_corner(k, position % pack_width, primitive[k]);
    }
  }
}

template <int arity>
void PackTrees<arity>::place_trees(const std::vector<int>& num_primitives) {
  int num_packs = 0;
  int num_leaves = 0;
  for (const int count : num_primitives) {
    trees_.push_back({empty_box(), num_packs, num_leaves, num_packs_for(count), 0, 0.0});
    num_leaves += num_packs_for(count);
    if (count == 0) continue;
    int level_size = count;
    do {
      level_size = num_packs_for(level_size);
      num_packs += level_size;
    } while (level_size > 1);
  }
  LeafItems<arity> unused;
  std::fill_n(unused.index, pack_width, -1);
  for (int k = 0; k < arity; ++k) {
    for (int slot = 0; slot < pack_width; ++slot) unused.set_corner(k, slot, -1);
  }
  items_.assign(num_leaves, unused);
  Pack empty;
  for (int slot = 0; slot < pack_width; ++slot) set_slot(empty, slot, unused_box());
  packs_.assign(num_packs, empty);
}

template <int arity>
TreeLevels PackTrees<arity>::levels(int tree) const {
  TreeLevels levels;
  int first = at(tree).first_pack;
  for (int size = at(tree).num_leaves; size > 0; size = size > 1 ? num_packs_for(size) : 0) {
    levels.first_pack[++levels.top] = first;
    first += size;
  }
  return levels;
}

template <int arity>
void PackTrees<arity>::update(int index, const std::vector<Box>& vertex_boxes) {
  Tree& tree = trees_[index];
  if (tree.num_leaves == 0) return;
  // The result of a query does not depend on the order, so that the history in spread_at_sort does no harm.
  const double spread = refit(tree, vertex_boxes);
  const bool is_stale = tree.num_sorts == 0 || !(spread <= allowed_spread_growth * tree.spread_at_sort);
  if (tree.num_leaves == 1 || !is_stale) return;
  sort(tree);
  tree.spread_at_sort = refit(tree, vertex_boxes);
  ++tree.num_sorts;
}

template <int arity>
double PackTrees<arity>::refit(Tree& tree, const std::vector<Box>& vertex_boxes) {
  // Boxes of the primitives, and of the leaves in their parents; leaves are independent.
  double spread = 0.0;
  if (tree.num_leaves <= leaves_per_task) {
    spread = fit_leaves(tree, 0, tree.num_leaves, vertex_boxes);
  } else {
    const auto fit_chunk = [&](int chunk) {
      const int begin = chunk * leaves_per_task;
      return fit_leaves(tree, begin, std::min(tree.num_leaves, begin + leaves_per_task), vertex_boxes);
    };
    const int num_chunks = (tree.num_leaves + leaves_per_task - 1) / leaves_per_task;
    spread = ordered_reduce(num_chunks, 0.0, fit_chunk, std::plus<>(), 1);
  }

  // Each further level from the one below: few packs.
  int below = tree.first_pack + tree.num_leaves;
  for (int size = num_packs_for(tree.num_leaves); tree.num_leaves > 1 && size > 1; size = num_packs_for(size)) {
    for (int n = 0; n < size; ++n) {
      set_slot(pack_at(below + size + n / pack_width), n % pack_width, union_of_slots(pack_at(below + n)));
    }
    below += size;
  }
  if (tree.num_leaves > 1) tree.box = union_of_slots(pack_at(below));
  return spread;
}

template <int arity>
double PackTrees<arity>::fit_leaves(Tree& tree, int begin, int end, const std::vector<Box>& vertex_boxes) {
  double sum_of_roots = 0.0;
  for (int leaf = begin; leaf < end; ++leaf) {
    const LeafItems<arity>& items = items_[tree.first_leaf + leaf];
    Pack& pack = pack_at(tree.first_pack + leaf);
    LeafBox leaf_box;
    for (int first_slot = 0; first_slot < pack_width; first_slot += 4) {
      BoxRow lo[4];
      BoxRow hi[4];
      // Four boxes at a time become rows of lower and upper bounds.
      for (int i = 0; i < 4; ++i) {
        const Box box = items.index[first_slot + i] < 0 ? unused_box() : box_of(items, first_slot + i, vertex_boxes);
        leaf_box.add(box);
        lo[i] = box.lo_row();
        hi[i] = box.hi_row();
      }
      transpose(lo, pack.lo, first_slot);
      transpose(hi, pack.hi, first_slot);
    }
    sum_of_roots += std::sqrt(static_cast<double>(leaf_box.spread()));
    // A leaf is a slot of its parent; a tree of one leaf has none.
    if (tree.num_leaves == 1) {
      tree.box = leaf_box.box();
    } else {
      set_slot(pack_at(tree.first_pack + tree.num_leaves + leaf / pack_width), leaf % pack_width, leaf_box.box());
    }
  }
  return sum_of_roots;
}

template <int arity>
void PackTrees<arity>::sort(const Tree& tree) {
  // The boxes are as the last refit left them.
  const auto items_begin = items_.begin() + tree.first_leaf;
  const std::vector<LeafItems<arity>> old_items(items_begin, items_begin + tree.num_leaves);
  std::vector<Box> boxes;
  boxes.reserve(static_cast<std::size_t>(tree.num_leaves) * pack_width);
  for (int leaf = 0; leaf < tree.num_leaves; ++leaf) {
    const LeafItems<arity>& items = old_items[leaf];
    for (int slot = 0; slot < pack_width && items.index[slot] >= 0; ++slot) {
      boxes.push_back(box_of_slot(pack_at(tree.first_pack + leaf), slot));
    }
  }
  HilbertOrder order;
  order.sort(boxes);

  for (int position = 0; position < static_cast<int>(order.keys.size()); ++position) {
    const int old_position = order.keys[position].index;
    const LeafItems<arity>& old = old_items[old_position / pack_width];
    LeafItems<arity>& items = items_begin[position / pack_width];
    items.index[position % pack_width] = old.index[old_position % pack_width];
    for (int k = 0; k < arity; ++k) {
      items.set_corner(k, position % pack_width, old.corner(k)[old_position % pack_width]);
    }
  }
}

template class PackTrees<1>;
template class PackTrees<2>;
template class PackTrees<3>;

}  // namespace clearance
