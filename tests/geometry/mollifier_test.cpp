#include "clearance/geometry/mollifier.h"

#include <gtest/gtest.h>

#include "geometry/random_points.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::RandomPoints;

Vec<3> at(const VecX& x, int v) {
  return x.segment<3>(3 * v);
}

TEST(Mollifier, Value_GrowsFromZeroToOneAndStays) {
  EXPECT_EQ(edge_edge_mollifier(0.0, 0.5), 0.0);
  EXPECT_EQ(edge_edge_mollifier(0.25, 0.5), 0.75);
  EXPECT_EQ(edge_edge_mollifier(0.5, 0.5), 1.0);
  EXPECT_EQ(edge_edge_mollifier(7.0, 0.5), 1.0);
  EXPECT_EQ(edge_edge_mollifier(0.0, 0.0), 1.0);  // edges of zero rest length
}

TEST(Mollifier, Threshold_IsEquation224) {
  EXPECT_DOUBLE_EQ(edge_edge_mollifier_threshold(4.0, 9.0), 1e-3 * 4.0 * 9.0);
}

TEST(Mollifier, Derivatives_MatchFiniteDifferences) {
  RandomPoints random(41);
  int num_curved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    VecX x(12);
    for (int i = 0; i < 12; ++i) x[i] = random.uniform(-1.0, 1.0);
    const double c = edge_edge_cross_sq(at(x, 0), at(x, 1), at(x, 2), at(x, 3));
    // Half of the states are below the threshold; none is so close that a difference crosses it.
    const double eps_x = c * random.uniform(0.5, 2.0);
    if (std::abs(c - eps_x) < 1e-3 * c || c < 1e-2) continue;
    const auto value = [&](const VecX& y) {
      return edge_edge_mollifier(at(y, 0), at(y, 1), at(y, 2), at(y, 3), eps_x);
    };
    const auto gradient = [&](const VecX& y) -> VecX {
      return edge_edge_mollifier_gradient(at(y, 0), at(y, 1), at(y, 2), at(y, 3), eps_x);
    };
    Vec<12> g;
    Mat<12> h;
    edge_edge_mollifier_derivatives(at(x, 0), at(x, 1), at(x, 2), at(x, 3), eps_x, g, h);
    ASSERT_LT(test::relative_difference(g, test::finite_difference_gradient(value, x)), 1e-6) << "trial " << trial;
    ASSERT_LT(test::relative_difference(h, test::finite_difference_jacobian(gradient, x)), 1e-6) << "trial " << trial;
    ASSERT_LT(test::relative_difference(VecX(gradient(x)), g), 1e-14);
    if (c < eps_x) {
      ASSERT_GT(h.norm(), 0.0);
      ++num_curved;
    } else {
      ASSERT_EQ(h.norm(), 0.0);
    }
  }
  EXPECT_GT(num_curved, 30);
}

TEST(Mollifier, IsC1AtTheThreshold) {
  // Two edges turn against each other: value and gradient meet at the threshold, the second derivative jumps.
  const Vec<3> ea0(0, 0, 0), ea1(1, 0, 0), eb0(0, 0, 0.1);
  const double eps_x = edge_edge_mollifier_threshold(1.0, 1.0);
  const double sine = std::sqrt(eps_x);
  for (const double relative : {-1e-7, 1e-7}) {
    const Vec<3> eb1 = eb0 + Vec<3>(1.0, sine * (1.0 + relative), 0.0);
    EXPECT_NEAR(edge_edge_mollifier(ea0, ea1, eb0, eb1, eps_x), 1.0, 1e-12);
    // Below the threshold, de/dc = 2 / eps_x (1 - c / eps_x) = 4e-7 / eps_x; dc has four blocks of length 2 sine.
    EXPECT_LT(edge_edge_mollifier_gradient(ea0, ea1, eb0, eb1, eps_x).norm(), 2e-6 / sine);
  }
}

TEST(Mollifier, ParallelEdges_HaveZeroValueAndGradient) {
  const Vec<3> ea0(0, 0, 0), ea1(1, 0, 0), eb0(0.3, 0, 0.1), eb1(2.3, 0, 0.1);
  EXPECT_EQ(edge_edge_mollifier(ea0, ea1, eb0, eb1, 1e-3), 0.0);
  EXPECT_EQ(edge_edge_mollifier_gradient(ea0, ea1, eb0, eb1, 1e-3).norm(), 0.0);
}

}  // namespace
}  // namespace clearance
