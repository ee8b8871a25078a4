#include "clearance/simulation/adapt/move_history.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace clearance {
namespace {

/// The points of one body, by ascending x at rest.
class PointsOfBody {
 public:
  void add(const Vec<3>& at_rest, std::size_t number) { points_.push_back({at_rest, number}); }
  void sort() {
    std::sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) {
      return std::tuple(a.at_rest.x(), a.number) < std::tuple(b.at_rest.x(), b.number);
    });
  }
  /// Returns the number of the nearest point; of several, the lowest.
  std::size_t nearest(const Vec<3>& at) const {
    const auto middle = std::lower_bound(points_.begin(), points_.end(), at.x(),
                                         [](const Point& point, double x) { return point.at_rest.x() < x; });
    // Walk away from x on both sides; the distance along x alone soon exceeds that of the best point.
    std::tuple<double, std::size_t> best{infinity, 0};
    const auto is_beyond = [&](const Point& point) {
      const double along_x = point.at_rest.x() - at.x();
      if (along_x * along_x > std::get<0>(best)) return true;
      best = std::min(best, std::tuple((point.at_rest - at).squaredNorm(), point.number));
      return false;
    };
    for (auto point = middle; point != points_.end() && !is_beyond(*point);) ++point;
    for (auto point = middle; point != points_.begin() && !is_beyond(*std::prev(point));) --point;
    return std::get<1>(best);
  }

 private:
  struct Point {
    Vec<3> at_rest;
    std::size_t number;
  };
  std::vector<Point> points_;
};

std::vector<double> move_numbers(const HistoryLayout& from, const std::vector<int>& from_body,
                                 const std::vector<double>& before, const HistoryLayout& to,
                                 const std::vector<int>& to_body) {
  std::map<int, PointsOfBody> old_points;
  for (std::size_t p = 0; p < from.points.size(); ++p) {
    old_points[from_body[from.points[p].block]].add(from.points[p].at_rest, p);
  }
  for (auto& [body, points] : old_points) points.sort();
  std::vector<double> after;
  for (const HistoryPoint& point : to.points) {
    const std::size_t nearest = old_points.at(to_body[point.block]).nearest(point.at_rest);
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
