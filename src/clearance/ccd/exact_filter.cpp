#include "clearance/ccd/exact_filter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "clearance/ccd/relative_motion.h"
#include "clearance/geometry/distance.h"
#include "clearance/math/interval.h"

namespace clearance {
namespace {

using IntervalVector = std::array<Interval, 3>;

Interval cross(const IntervalVector& a, const IntervalVector& b, int i) {
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  return a[j] * b[k] - a[k] * b[j];
}

int certain_sign(const Interval& x) {
  return x.lo > 0.0 ? 1 : (x.hi < 0.0 ? -1 : 0);
}

/// The corners of the relative motion as start + t change, with all rounding inside.
class IntervalCorners {
 public:
  explicit IntervalCorners(const CcdQuery& query) {
    const auto add = [&](int a, int b) {
      for (int i = 0; i < 3; ++i) {
        const Interval start = Interval(query.motion.t0[a][i]) - Interval(query.motion.t0[b][i]);
        start_[count_][i] = start;
        change_[count_][i] = Interval(query.motion.t1[a][i]) - Interval(query.motion.t1[b][i]) - start;
      }
      ++count_;
    };
    if (query.kind == QueryKind::point_triangle) {
      for (int k = 1; k < 4; ++k) add(0, k);
    } else {
      add(0, 2), add(1, 2), add(1, 3), add(0, 3);
    }
  }

  /// Returns the sign of det(r0, r1, r last) at time t; 0 if it is unknown.
  int volume_sign(double t) const {
    const IntervalVector a = at(0, t), b = at(1, t), c = at(count_ - 1, t);
    return certain_sign(a[0] * cross(b, c, 0) + a[1] * cross(b, c, 1) + a[2] * cross(b, c, 2));
  }

  /// True only if at all these times the projection of the corners along one axis turns around the origin.
  bool is_inside(const Interval& t) const {
    std::array<IntervalVector, 4> r;
    for (int k = 0; k < count_; ++k) r[k] = at(k, t);
    for (int i = 0; i < 3; ++i) {
      const int side = certain_sign(cross(r[count_ - 1], r[0], i));
      bool is_inside = side != 0;
      for (int k = 0; is_inside && k + 1 < count_; ++k) is_inside = certain_sign(cross(r[k], r[k + 1], i)) == side;
      if (is_inside) return true;
    }
    return false;
  }

  /// True only if the hull has a point in the cube [-d, d]^3 at time t.
  bool reaches_cube(double d, double t) const {
    std::array<IntervalVector, 4> r;
    std::array<Vec<3>, 4> middle;
    for (int k = 0; k < count_; ++k) {
      r[k] = at(k, t);
      for (int i = 0; i < 3; ++i) middle[k][i] = r[k][i].middle();
    }
    // This point of the hull is corner i + u (corner j - corner i) + v (corner k - corner i).
    const auto is_inside = [&](int i, int j, int k, double u, double v) {
      for (int c = 0; c < 3; ++c) {
        const Interval x = r[i][c] + Interval(u) * (r[j][c] - r[i][c]) + Interval(v) * (r[k][c] - r[i][c]);
        if (!(x.magnitude() <= d)) return false;
      }
      return true;
    };
    for (int k = 0; k < count_; ++k) {
      const int next = (k + 1) % count_;
      const Vec<3> edge = middle[next] - middle[k];
      const double u = -middle[k].dot(edge) / edge.squaredNorm();
      if (is_inside(k, next, k, u > 0.0 ? std::min(u, 1.0) : 0.0, 0.0)) return true;
    }
    const Vec<3> a = middle[1] - middle[0], b = middle[count_ - 1] - middle[0];
    const Vec<3> normal = cross_product(a, b);
    const double u = -cross_product(middle[0], b).dot(normal) / normal.squaredNorm();
    const double v = -cross_product(a, middle[0]).dot(normal) / normal.squaredNorm();
    const bool is_on_face = u >= 0.0 && v >= 0.0 && (count_ == 3 ? u <= next_below(1.0 - v) : (u <= 1.0 && v <= 1.0));
    return is_on_face && is_inside(0, 1, count_ - 1, u, v);
  }

 private:
  IntervalVector at(int k, const Interval& t) const {
    IntervalVector r;
    for (int i = 0; i < 3; ++i) r[i] = start_[k][i] + t * change_[k][i];
    return r;
  }

  std::array<IntervalVector, 4> start_, change_;
  int count_ = 0;
};

struct Cubic {
  std::array<double, 4> c;
  double operator()(double t) const { return ((c[3] * t + c[2]) * t + c[1]) * t + c[0]; }
};

/// Returns det(r0, r1, r last) as a polynomial in time, rounded.
Cubic volume_of(const CcdQuery& query) {
  std::array<Vec<3>, 3> a, b;
  if (query.kind == QueryKind::point_triangle) {
    a = point_corners<3, 4>(query.motion.t0);
    b = point_corners<3, 4>(query.motion.t1);
  } else {
    const auto start = edge_edge_corners(query.motion.t0), end = edge_edge_corners(query.motion.t1);
    a = {start[0], start[1], start[3]};
    b = {end[0], end[1], end[3]};
  }
  for (int k = 0; k < 3; ++k) b[k] -= a[k];
  const Vec<3> aa = cross_product(a[1], a[2]), ab = cross_product(a[1], b[2]) + cross_product(b[1], a[2]),
               bb = cross_product(b[1], b[2]);
  return {{a[0].dot(aa), a[0].dot(ab) + b[0].dot(aa), a[0].dot(bb) + b[0].dot(ab), b[0].dot(bb)}};
}

/// Finds the times where a cubic changes sign, rounded; there is at most one between two extrema.
int find_sign_changes(const Cubic& f, double t_begin, std::array<double, 3>& times) {
  std::array<double, 4> ends = {t_begin, 1.0, 1.0, 1.0};
  const double a = 3.0 * f.c[3], b = f.c[2], c = f.c[1];  // f' = a t^2 + 2 b t + c
  const double root = std::sqrt(std::max(0.0, b * b - a * c)), q = -(b + std::copysign(root, b));
  const double extrema[2] = {a != 0.0 ? q / a : 1.0, q != 0.0 ? c / q : 1.0};
  for (int k = 0; k < 2; ++k) ends[k + 1] = extrema[k] > t_begin && extrema[k] < 1.0 ? extrema[k] : 1.0;
  std::sort(ends.begin(), ends.end());
  int count = 0;
  for (int k = 0; k < 3; ++k) {
    double low = ends[k], high = ends[k + 1];
    const bool is_positive = f(low) > 0.0;
    if (is_positive == (f(high) > 0.0)) continue;
    for (int i = 0; i < 52 && low < high; ++i) {
      const double middle = 0.5 * (low + high);
      ((f(middle) > 0.0) == is_positive ? low : high) = middle;
    }
    times[count++] = 0.5 * (low + high);
  }
  return count;
}

}  // namespace

bool is_certainly_touching(const CcdQuery& query, double t_begin) {
  const IntervalCorners corners(query);
  std::array<double, 3> times;
  const int count = find_sign_changes(volume_of(query), t_begin, times);
  for (int k = 0; k < count; ++k) {
    // The time is known up to the rounding of the cubic: its sign tells when the bracket is wide enough.
    for (const double reach : {0x1p-48, 0x1p-40, 0x1p-30}) {
      const Interval bracket{std::max(t_begin, times[k] - reach), std::min(1.0, times[k] + reach)};
      const int sign = corners.volume_sign(bracket.lo);
      if (sign == 0 || corners.volume_sign(bracket.hi) != -sign) continue;
      if (corners.is_inside(bracket)) return true;
      break;
    }
  }
  return false;
}

bool is_certainly_within(const CcdQuery& query, double d, double t) {
  return IntervalCorners(query).reaches_cube(d, t);
}

}  // namespace clearance
