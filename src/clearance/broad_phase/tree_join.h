// Search for all overlapping pairs of primitives in many pairs of trees.
#pragma once

#include <optional>

#include "clearance/broad_phase/pack_trees.h"
#include "clearance/broad_phase/pair_collector.h"

namespace clearance {

/// Returns the sorted pairs (primitive of `first`, primitive of `second`) whose boxes overlap and that share no vertex,
/// over all pairs (tree of `first`, tree of `second`) in `tree_pairs`. Trees of the same number belong to the same
/// body: only there are vertices shared. Of pairs within one and the same kind of primitives each comes once, smaller
/// index first; the tree pairs must be so too. Nothing if there are more than `most_pairs`. Arities: (1, 1), (1, 2),
/// (1, 3), (2, 2), (2, 3).
template <int first_arity, int second_arity>
std::optional<std::vector<std::array<int, 2>>> find_overlaps(const PackTrees<first_arity>& first,
                                                             const PackTrees<second_arity>& second,
                                                             const std::vector<std::array<int, 2>>& tree_pairs,
                                                             std::size_t most_pairs, PairCollector& collector);

}  // namespace clearance
