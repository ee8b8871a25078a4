#include "clearance/ccd/crossing.h"

#include <cmath>
#include <limits>

namespace clearance {
namespace {

/// All numbers within `radius` of `middle`. Each operation rounds its middle once and its radius a few times; the
/// factors outside cover the latter, the smallest number covers underflow.
struct Ball {
  double middle = 0.0;
  double radius = 0.0;
};

Ball operator+(const Ball& a, const Ball& b) {
  const double middle = a.middle + b.middle;
  return {middle, (a.radius + b.radius + unit_roundoff * std::abs(middle)) * (1.0 + 8.0 * unit_roundoff)};
}
Ball operator-(const Ball& a) {
  return {-a.middle, a.radius};
}
Ball operator-(const Ball& a, const Ball& b) {
  return a + -b;
}
Ball operator*(const Ball& a, const Ball& b) {
  const double middle = a.middle * b.middle;
  const double size_b = std::abs(b.middle) + b.radius;
  const double radius = std::abs(a.middle) * b.radius + a.radius * size_b + unit_roundoff * std::abs(middle);
  return {middle, radius * (1.0 + 16.0 * unit_roundoff) + 4.0 * std::numeric_limits<double>::min()};
}
/// 1, -1, or 0 if it is not certain.
int sign(const Ball& a) {
  return std::abs(a.middle) > a.radius ? (a.middle > 0.0 ? 1 : -1) : 0;
}

using BallPoint = std::array<Ball, 3>;

BallPoint operator-(const BallPoint& a, const BallPoint& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Ball dot(const BallPoint& a, const BallPoint& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
BallPoint cross(const BallPoint& a, const BallPoint& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <int num_corners>
using Corners = std::array<BallPoint, num_corners>;

/// The corners at all times of a ball. A corner is the difference of two doubles, rounded once.
template <int num_corners>
Corners<num_corners> corners_at(const RelativeMotion<3, num_corners>& motion, const Ball& t) {
  const auto rounded = [](double x) { return Ball{x, unit_roundoff * std::abs(x) * (1.0 + 4.0 * unit_roundoff)}; };
  Corners<num_corners> corners;
  for (int k = 0; k < num_corners; ++k) {
    for (std::size_t c = 0; c < 3; ++c) {
      const Ball start = rounded(motion.t0[k][c]), stop = rounded(motion.t1[k][c]);
      corners[k][c] = start + t * (stop - start);
    }
  }
  return corners;
}

template <int num_corners>
BallPoint normal_of(const Corners<num_corners>& r) {
  return cross(r[1] - r[0], r[num_corners - 1] - r[0]);
}

/// Which side of the hull's plane the origin is on.
template <int num_corners>
int side_at(const RelativeMotion<3, num_corners>& motion, double t) {
  const Corners<num_corners> r = corners_at(motion, Ball{t, 0.0});
  return sign(dot(r[0], normal_of<num_corners>(r)));
}

}  // namespace

template <int num_corners>
bool certainly_crosses(const RelativeMotion<3, num_corners>& motion, double begin, double end) {
  const int side = side_at(motion, begin);
  if (side == 0 || side_at(motion, end) != -side) return false;
  const double middle = 0.5 * (begin + end);
  const Ball t{middle, std::max(end - middle, middle - begin) * (1.0 + 4.0 * unit_roundoff)};
  const Corners<num_corners> r = corners_at(motion, t);
  const BallPoint normal = normal_of<num_corners>(r);
  for (std::size_t k = 0; k < num_corners; ++k) {
    if (sign(dot(cross(r[k], r[(k + 1) % num_corners]), normal)) != 1) return false;
  }
  return true;
}

template bool certainly_crosses<3>(const RelativeMotion<3, 3>&, double, double);
template bool certainly_crosses<4>(const RelativeMotion<3, 4>&, double, double);

}  // namespace clearance
