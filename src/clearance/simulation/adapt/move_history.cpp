#include "clearance/simulation/adapt/move_history.h"

#include <algorithm>
#include <map>
#include <utility>

#include "clearance/geometry/point_tree.h"

namespace clearance {
namespace {

/// Points of one body at rest, with their numbers in the history, in ascending order.
struct PointsOfBody {
  Vertices at_rest;
  std::vector<std::size_t> numbers;
};

/// Search for the nearest point of one body.
class NearestPoint {
 public:
  explicit NearestPoint(const PointsOfBody& points) : points_(points), tree_(points.at_rest) {
    // A box of this half-width holds few points even if they all lie along a line. If they lie at one place, the first
    // box is the whole space.
    const double longest = bounding_box(points.at_rest).size().maxCoeff();
    const double reach = longest / static_cast<double>(points.at_rest.size());
    if (reach > 0.0) first_reach_ = reach;
  }

  /// Returns the number of the nearest point; of several, the lowest.
  std::size_t find(const Vec<3>& at) const {
    for (double reach = first_reach_;; reach *= 2.0) {
      std::pair<double, std::size_t> best{infinity, 0};
      tree_.visit_box(at - Vec<3>::Constant(reach), at + Vec<3>::Constant(reach), [&](int i) {
        best = std::min(best, std::pair((points_.at_rest[i] - at).squaredNorm(), points_.numbers[i]));
      });
      // Points outside of the box are at least `reach` away, also as rounded, so that none of them is as near.
      if (best.first < reach * reach || reach == infinity) return best.second;
    }
  }

 private:
  const PointsOfBody& points_;
  PointTree tree_;
  double first_reach_ = infinity;  // [m]
};

std::vector<double> move_numbers(const HistoryLayout& from, const std::vector<int>& from_body,
                                 const std::vector<double>& before, const HistoryLayout& to,
                                 const std::vector<int>& to_body) {
  std::map<int, PointsOfBody> old_points;
  for (std::size_t p = 0; p < from.points.size(); ++p) {
    PointsOfBody& points = old_points[from_body[from.points[p].block]];
    points.at_rest.push_back(from.points[p].at_rest);
    points.numbers.push_back(p);
  }
  std::map<int, NearestPoint> nearest_point;
  for (const auto& [body, points] : old_points) nearest_point.emplace(body, points);
  std::vector<double> after;
  for (const HistoryPoint& point : to.points) {
    const std::size_t nearest = nearest_point.at(to_body[point.block]).find(point.at_rest);
    const auto numbers = before.begin() + static_cast<std::ptrdiff_t>(nearest * from.num_per_point);
    after.insert(after.end(), numbers, numbers + static_cast<std::ptrdiff_t>(from.num_per_point));
  }
  return after;
}

}  // namespace

History move_history(const Model& from, const History& before, const Model& to) {
  History after(before.size());
  for (std::size_t k = 0; k < before.size(); ++k) {
    if (before[k].empty()) continue;
    after[k] = move_numbers(from.potentials[k]->history_layout(), from.body_of_block, before[k],
                            to.potentials[k]->history_layout(), to.body_of_block);
  }
  return after;
}

}  // namespace clearance
