#include "clearance/solver/sparse_slopes.h"

#include <algorithm>
#include <cmath>

namespace clearance {

namespace {

/// Difference of the two orders, as a share of the slope, up to which no shorter change is tried.
constexpr double smooth = 1e-6;

/// Returns the colour of each group of arguments: no number depends on two groups of one colour.
std::vector<int> find_colours(const SlopePattern& pattern, int& num_colours) {
  std::vector<std::vector<int>> taken(pattern.num_row_groups);  // per row, the colours of its groups
  std::vector<int> colours(pattern.rows.size(), -1);
  num_colours = 0;
  std::vector<char> is_taken;
  for (std::size_t group = 0; group < colours.size(); ++group) {
    if (pattern.rows[group].empty()) continue;
    is_taken.assign(static_cast<std::size_t>(num_colours) + 1, 0);
    for (const int row : pattern.rows[group]) {
      for (const int colour : taken[static_cast<std::size_t>(row)]) is_taken[static_cast<std::size_t>(colour)] = 1;
    }
    colours[group] = static_cast<int>(std::find(is_taken.begin(), is_taken.end(), 0) - is_taken.begin());
    num_colours = std::max(num_colours, colours[group] + 1);
    for (const int row : pattern.rows[group]) taken[static_cast<std::size_t>(row)].push_back(colours[group]);
  }
  return colours;
}

}  // namespace

SparseMatrix find_slopes(const SlopePattern& pattern, double length, const std::function<VecX(const VecX&)>& function) {
  const auto num_columns = static_cast<Eigen::Index>(pattern.rows.size()) * pattern.width;
  SparseMatrix slopes(static_cast<Eigen::Index>(pattern.num_row_groups) * pattern.height, num_columns);
  int num_colours = 0;
  const std::vector<int> colours = find_colours(pattern, num_colours);
  std::vector<Eigen::Triplet<double>> entries;
  for (int colour = 0; colour < num_colours; ++colour) {
    std::vector<std::size_t> groups;
    for (std::size_t group = 0; group < colours.size(); ++group) {
      if (colours[group] == colour) groups.push_back(group);
    }
    for (int c = 0; c < pattern.num_used; ++c) {
      VecX direction = VecX::Zero(num_columns);
      for (const std::size_t group : groups) direction[static_cast<Eigen::Index>(group) * pattern.width + c] = 1.0;
      // Every group has the slopes of the length over which differences of both orders agree best.
      std::vector<VecX> best(groups.size());
      std::vector<double> least(groups.size(), infinity);
      for (const double part : {1.0, 0.03, 0.001}) {
        const double step = part * length;
        const auto at = [&](double by) { return function(by * step * direction); };
        const VecX near = at(1.0) - at(-1.0), far = at(2.0) - at(-2.0);
        bool is_smooth = true;
        for (std::size_t k = 0; k < groups.size(); ++k) {
          const std::vector<int>& rows = pattern.rows[groups[k]];
          VecX fine(static_cast<Eigen::Index>(rows.size()) * pattern.height);
          double miss = 0.0, size = 0.0;
          for (Eigen::Index i = 0; i < fine.size(); ++i) {
            const Eigen::Index row =
                static_cast<Eigen::Index>(rows[static_cast<std::size_t>(i / pattern.height)]) * pattern.height +
                i % pattern.height;
            const double coarse = near[row] / (2.0 * step);
            fine[i] = (8.0 * near[row] - far[row]) / (12.0 * step);
            miss = std::max(miss, std::abs(fine[i] - coarse));
            size = std::max(size, std::abs(coarse));
          }
          if (miss < least[k]) {
            least[k] = miss;
            best[k] = std::move(fine);
          }
          if (least[k] > smooth * size) is_smooth = false;
        }
        if (is_smooth) break;
      }
      for (std::size_t k = 0; k < groups.size(); ++k) {
        const std::vector<int>& rows = pattern.rows[groups[k]];
        for (Eigen::Index i = 0; i < best[k].size(); ++i) {
          const Eigen::Index row =
              static_cast<Eigen::Index>(rows[static_cast<std::size_t>(i / pattern.height)]) * pattern.height +
              i % pattern.height;
          if (best[k][i] == 0.0) continue;
          entries.emplace_back(row, static_cast<Eigen::Index>(groups[k]) * pattern.width + c, best[k][i]);
        }
      }
    }
  }
  slopes.setFromTriplets(entries.begin(), entries.end());
  return slopes;
}

}  // namespace clearance
