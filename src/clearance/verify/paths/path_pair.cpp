#include "clearance/verify/paths/path_pair.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "clearance/verify/paths/path_exact.h"

namespace clearance::verify {
namespace {

constexpr double upward = 1.0 + 1e-9;
/// Bodies that roll on each other at tiny gaps need about as many intervals as the root of size over gap.
constexpr int max_intervals = 20000;
constexpr int max_exact_halvings = 2000;
/// Intervals shorter than this are left to integers.
constexpr double shortest = 0x1p-40;
/// Makes up for the rounding of a length and of what is compared with it, and for no more: gaps include the radii of
/// round shapes.
constexpr double slightly_upward = 1.0 + 8.0 * roundoff;
constexpr int max_corners = 4;

/// Corners of both primitives at one time, relative to the first.
struct Corner {
  Vec<3> r;
  double error;
};
using Corners4 = std::array<Corner, max_corners>;

class PairCheck {
 public:
  PairCheck(const PathPoints& points, Corners first, Corners second, double gap)
      : points_(points), num_first_(first.size()), gap_(gap) {
    for (const int v : first) add(v);
    for (const int v : second) add(v);
    double bend_of_first = 0.0, bend_of_second = 0.0;
    for (std::size_t i = 0; i < num_; ++i) {
      double& bend = i < num_first_ ? bend_of_first : bend_of_second;
      bend = std::max(bend, points_[corners_[i]].bend);
      is_straight_ = is_straight_ && points_.is_straight(corners_[i]);
    }
    bend_ = bend_of_first + bend_of_second;
  }

  PairVerdict run() {
    struct Interval {
      double begin, end;
    };
    std::vector<Interval> left = {{0.0, 1.0}};
    bool is_rational = false;
    int num_exact_left = max_exact_halvings;
    for (int count = 0; !left.empty(); ++count) {
      const auto [begin, end] = left.back();
      left.pop_back();
      const Answer answer = ask(begin, end);
      if (answer == Answer::apart) continue;
      const double middle = 0.5 * (begin + end);
      if (answer == Answer::open && count < max_intervals && end - begin > shortest) {
        left.push_back({middle, end});
        left.push_back({begin, middle});
        continue;
      }
      const PairVerdict exact = decide_pair_exactly(points_, Corners(corners_.data(), num_), num_first_, gap_, bend_,
                                                    begin, end, num_exact_left);
      if (exact.verdict != PathVerdict::proved) return exact;
      is_rational = true;
    }
    return {PathVerdict::proved, 0.0, is_rational};
  }

 private:
  void add(int vertex) { corners_[num_++] = vertex; }

  /// Returns the corners at time s. On straight ways their differences are computed first, so that rounding is that of
  /// the pair and not of its distance from the origin.
  Corners4 corners_at(double s) const {
    Corners4 result;
    const PathPoint& first = points_[corners_[0]];
    for (std::size_t i = 0; i < num_; ++i) {
      const PathPoint& point = points_[corners_[i]];
      if (is_straight_) {
        const Vec<3> r0 = point.p0 - first.p0, r1 = point.p1 - first.p1;
        result[i] = {(1.0 - s) * r0 + s * r1,
                     (point.error + first.error + 5.0 * roundoff * (r0.norm() + r1.norm())) * upward};
      } else {
        const auto [position, error] = position_at(point, s);
        const Vec<3> r = position - first.p0;
        result[i] = {r, (error + 2.0 * roundoff * r.norm()) * upward};
      }
    }
    return result;
  }

  /// Returns directions that may separate the pair: its normal, and those between corners and segments.
  std::array<Vec<3>, 8> directions_of(const Corners4& at, std::size_t& count) const {
    std::array<Vec<3>, 8> directions;
    count = 0;
    const auto add_to_segment = [&](const Vec<3>& p, const Vec<3>& a, const Vec<3>& b) {
      const Vec<3> u = b - a;
      const double length_sq = u.squaredNorm();
      const double t = length_sq > 0.0 ? std::clamp(u.dot(p - a) / length_sq, 0.0, 1.0) : 0.0;
      directions[count++] = a + t * u - p;
    };
    const Vec<3>&a = at[0].r, &b = at[1].r, &c = at[2].r, &d = at[3].r;
    if (num_first_ == 1) {
      const Vec<3> normal = (c - b).cross(d - b);
      directions[count++] = normal.dot(a - b) > 0.0 ? Vec<3>(-normal) : normal;
      add_to_segment(a, b, c);
      add_to_segment(a, c, d);
      add_to_segment(a, d, b);
      return directions;
    }
    const Vec<3> u = b - a, v = d - c, normal = u.cross(v);
    directions[count++] = normal.dot(c - a) < 0.0 ? Vec<3>(-normal) : normal;
    add_to_segment(a, c, d);
    add_to_segment(b, c, d);
    for (const Vec<3>& end : {c, d}) {
      add_to_segment(end, a, b);
      directions[count - 1] *= -1.0;
    }
    // In the plane the normals of the segments separate.
    for (const Vec<3>& along : {u, v}) {
      const Vec<3> across(-along[1], along[0], 0.0);
      directions[count++] = across.dot(c + d - a - b) < 0.0 ? Vec<3>(-across) : across;
    }
    return directions;
  }

  /// Returns a lower bound of the distance along a direction of unit length, but for its rounding.
  double seen_along(const Vec<3>& direction, const Corners4& at) const {
    double high = -infinity, low = infinity;
    for (std::size_t i = 0; i < num_; ++i) {
      const double along = direction.dot(at[i].r), error = at[i].error + 4.0 * roundoff * at[i].r.norm();
      if (i < num_first_) {
        high = std::max(high, along + error * upward);
      } else {
        low = std::min(low, along - error * upward);
      }
    }
    // The two bounds and their difference are rounded, and the direction is longer than one by two roundoffs at most.
    return low - high - 4.0 * roundoff * (std::abs(low) + std::abs(high));
  }

  /// Returns twice the middle coefficient, in Bernstein's basis, of the distance along a direction that changes
  /// linearly from n0 to n1 while the corners move: a lower bound, but for the rounding of the directions.
  double seen_turning(const Vec<3>& n0, const Vec<3>& n1, const Corners4& at_begin, const Corners4& at_end) const {
    double high = -infinity, low = infinity;
    for (std::size_t i = 0; i < num_; ++i) {
      const Corner &begin = at_begin[i], &end = at_end[i];
      const double along = n0.dot(end.r) + n1.dot(begin.r);
      const double error = begin.error + end.error + 6.0 * roundoff * (begin.r.norm() + end.r.norm());
      if (i < num_first_) {
        high = std::max(high, along + error * upward);
      } else {
        low = std::min(low, along - error * upward);
      }
    }
    return low - high - 4.0 * roundoff * (std::abs(low) + std::abs(high));
  }

  enum class Answer {
    apart,   ///< a direction separates the pair
    open,    ///< halves may show more
    rounded  ///< not even in the middle does a direction separate it: rounding hides the gap, or there is none
  };

  /// Looks for a direction that separates the pair between two times: a fixed one, or one that turns with a long edge.
  /// The distance along the latter is a polynomial of degree two, and the direction is never longer than at its ends.
  Answer ask(double begin, double end) const {
    const Corners4 at_begin = corners_at(begin), at_end = corners_at(end), middle = corners_at(0.5 * (begin + end));
    const double length = end - begin;
    const double least = gap_ * slightly_upward;
    const double needed = (gap_ + bend_ * length * length * upward) * slightly_upward;
    bool is_apart_in_the_middle = false;
    std::size_t count = 0;
    const std::array<Vec<3>, 8> directions = directions_of(middle, count);
    for (std::size_t i = 0; i < count; ++i) {
      const double size = directions[i].norm();
      if (!has_length(size)) continue;
      const Vec<3> direction = directions[i] / size;
      if (seen_along(direction, at_begin) > needed && seen_along(direction, at_end) > needed) return Answer::apart;
      is_apart_in_the_middle = is_apart_in_the_middle || seen_along(direction, middle) > least;
    }
    if (!is_apart_in_the_middle) return Answer::rounded;
    const std::array<Vec<3>, 8> first = directions_of(at_begin, count), last = directions_of(at_end, count);
    for (std::size_t i = 0; i < count; ++i) {
      const double size_0 = first[i].norm(), size_1 = last[i].norm();
      if (!has_length(size_0) || !has_length(size_1)) continue;
      const Vec<3> n0 = first[i] / size_0, n1 = last[i] / size_1;
      if (seen_along(n0, at_begin) > needed && seen_along(n1, at_end) > needed &&
          0.5 * seen_turning(n0, n1, at_begin, at_end) > needed) {
        return Answer::apart;
      }
    }
    return Answer::open;
  }

  static bool has_length(double size) { return size > 1e-150 && size < 1e150; }

  const PathPoints& points_;
  std::array<int, max_corners> corners_{};
  std::size_t num_ = 0, num_first_;
  double gap_;
  double bend_ = 0.0;  // [m] PathPoint::bend of both primitives
  bool is_straight_ = true;
};

}  // namespace

PairVerdict check_pair(const PathPoints& points, Corners first, Corners second, double gap) {
  return PairCheck(points, first, second, gap).run();
}

}  // namespace clearance::verify
