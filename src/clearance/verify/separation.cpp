#include "clearance/verify/separation.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "clearance/verify/rational.h"

namespace clearance::verify {
namespace {

// --- In double precision: certain, or no answer ---

// Below it products may underflow, and the error bound would not hold.
constexpr double smallest_trusted = 1e-150, largest_trusted = 1e100;

/// The distance along `direction` between two convex sets is never above the distance between them, whatever the
/// direction: so any direction that shows a gap proves it, and a badly rounded one only proves less.
template <std::size_t n, std::size_t m>
bool is_certainly_apart(const std::array<Vec<3>, n>& a, const std::array<Vec<3>, m>& b, Vec<3> direction, double gap) {
  const double length = direction.cwiseAbs().maxCoeff();
  if (!(length > smallest_trusted && length < largest_trusted)) return false;
  direction /= length;
  const Vec<3> origin = a[0], weight = direction.cwiseAbs();
  double size = 0.0;
  std::array<double, 2> low = {infinity, infinity}, high = {-infinity, -infinity};
  const auto add = [&](const Vec<3>& x, std::size_t side) {
    const Vec<3> d = x - origin;
    size = std::max(size, weight.dot(d.cwiseAbs()));
    low[side] = std::min(low[side], direction.dot(d));
    high[side] = std::max(high[side], direction.dot(d));
  };
  for (const Vec<3>& x : a) add(x, 0);
  for (const Vec<3>& x : b) add(x, 1);
  if (!(size > smallest_trusted && size < largest_trusted)) return false;
  // Two values have one rounding for a difference, one for a product and two for the sum: 10 eps of `size` in all and
  // one of the difference, 2^-53 each; the length of the direction is right to a few more.
  const double seen = std::max(low[0] - high[1], low[1] - high[0]) - 4e-15 * size;
  return seen > gap * direction.norm() * (1.0 + 4e-15);
}

/// Returns the rounded vector from p to the closest point of the segment.
Vec<3> towards_segment(const Vec<3>& p, const Vec<3>& a, const Vec<3>& b) {
  const Vec<3> u = b - a;
  const double length_sq = u.squaredNorm();
  const double t = length_sq > 0 ? std::clamp(u.dot(p - a) / length_sq, 0.0, 1.0) : 0.0;
  return a + t * u - p;
}

// --- In rational numbers ---

bool is_above(const mpq_class& gap_sq, double gap) {
  const mpq_class exact_gap(gap);
  return gap_sq > exact_gap * exact_gap;
}

}  // namespace

bool point_triangle_gap_exceeds(const Vec<3>& p, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2, double gap) {
  const std::array<Vec<3>, 1> point = {p};
  const std::array<Vec<3>, 3> triangle = {t0, t1, t2};
  const Vec<3> normal = (t1 - t0).cross(t2 - t0);
  if (is_certainly_apart(point, triangle, normal, gap)) return true;
  for (std::size_t i = 0; i < 3; ++i) {
    if (is_certainly_apart(point, triangle, towards_segment(p, triangle[i], triangle[(i + 1) % 3]), gap)) return true;
  }
  return is_above(exact_gap_sq(exactly(p), exactly(t0), exactly(t1), exactly(t2)), gap);
}

bool segment_gap_exceeds(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d, double gap) {
  const std::array<Vec<3>, 2> first = {a, b}, second = {c, d};
  const Vec<3> normal = (b - a).cross(d - c);
  if (is_certainly_apart(first, second, normal, gap)) return true;
  for (const Vec<3>& x : first) {
    if (is_certainly_apart(first, second, towards_segment(x, c, d), gap)) return true;
  }
  for (const Vec<3>& x : second) {
    if (is_certainly_apart(first, second, towards_segment(x, a, b), gap)) return true;
  }
  return is_above(exact_segments_gap_sq(exactly(a), exactly(b), exactly(c), exactly(d)), gap);
}

bool half_space_gap_exceeds(const Vec<3>& normal, const Vec<3>& point, const Vec<3>& x, double gap) {
  // The bound is that of sign_of_side, and the length of the normal is right to a few roundings.
  const Vec<3> d = x - point;
  const double seen = normal.dot(d) - 1e-15 * normal.cwiseAbs().dot(d.cwiseAbs());
  const double needed = gap * normal.norm() * (1.0 + 4e-15);
  if (needed > smallest_trusted && seen > needed && seen < largest_trusted) return true;
  const Rational n = exactly(normal);
  const mpq_class height = dot(n, minus(exactly(x), exactly(point)));
  return height > 0 && is_above(height * height / dot(n, n), gap);
}

}  // namespace clearance::verify
