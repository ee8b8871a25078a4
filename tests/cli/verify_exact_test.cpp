// The exact predicates of `clearance verify` against rational arithmetic, on random and on degenerate input.
#include "clearance/verify/exact.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "clearance/verify/distance.h"

namespace clearance::cli {

using namespace verify;
namespace {

using Rational = std::array<mpq_class, 3>;

Rational minus(const Vec<3>& a, const Vec<3>& b) {
  return {mpq_class(a[0]) - mpq_class(b[0]), mpq_class(a[1]) - mpq_class(b[1]), mpq_class(a[2]) - mpq_class(b[2])};
}

int rational_sign_of_volume(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d) {
  const Rational u = minus(b, a), v = minus(c, a), w = minus(d, a);
  const mpq_class det =
      u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
  return sgn(det);
}

Vec<3> random_point(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  return {uniform(random), uniform(random), uniform(random)};
}

TEST(VerifyExact, SignOfVolumeMatchesRationalsOnNearlyFlatTets) {
  constexpr int seed = 7;
  std::mt19937_64 random(seed);
  int num_zero = 0, num_nonzero = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vec<3> a = random_point(random), b = random_point(random), c = random_point(random);
    // The point is in the plane up to rounding, and sometimes one unit in the last place off.
    const double s = 0.25 * static_cast<double>(random() % 9), t = 0.5 * static_cast<double>(random() % 5) - 1;
    Vec<3> d = a + s * (b - a) + t * (c - a);
    if (i % 3 == 0) d[i % 2] = std::nextafter(d[i % 2], 2.0);
    const int expected = rational_sign_of_volume(a, b, c, d);
    (expected == 0 ? num_zero : num_nonzero)++;
    ASSERT_EQ(sign_of_volume(a, b, c, d), expected) << "seed " << seed << " case " << i;
    ASSERT_EQ(sign_of_volume(b, a, c, d), -expected) << "seed " << seed << " case " << i;
  }
  EXPECT_GT(num_zero, 100);
  EXPECT_GT(num_nonzero, 100);
}

TEST(VerifyExact, SignOfVolumeHoldsAtExtremeScales) {
  for (const double scale : {1e-120, 1e-300, 1e120}) {
    const Vec<3> a(0, 0, 0), b(scale, 0, 0), c(0, scale, 0), d(scale / 3, scale / 3, scale * 1e-8);
    EXPECT_EQ(sign_of_volume(a, b, c, d), 1) << scale;
    EXPECT_EQ(sign_of_volume(a, c, b, d), -1) << scale;
  }
}

TEST(VerifyExact, SignOfSideIsExactNextToThePlane) {
  const Vec<3> normal(0.1, 0.7, -0.3), point(0.3, -1.7, 0.9);
  for (int i = 0; i < 64; ++i) {
    // Walk through the plane in steps of one unit in the last place.
    Vec<3> x = point + Vec<3>(0.7, -0.1, 0.0) * 0.125;
    for (int k = 0; k < i; ++k) x[1] = std::nextafter(x[1], 2.0);
    const Rational d = minus(x, point);
    const mpq_class side = mpq_class(normal[0]) * d[0] + mpq_class(normal[1]) * d[1] + mpq_class(normal[2]) * d[2];
    EXPECT_EQ(sign_of_side(normal, point, x), sgn(side)) << i;
  }
}

TEST(VerifyExact, SegmentTouchesTriangleInEveryKnownPosition) {
  const Vec<3> t0(0, 0, 0), t1(2, 0, 0), t2(0, 2, 0);
  const auto touches = [&](const Vec<3>& a, const Vec<3>& b) {
    // The answer does not depend on the order of the vertices.
    const bool answer = segment_touches_triangle(a, b, t0, t1, t2);
    EXPECT_EQ(segment_touches_triangle(b, a, t0, t1, t2), answer);
    EXPECT_EQ(segment_touches_triangle(a, b, t2, t1, t0), answer);
    EXPECT_EQ(segment_touches_triangle(a, b, t1, t2, t0), answer);
    return answer;
  };
  EXPECT_TRUE(touches({0.5, 0.5, -1}, {0.5, 0.5, 1}));        // through the inside
  EXPECT_FALSE(touches({1.5, 1.5, -1}, {1.5, 1.5, 1}));       // beside
  EXPECT_FALSE(touches({0.5, 0.5, 1e-300}, {0.5, 0.5, 1}));   // above by almost nothing
  EXPECT_TRUE(touches({0.5, 0.5, 0}, {0.5, 0.5, 1}));         // ends on the inside
  EXPECT_TRUE(touches({0, 0, 0}, {-1, -1, 1}));               // ends on a corner
  EXPECT_TRUE(touches({1, 0, -1}, {1, 0, 1}));                // crosses an edge
  EXPECT_TRUE(touches({2, 0, -1}, {2, 0, 1}));                // crosses a corner
  EXPECT_TRUE(touches({0.25, 0.25, 0}, {0.5, 0.5, 0}));       // inside the plane, inside the triangle
  EXPECT_TRUE(touches({-1, 0.5, 0}, {3, 0.5, 0}));            // inside the plane, across
  EXPECT_FALSE(touches({-1, 2.5, 0}, {3, 2.5, 0}));           // inside the plane, beside
  EXPECT_TRUE(touches({-1, 0, 0}, {-0.0, 0, 0}));             // collinear with an edge, touches its corner
  EXPECT_FALSE(touches({-1, 0, 0}, {-1e-300, 0, 0}));         // collinear with an edge, apart
  EXPECT_TRUE(touches({0.5, 0.5, 0}, {0.5, 0.5, 0}));         // a point on the triangle
  EXPECT_FALSE(touches({0.5, 0.5, 1e-9}, {0.5, 0.5, 1e-9}));  // a point off the triangle
}

TEST(VerifyExact, DegenerateTriangleIsItsEdges) {
  const Vec<3> t0(0, 0, 0), t1(1, 1, 1), t2(3, 3, 3);
  EXPECT_TRUE(segment_touches_triangle({2, 2, 1}, {2, 2, 3}, t0, t1, t2));
  EXPECT_FALSE(segment_touches_triangle({2, 1, 1}, {2, 1, 3}, t0, t1, t2));
  EXPECT_FALSE(segment_touches_triangle({4, 4, 3}, {4, 4, 5}, t0, t1, t2));
}

TEST(VerifyExact, SegmentsInOnePlaneOfAnyDirection) {
  // A cross in the plane x + y + z = 0; then one arm is moved along its own line until it no longer reaches.
  const Vec<3> u(1, -1, 0), v(1, 1, -2);
  EXPECT_TRUE(segments_touch(-u, u, -v, v));
  EXPECT_TRUE(segments_touch(-u, u, Vec<3>(0, 0, 0), v));
  EXPECT_FALSE(segments_touch(-u, u, 0.125 * v, v));
  EXPECT_TRUE(segments_touch(u, u, -u, 2 * u));
  EXPECT_FALSE(segments_touch(3 * u, 3 * u, -u, 2 * u));
  EXPECT_FALSE(segments_touch(-u, u, -v + Vec<3>(0, 0, 1), v + Vec<3>(0, 0, 1)));
}

TEST(VerifyDistance, NeverAboveAnySampledDistance) {
  constexpr int seed = 11;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 500; ++i) {
    const Vec<3> a = random_point(random), b = random_point(random), c = random_point(random);
    // Every fifth pair of segments is nearly parallel.
    const Vec<3> d = i % 5 == 0 ? Vec<3>(c + (b - a) + 1e-9 * random_point(random)) : random_point(random);
    double segment_gap_sq = infinity, triangle_gap_sq = infinity;
    for (int k = 0; k < 4000; ++k) {
      const double s = uniform(random), t = uniform(random);
      segment_gap_sq = std::min(segment_gap_sq, ((1 - s) * a + s * b - (1 - t) * c - t * d).squaredNorm());
      const double w = (1 - s) * t;
      triangle_gap_sq = std::min(triangle_gap_sq, (d - (1 - s - w) * a - s * b - w * c).squaredNorm());
    }
    const double ours = segment_segment_gap_sq(a, b, c, d), ours_triangle = point_triangle_gap_sq(d, a, b, c);
    EXPECT_LE(ours, segment_gap_sq + 1e-14) << "seed " << seed << " case " << i;
    EXPECT_LE(ours_triangle, triangle_gap_sq + 1e-14) << "seed " << seed << " case " << i;
    // The sampling is coarse: 4000 samples come within 0.2 of the true distance.
    EXPECT_GE(std::sqrt(ours), std::sqrt(segment_gap_sq) - 0.2) << "seed " << seed << " case " << i;
    EXPECT_GE(std::sqrt(ours_triangle), std::sqrt(triangle_gap_sq) - 0.2) << "seed " << seed << " case " << i;
  }
}

}  // namespace
}  // namespace clearance::cli
