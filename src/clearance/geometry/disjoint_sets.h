// Sets of numbers that are joined pair by pair.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace clearance {

/// Disjoint sets with path halving; the root is the smallest number of its set.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }

  int root(int i) {
    while (at(i) != i) i = at(i) = at(at(i));
    return i;
  }
  void join(int i, int j) {
    const auto [low, high] = std::minmax({root(i), root(j)});
    at(high) = low;
  }

 private:
  int& at(int i) { return parent_[i]; }
  std::vector<int> parent_;
};

}  // namespace clearance
