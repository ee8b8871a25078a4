// The bound of every candidate's approach: below the true distance at every time, and sharp.
#include "clearance/ccd/approach.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "clearance/ccd/query.h"
#include "clearance/ccd/relative_motion.h"
#include "clearance/geometry/distance.h"

namespace clearance {
namespace {

using Motion = PrimitiveMotion<3, 4>;
using Corner = SmallVector<double, 3>;

double distance_of(const std::array<Vec<3>, 4>& x, bool is_edge_edge) {
  return std::sqrt(is_edge_edge ? edge_edge_distance_sq(x[0], x[1], x[2], x[3])
                                : point_triangle_distance_sq(x[0], x[1], x[2], x[3]));
}

double distance_at(const Motion& m, double t, bool is_edge_edge) {
  std::array<Vec<3>, 4> x;
  for (std::size_t i = 0; i < 4; ++i) x[i] = (1.0 - t) * m.t0[i] + t * m.t1[i];
  return distance_of(x, is_edge_edge);
}

/// Writes the corners of one time in the form that the bound takes.
template <std::size_t num_corners>
void fill(const std::array<Vec<3>, num_corners>& from, Corner (&to)[num_corners]) {
  for (std::size_t k = 0; k < num_corners; ++k) to[k] = {{from[k][0], from[k][1], from[k][2]}};
}

Approach<double> approach_of(const Motion& m, bool is_edge_edge) {
  if (is_edge_edge) {
    Corner t0[4], t1[4];
    fill(edge_edge_corners(m.t0), t0);
    fill(edge_edge_corners(m.t1), t1);
    return bound_approach(t0, t1);
  }
  Corner t0[3], t1[3];
  fill(point_corners<3, 4>(m.t0), t0);
  fill(point_corners<3, 4>(m.t1), t1);
  return bound_approach(t0, t1);
}

double largest_relative_motion(const Motion& m, bool is_edge_edge) {
  double largest = 0.0;
  const std::size_t split = is_edge_edge ? 2 : 1;
  for (std::size_t i = 0; i < split; ++i) {
    for (std::size_t j = split; j < 4; ++j) {
      largest = std::max(largest, ((m.t1[i] - m.t0[i]) - (m.t1[j] - m.t0[j])).norm());
    }
  }
  return largest;
}

class RandomMotions {
 public:
  explicit RandomMotions(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Vec<3> point() { return {uniform(-1.0, 1.0), uniform(-1.0, 1.0), uniform(-1.0, 1.0)}; }
  Motion motion(double size) {
    Motion m;
    for (std::size_t i = 0; i < 4; ++i) {
      m.t0[i] = point();
      m.t1[i] = m.t0[i] + size * point();
    }
    return m;
  }
  /// Makes the motion degenerate: coincident and collinear vertices, parallel edges, flat configurations.
  void degenerate(Motion& m) {
    const int kind = std::uniform_int_distribution<int>(0, 5)(engine_);
    if (kind == 0) m.t0[3] = m.t0[2];
    if (kind == 1) m.t0[3] = m.t0[2] + (m.t0[1] - m.t0[0]);
    if (kind == 2) m.t0[3] = m.t0[2] + 0.5 * (m.t0[1] - m.t0[2]);
    if (kind == 3) m.t0[1] = m.t0[0];
    if (kind == 4) {
      for (Vec<3>& x : m.t0) x[2] = 0.0;
    }
    if (kind == 5) m.t0[1] = m.t0[2] = m.t0[3];
  }

 private:
  std::mt19937_64 engine_;
};

void check_bound(const Motion& m, bool is_edge_edge) {
  const Approach<double> approach = approach_of(m, is_edge_edge);
  ASSERT_GE(approach.distance, 0.0);
  ASSERT_GE(approach.motion, 0.0);
  ASSERT_LE(approach.motion, largest_relative_motion(m, is_edge_edge) * (1.0 + 1e-12));
  for (int i = 0; i <= 20; ++i) {
    const double t = i / 20.0;
    ASSERT_LE(approach.distance - t * approach.motion, distance_at(m, t, is_edge_edge) + 1e-14) << "t " << t;
  }
}

TEST(Approach, NeverExceedsTheDistanceOnTheWay) {
  for (unsigned seed = 0; seed < 20000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomMotions random(seed);
    Motion m = random.motion(std::pow(10.0, random.uniform(-3.0, 1.0)));
    if (seed % 4 == 0) random.degenerate(m);
    check_bound(m, seed % 2 == 0);
    if (HasFatalFailure()) return;
  }
}

TEST(Approach, DistanceIsSharpForWellShapedPairs) {
  for (unsigned seed = 0; seed < 5000; ++seed) {
    RandomMotions random(seed);
    const Motion m = random.motion(1.0);
    const bool is_edge_edge = seed % 2 == 0;
    const double distance = distance_of(m.t0, is_edge_edge);
    if (distance < 1e-6) continue;
    ASSERT_NEAR(approach_of(m, is_edge_edge).distance / distance, 1.0, 2e-6) << "seed " << seed;
  }
}

TEST(Approach, TinyGapsOfLargePrimitivesAreSharp) {
  // The closest point of a face has lost its digits long before the normal has.
  for (const double gap : {1e-3, 1e-6, 1e-9}) {
    Motion m;
    m.t0 = {Vec<3>(0.3, gap, 0.2), Vec<3>(0, 0, 0), Vec<3>(1, 0, 0), Vec<3>(0, 0, 1)};
    m.t1 = m.t0;
    EXPECT_NEAR(approach_of(m, false).distance / gap, 1.0, 1e-6);
    m.t0 = {Vec<3>(-1, gap, 0.1), Vec<3>(1, gap, 0.2), Vec<3>(0.1, 0, -1), Vec<3>(0.3, 0, 1)};
    m.t1 = m.t0;
    EXPECT_NEAR(approach_of(m, true).distance / gap, 1.0, 1e-6);
  }
}

TEST(Approach, SlidingAndSeparatingAreNoMotion) {
  Motion m;
  m.t0 = {Vec<3>(0.3, 0.1, 0.2), Vec<3>(0, 0, 0), Vec<3>(1, 0, 0), Vec<3>(0, 0, 1)};
  m.t1 = m.t0;
  for (const Vec<3>& way : {Vec<3>(5.0, 0.0, -3.0), Vec<3>(0.0, 2.0, 0.0)}) {
    m.t1[0] = m.t0[0] + way;
    EXPECT_EQ(approach_of(m, false).motion, 0.0);
  }
  m.t1[0] = m.t0[0] + Vec<3>(5.0, -0.25, 0.0);
  EXPECT_NEAR(approach_of(m, false).motion, 0.25, 1e-15);
}

TEST(Approach, EveryLaneHasTheBitsOfADouble) {
  RandomMotions random(1);
  for (int trial = 0; trial < 500; ++trial) {
    std::array<Motion, num_lanes> motions;
    SmallVector<Lanes, 3> t0[4], t1[4];
    for (int lane = 0; lane < num_lanes; ++lane) {
      Motion& m = motions[lane] = random.motion(0.1);
      if (trial % 3 == 0) random.degenerate(m);
      const auto begin = edge_edge_corners(m.t0), end = edge_edge_corners(m.t1);
      for (std::size_t k = 0; k < 4; ++k) {
        for (int c = 0; c < 3; ++c) {
          t0[k][c].set(lane, begin[k][c]);
          t1[k][c].set(lane, end[k][c]);
        }
      }
    }
    const Approach<Lanes> four = bound_approach(t0, t1);
    for (int lane = 0; lane < num_lanes; ++lane) {
      const Approach<double> one = approach_of(motions[lane], true);
      ASSERT_EQ(four.distance[lane], one.distance);
      ASSERT_EQ(four.motion[lane], one.motion);
    }
  }
}

}  // namespace
}  // namespace clearance
