// Search for the first root in (t, u, v) space by halving boxes, breadth first [Fer23, alg. 3.2] and depth first
// ([Fer23, alg. 3.1] with the earlier half first).
//
// The halved dimension depends on the level only, so that all boxes of a level have the same widths: a box is its lower
// corner and its level. All numbers are dyadic with at most 50 bits and therefore exact.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "clearance/ccd/methods/ccd_answer.h"
#include "clearance/ccd/query.h"
#include "clearance/math/types.h"

namespace clearance {

enum class BoxVerdict { disjoint, overlapping, root };

/// A box as the inclusion functions see it: t, u, v.
struct ParameterBox {
  std::array<double, 3> low, high;
};

/// The widths of the boxes of every level: each level halves the dimension of the largest weighted width.
class BoxLevels {
 public:
  static constexpr double smallest_width = 0x1p-50;
  static constexpr int max_levels = 151;

  explicit BoxLevels(const std::array<double, 3>& weights) : weights_(weights) {
    widths_[0] = {1.0, 1.0, 1.0};
    dimensions_[0] = choose_dimension(widths_[0]);
  }

  const std::array<double, 3>& widths(int level) const { return widths_[level]; }
  /// -1 if the boxes cannot be halved.
  int dimension(int level) const { return dimensions_[level]; }

  ParameterBox box(const std::array<double, 3>& low, int level) const {
    const std::array<double, 3>& w = widths_[level];
    return {low, {low[0] + w[0], low[1] + w[1], low[2] + w[2]}};
  }

  /// Makes `level` + 1 known; `level` is known and can be halved.
  void extend(int level) {
    if (level + 1 < num_known_) return;
    widths_[level + 1] = widths_[level];
    widths_[level + 1][dimensions_[level]] *= 0.5;
    dimensions_[level + 1] = choose_dimension(widths_[level + 1]);
    ++num_known_;
  }

 private:
  int choose_dimension(const std::array<double, 3>& widths) const {
    int chosen = -1;
    for (int i = 0; i < 3; ++i) {
      if (widths[i] <= smallest_width) continue;
      if (chosen < 0 || widths[i] * weights_[i] > widths[chosen] * weights_[chosen]) chosen = i;
    }
    return chosen;
  }

  std::array<double, 3> weights_;
  std::array<std::array<double, 3>, max_levels> widths_;
  std::array<int, max_levels> dimensions_;
  int num_known_ = 1;
};

/// `Inclusion` offers weights(), is_triangle() and check(ParameterBox): disjoint promises that the box has no root.
/// A box at the cap, or too small to be halved, counts as a root: the time is never late.
template <class Inclusion>
CcdAnswer search_breadth_first(const Inclusion& inclusion, int max_iterations) {
  using Corner = std::array<double, 3>;
  static thread_local std::vector<Corner> current, next;
  current.assign(1, {0.0, 0.0, 0.0});
  BoxLevels levels(inclusion.weights());
  int num_checks = 0;
  for (int level = 0; !current.empty(); ++level) {
    next.clear();
    const int dimension = levels.dimension(level);
    if (dimension >= 0) levels.extend(level);
    double first_time = infinity;  // of the first colliding box of this level (I_f)
    for (const Corner& low : current) {
      const BoxVerdict verdict = inclusion.check(levels.box(low, level));
      ++num_checks;
      if (verdict == BoxVerdict::disjoint) continue;
      const bool is_first = first_time == infinity;
      if (is_first) first_time = low[0];
      if (num_checks >= max_iterations || dimension < 0) return {true, first_time};
      // A small box that is not the first is halved like the others (to drop it, as line 15 of [Fer23, alg. 3.2] can be
      // read, would lose its root where the earlier boxes have none).
      if (verdict == BoxVerdict::root && is_first) return {true, first_time};
      Corner upper = low;
      upper[dimension] += levels.widths(level + 1)[dimension];
      next.push_back(low);
      if (!inclusion.is_triangle() || upper[1] + upper[2] <= 1.0) next.push_back(upper);
    }
    // Halves in u or v follow their parents in order.
    if (dimension == 0) {
      std::sort(next.begin(), next.end(), [](const Corner& a, const Corner& b) { return a[0] < b[0]; });
    }
    std::swap(current, next);
  }
  return {};
}

template <class Inclusion>
CcdAnswer search_depth_first(const Inclusion& inclusion, int max_iterations) {
  struct Entry {
    std::array<double, 3> low;
    int level;
  };
  // Each halving takes one box and leaves two of the next level.
  std::array<Entry, BoxLevels::max_levels + 1> stack;
  int size = 1;
  stack[0] = {{0.0, 0.0, 0.0}, 0};
  BoxLevels levels(inclusion.weights());
  double root_time = infinity;
  for (int num_checks = 0; size > 0; ++num_checks) {
    if (num_checks >= max_iterations) {
      for (int i = 0; i < size; ++i) root_time = std::min(root_time, stack[i].low[0]);
      return {true, root_time};
    }
    const Entry entry = stack[--size];
    if (entry.low[0] >= root_time) continue;
    const BoxVerdict verdict = inclusion.check(levels.box(entry.low, entry.level));
    if (verdict == BoxVerdict::disjoint) continue;
    const int dimension = levels.dimension(entry.level);
    if (verdict == BoxVerdict::root || dimension < 0) {
      root_time = entry.low[0];
      continue;
    }
    levels.extend(entry.level);
    const int level = entry.level + 1;
    Entry upper{entry.low, level};
    upper.low[dimension] += levels.widths(level)[dimension];
    if (!inclusion.is_triangle() || upper.low[1] + upper.low[2] <= 1.0) stack[size++] = upper;
    stack[size++] = {entry.low, level};
  }
  return {root_time < infinity, std::min(root_time, 1.0)};
}

}  // namespace clearance
