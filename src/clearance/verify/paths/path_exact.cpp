#include "clearance/verify/paths/path_exact.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace clearance::verify {
namespace {

constexpr int max_intervals = 2000;
/// Halvings of the part, at most: gaps of 1e-30 of the size of a pair are seen.
constexpr int max_depth = 100;

class ExactPair {
 public:
  ExactPair(const PathPoints& points, Corners corners, std::size_t num_first, double gap, double bend)
      : points_(points), corners_(corners), num_first_(num_first), gap_(gap), bend_(bend) {
    if (bend > 0.0) rounding_ = mpq_class(1e-60);
  }

  PairVerdict run(double from, double to) {
    struct Interval {
      mpq_class begin, end;
      int depth;
    };
    std::vector<Interval> left = {{mpq_class(from), mpq_class(to), 0}};
    if (is_violated(at(left[0].begin))) return {PathVerdict::violated, from, true};
    if (is_violated(at(left[0].end))) return {PathVerdict::violated, to, true};
    for (int count = 0; !left.empty(); ++count) {
      const Interval part = left.back();
      left.pop_back();
      const mpq_class middle = (part.begin + part.end) / 2;
      const Corners4 at_begin = at(part.begin), at_middle = at(middle), at_end = at(part.end);
      const mpq_class length = part.end - part.begin;
      const mpq_class needed = gap_ + bend_ * length * length + rounding_;
      const std::vector<Rational> directions = directions_of(at_middle);
      const bool is_apart = std::any_of(directions.begin(), directions.end(), [&](const Rational& direction) {
        return is_apart_along(direction, at_begin, needed) && is_apart_along(direction, at_end, needed);
      });
      if (is_apart) continue;
      if (is_violated(at_middle)) return {PathVerdict::violated, middle.get_d(), true};
      if (count >= max_intervals || part.depth == max_depth) {
        const bool passes = gap_ == 0 && orientation(at(mpq_class(from))) * orientation(at(mpq_class(to))) < 0;
        return {passes ? PathVerdict::violated : PathVerdict::undecided, middle.get_d(), true};
      }
      left.push_back({middle, part.end, part.depth + 1});
      left.push_back({part.begin, middle, part.depth + 1});
    }
    return {PathVerdict::proved, 0.0, true};
  }

 private:
  using Corners4 = std::array<Rational, 4>;

  Corners4 at(const mpq_class& s) const {
    Corners4 result;
    for (std::size_t i = 0; i < corners_.size(); ++i) result[i] = points_.exact_at(corners_[i], s);
    return result;
  }

  bool is_violated(const Corners4& x) const {
    const mpq_class gap_sq =
        num_first_ == 1 ? exact_gap_sq(x[0], x[1], x[2], x[3]) : exact_segments_gap_sq(x[0], x[1], x[2], x[3]);
    return gap_sq <= gap_ * gap_;
  }

  /// True if the pair is farther apart than `needed` [m] along the direction.
  bool is_apart_along(const Rational& direction, const Corners4& x, const mpq_class& needed) const {
    std::optional<mpq_class> high, low;
    for (std::size_t i = 0; i < corners_.size(); ++i) {
      const mpq_class along = dot(direction, x[i]);
      std::optional<mpq_class>& bound = i < num_first_ ? high : low;
      if (!bound || (i < num_first_ ? along > *bound : along < *bound)) bound = along;
    }
    const mpq_class seen = *low - *high;
    return seen > 0 && seen * seen > needed * needed * dot(direction, direction);
  }

  /// Returns directions from the first primitive to the second that may separate them.
  std::vector<Rational> directions_of(const Corners4& x) const {
    std::vector<Rational> directions;
    const auto add = [&](Rational direction, const Rational& towards) {
      if (dot(direction, towards) < 0) {
        for (mpq_class& part : direction) part = -part;
      }
      directions.push_back(std::move(direction));
    };
    const auto add_to_segment = [&](const Rational& p, const Rational& a, const Rational& b, int sign) {
      const Rational u = minus(b, a), w = minus(p, a);
      const mpq_class length_sq = dot(u, u);
      mpq_class t = length_sq > 0 ? mpq_class(dot(u, w) / length_sq) : mpq_class(0);
      t = std::clamp(t, mpq_class(0), mpq_class(1));
      Rational direction;
      for (std::size_t c = 0; c < 3; ++c) direction[c] = sign * (t * u[c] - w[c]);
      directions.push_back(direction);
    };
    const auto& [a, b, c, d] = x;
    if (num_first_ == 1) {
      add(cross(minus(c, b), minus(d, b)), minus(b, a));
      add_to_segment(a, b, c, 1);
      add_to_segment(a, c, d, 1);
      add_to_segment(a, d, b, 1);
      return directions;
    }
    const Rational u = minus(b, a), v = minus(d, c), between = minus(c, a);
    add(cross(u, v), between);
    add_to_segment(a, c, d, 1);
    add_to_segment(b, c, d, 1);
    add_to_segment(c, a, b, -1);
    add_to_segment(d, a, b, -1);
    // In the plane the normals of the segments separate.
    for (const Rational& along : {u, v}) add({-along[1], along[0], 0}, between);
    return directions;
  }

  /// Sign of the volume of the four corners: it changes where the pair goes through itself.
  static int orientation(const Corners4& x) {
    return sgn(dot(minus(x[1], x[0]), cross(minus(x[2], x[0]), minus(x[3], x[0]))));
  }

  const PathPoints& points_;
  Corners corners_;
  std::size_t num_first_;
  mpq_class gap_, bend_;
  mpq_class rounding_ = 0;  // [m] more than that of positions on screws
};

}  // namespace

PairVerdict decide_pair_exactly(const PathPoints& points, Corners corners, std::size_t num_first, double gap,
                                double bend, double from, double to) {
  return ExactPair(points, corners, num_first, gap, bend).run(from, to);
}

}  // namespace clearance::verify
