#include "clearance/broad_phase/tree_join.h"

#include <atomic>
#include <bit>

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

// Leaves of the query trees a task: about 256 primitives, so that a scene of thousands gives every thread work; but not
// more tasks than keep all threads busy, because each has a buffer.
constexpr std::int64_t min_leaves_per_task = 32;
constexpr std::int64_t max_tasks = 256;
// This is deeper than any tree with 32-bit indices, which has 11 levels; each leaves at most 7 siblings waiting.
constexpr int stack_size = 128;

// Two trees. The arguments are known at compile time so that the test for shared vertices unrolls.
template <int query_arity, int target_arity, bool is_same_body>
class Join {
 public:
  Join(const PackTrees<query_arity>& query, int query_tree, const PackTrees<target_arity>& target, int target_tree)
      : query_(query),
        target_(target),
        query_tree_(query_tree),
        target_tree_(target_tree),
        query_levels_(query.levels(query_tree)),
        target_levels_(target.levels(target_tree)) {}

  /// Appends all pairs of some leaves of the query tree with the target tree.
  void find_pairs(int leaf_begin, int leaf_end, std::vector<PackedPair>& pairs) const {
    if (query_levels_.top == 0) {
      find_pairs_of_leaf(0, BoxView::of(query_.box(query_tree_)), pairs);
      return;
    }
    // Eight leaves at a time: those that meet the whole target at all.
    const BoxView target_box = BoxView::of(target_.box(target_tree_));
    for (int leaf = leaf_begin; leaf < leaf_end;) {
      const int begin = leaf - leaf % pack_width;
      const int end = std::min(begin + pack_width, leaf_end);
      const Pack& parents = query_.pack(query_levels_.first_pack[1] + begin / pack_width);
      unsigned mask = overlap_mask(parents, target_box) & ~0U << (leaf - begin) & ~(~0U << (end - begin));
      for (; mask != 0; mask &= mask - 1) {
        const int slot = std::countr_zero(mask);
        find_pairs_of_leaf(begin + slot, BoxView::of_slot(parents, slot), pairs);
      }
      leaf = end;
    }
  }

 private:
  static constexpr bool is_self_join = is_same_body && query_arity == target_arity;

  // The box around the whole leaf meets the inner nodes: one walk for eight primitives.
  void find_pairs_of_leaf(int leaf, const BoxView& leaf_box, std::vector<PackedPair>& pairs) const {
    if (target_levels_.top == 0) {
      join_leaves(leaf, 0, BoxView::of(target_.box(target_tree_)), pairs);
      return;
    }
    struct Node {
      int level, index;
    };
    std::array<Node, stack_size> stack;
    int size = 0;
    stack[size++] = {target_levels_.top, 0};
    while (size > 0) {
      const Node node = stack[--size];
      const Pack& pack = target_.pack(target_levels_.first_pack[node.level] + node.index);
      for (unsigned mask = overlap_mask(pack, leaf_box); mask != 0; mask &= mask - 1) {
        const int slot = std::countr_zero(mask);
        const int child = node.index * pack_width + slot;
        // A self join meets each pair of leaves from the earlier one.
        if (is_self_join && last_leaf_under(child, node.level - 1) < leaf) continue;
        if (node.level == 1) {
          join_leaves(leaf, child, BoxView::of_slot(pack, slot), pairs);
        } else {
          stack[size++] = {node.level - 1, child};
        }
      }
    }
  }

  static std::int64_t last_leaf_under(int node, int level) {
    return ((static_cast<std::int64_t>(node) + 1) << (3 * level)) - 1;
  }

  void join_leaves(int query_leaf, int target_leaf, const BoxView& target_box, std::vector<PackedPair>& pairs) const {
    const Pack& query_pack = query_.pack(query_levels_.first_pack[0] + query_leaf);
    const Pack& target_pack = target_.pack(target_levels_.first_pack[0] + target_leaf);
    const LeafItems<query_arity>& query_items = query_.items(query_tree_, query_leaf);
    const LeafItems<target_arity>& target_items = target_.items(target_tree_, target_leaf);
    for (unsigned slots = overlap_mask(query_pack, target_box); slots != 0; slots &= slots - 1) {
      const int slot = std::countr_zero(slots);
      unsigned hits = overlap_mask(target_pack, BoxView::of_slot(query_pack, slot));
      if (is_self_join && query_leaf == target_leaf) hits &= ~0U << (slot + 1);
      if (hits == 0) continue;
      if constexpr (is_same_body) {
#pragma GCC unroll 3
        for (int i = 0; i < query_arity; ++i) {
#pragma GCC unroll 3
          for (int j = 0; j < target_arity; ++j) {
            hits &= ~equal_mask(target_items.corner(j), query_items.corner(i)[slot]);
          }
        }
      }
      for (; hits != 0; hits &= hits - 1) {
        pairs.push_back(ordered_pair(query_items.index[slot], target_items.index[std::countr_zero(hits)]));
      }
    }
  }

  // Puts the kind with fewer vertices first, of one kind the smaller index.
  static PackedPair ordered_pair(int query, int target) {
    if constexpr (query_arity == target_arity) return pack_pair(std::min(query, target), std::max(query, target));
    return query_arity < target_arity ? pack_pair(query, target) : pack_pair(target, query);
  }

  const PackTrees<query_arity>& query_;
  const PackTrees<target_arity>& target_;
  int query_tree_;
  int target_tree_;
  TreeLevels query_levels_;
  TreeLevels target_levels_;
};

template <int query_arity, int target_arity>
void join_part(const PackTrees<query_arity>& query, int query_tree, const PackTrees<target_arity>& target,
               int target_tree, int leaf_begin, int leaf_end, std::vector<PackedPair>& pairs) {
  if (query_tree == target_tree) {
    Join<query_arity, target_arity, true>(query, query_tree, target, target_tree)
        .find_pairs(leaf_begin, leaf_end, pairs);
  } else {
    Join<query_arity, target_arity, false>(query, query_tree, target, target_tree)
        .find_pairs(leaf_begin, leaf_end, pairs);
  }
}

}  // namespace

template <int first_arity, int second_arity>
std::optional<std::vector<std::array<int, 2>>> find_overlaps(const PackTrees<first_arity>& first,
                                                             const PackTrees<second_arity>& second,
                                                             const std::vector<std::array<int, 2>>& tree_pairs,
                                                             std::size_t most_pairs, PairCollector& collector) {
  // All leaves that ask, one tree pair after the other: those of the smaller tree. Tasks are equal slices of this
  // sequence, so that many small trees share a task and two large ones have many.
  std::vector<std::int64_t> begin_of_pair = {0};
  for (const auto& [a, b] : tree_pairs) {
    const bool meet = first.box(a).overlaps(second.box(b));
    begin_of_pair.push_back(begin_of_pair.back() + (meet ? std::min(first.num_leaves(a), second.num_leaves(b)) : 0));
  }
  const std::int64_t num_leaves = begin_of_pair.back();
  const std::int64_t slice = std::max(min_leaves_per_task, (num_leaves + max_tasks - 1) / max_tasks);
  const auto num_tasks = static_cast<int>((num_leaves + slice - 1) / slice);

  collector.begin(num_tasks);
  // Once there are too many it does not matter which tasks had them.
  std::atomic<std::size_t> num_found = 0;
  parallel_for(num_tasks, 1, [&](int task) {
    if (num_found > most_pairs) return;
    std::vector<PackedPair>& pairs = collector.buffer(task);
    const std::int64_t end = std::min(num_leaves, (task + 1) * slice);
    std::int64_t leaf = task * slice;
    auto next = std::upper_bound(begin_of_pair.begin(), begin_of_pair.end(), leaf);
    for (; leaf < end; leaf = *next++) {
      const std::int64_t begin_of_tree = *(next - 1);
      if (*next == begin_of_tree) continue;
      const auto& [a, b] = tree_pairs[next - begin_of_pair.begin() - 1];
      const auto leaf_begin = static_cast<int>(leaf - begin_of_tree);
      const auto leaf_end = static_cast<int>(std::min(end, *next) - begin_of_tree);
      if (first.num_leaves(a) <= second.num_leaves(b)) {
        join_part(first, a, second, b, leaf_begin, leaf_end, pairs);
      } else {
        join_part(second, b, first, a, leaf_begin, leaf_end, pairs);
      }
    }
    num_found += pairs.size();
  });
  if (num_found > most_pairs) return std::nullopt;
  return collector.sorted_pairs(first.num_primitives());
}

using TreePairs = std::vector<std::array<int, 2>>;
using FoundPairs = std::optional<TreePairs>;
template FoundPairs find_overlaps(const PackTrees<1>&, const PackTrees<1>&, const TreePairs&, std::size_t,
                                  PairCollector&);
template FoundPairs find_overlaps(const PackTrees<1>&, const PackTrees<2>&, const TreePairs&, std::size_t,
                                  PairCollector&);
template FoundPairs find_overlaps(const PackTrees<1>&, const PackTrees<3>&, const TreePairs&, std::size_t,
                                  PairCollector&);
template FoundPairs find_overlaps(const PackTrees<2>&, const PackTrees<2>&, const TreePairs&, std::size_t,
                                  PairCollector&);
template FoundPairs find_overlaps(const PackTrees<2>&, const PackTrees<3>&, const TreePairs&, std::size_t,
                                  PairCollector&);

}  // namespace clearance
