#include "clearance/broad_phase/tree_join.h"

#include <bit>

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

// Leaves of the query tree a task: about 256 primitives, so that a scene of thousands gives every thread work.
constexpr int leaves_per_task = 32;
// Deeper than any tree with 32-bit indices: 11 levels, each leaves at most 7 siblings waiting.
constexpr int stack_size = 128;

// The three arguments are known at compile time so that the test for shared vertices unrolls.
template <int query_arity, int target_arity, bool is_self_join>
class Join {
 public:
  Join(const PackTree& query, const PackTree& target) : query_(query), target_(target) {}

  /// All pairs of one leaf of the query tree with the target tree.
  void find_pairs_of_leaf(int leaf, std::vector<PackedPair>& pairs) const {
    struct Node {
      int level, index;
    };
    // The box around the whole leaf meets the inner nodes: one walk for eight primitives.
    const Pack& parent = query_.levels()[1][static_cast<std::size_t>(leaf / pack_width)];
    std::array<Node, stack_size> stack;
    int size = 0;
    stack[size++] = {static_cast<int>(target_.levels().size()) - 1, 0};
    while (size > 0) {
      const Node node = stack[static_cast<std::size_t>(--size)];
      const Pack& pack = target_.levels()[static_cast<std::size_t>(node.level)][static_cast<std::size_t>(node.index)];
      for (unsigned mask = overlap_mask(pack, parent, leaf % pack_width); mask != 0; mask &= mask - 1) {
        const int slot = std::countr_zero(mask);
        const int child = node.index * pack_width + slot;
        // A self join meets each pair of leaves from the earlier one.
        if (is_self_join && last_leaf_under(child, node.level - 1) < leaf) continue;
        if (node.level == 1) {
          join_leaves(leaf, child, pack, pairs);
        } else {
          stack[static_cast<std::size_t>(size++)] = {node.level - 1, child};
        }
      }
    }
  }

 private:
  static std::int64_t last_leaf_under(int node, int level) {
    return ((static_cast<std::int64_t>(node) + 1) << (3 * level)) - 1;
  }

  void join_leaves(int query_leaf, int target_leaf, const Pack& target_parent, std::vector<PackedPair>& pairs) const {
    const Pack& query_pack = query_.levels()[0][static_cast<std::size_t>(query_leaf)];
    const Pack& target_pack = target_.levels()[0][static_cast<std::size_t>(target_leaf)];
    const LeafItems& query_items = query_.items(query_leaf);
    const LeafItems& target_items = target_.items(target_leaf);
    for (unsigned slots = overlap_mask(query_pack, target_parent, target_leaf % pack_width); slots != 0;
         slots &= slots - 1) {
      const int slot = std::countr_zero(slots);
      unsigned hits = overlap_mask(target_pack, query_pack, slot);
      if (is_self_join && query_leaf == target_leaf) hits &= ~0U << (slot + 1);
      if (hits == 0) continue;
#pragma GCC unroll 2
      for (int i = 0; i < query_arity; ++i) {
#pragma GCC unroll 3
        for (int j = 0; j < target_arity; ++j) {
          hits &= ~equal_mask(target_items.vertices[j], query_items.vertices[i][slot]);
        }
      }
      for (; hits != 0; hits &= hits - 1) {
        const int a = query_items.index[slot];
        const int b = target_items.index[std::countr_zero(hits)];
        pairs.push_back(is_self_join ? pack_pair(std::min(a, b), std::max(a, b)) : pack_pair(a, b));
      }
    }
  }

  const PackTree& query_;
  const PackTree& target_;
};

template <int query_arity, int target_arity, bool is_self_join>
void run_join(const PackTree& query, const PackTree& target, PairCollector& collector) {
  const Join<query_arity, target_arity, is_self_join> join(query, target);
  const int num_tasks = (query.num_leaves() + leaves_per_task - 1) / leaves_per_task;
  collector.begin(num_tasks);
  parallel_for(num_tasks, 1, [&](int task) {
    const int end = std::min(query.num_leaves(), (task + 1) * leaves_per_task);
    std::vector<PackedPair>& pairs = collector.buffer(task);
    for (int leaf = task * leaves_per_task; leaf < end; ++leaf) join.find_pairs_of_leaf(leaf, pairs);
  });
}

}  // namespace

std::vector<std::array<int, 2>> find_overlaps(const PackTree& query, const PackTree& target, PairCollector& collector) {
  if (query.num_leaves() == 0 || target.num_leaves() == 0) return {};
  if (&query == &target) {
    run_join<2, 2, true>(query, target, collector);
  } else if (query.arity() == 2) {
    run_join<2, 3, false>(query, target, collector);
  } else if (target.arity() == 2) {
    run_join<1, 2, false>(query, target, collector);
  } else {
    run_join<1, 3, false>(query, target, collector);
  }
  return collector.sorted_pairs(pack_width * query.num_leaves());
}

}  // namespace clearance
