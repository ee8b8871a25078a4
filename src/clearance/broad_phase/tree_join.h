// All overlapping pairs of two trees.
#pragma once

#include "clearance/broad_phase/pack_tree.h"
#include "clearance/broad_phase/pair_collector.h"

namespace clearance {

/// Sorted pairs (primitive of `query`, primitive of `target`) whose boxes overlap, that share no vertex and whose
/// groups may touch. With one and the same tree on both sides each unordered pair comes once, smaller index first.
/// Arities: (1, 2), (1, 3), (2, 2), (2, 3).
std::vector<std::array<int, 2>> find_overlaps(const PackTree& query, const PackTree& target, PairCollector& collector);

}  // namespace clearance
