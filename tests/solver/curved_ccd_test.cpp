#include "clearance/solver/curved_ccd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "clearance/geometry/distance.h"
#include "clearance/math/rotation.h"

namespace clearance {
namespace {

/// Two primitives, each on a screw of its own.
struct Motion {
  SurfacePath path;
  PrimitivePair pair;

  Motion(const std::array<Vec<3>, 4>& x, int num_first, const std::array<Screw, 2>& screws) {
    pair = {{0, 1, 2, 3}, num_first};
    path.x_t0.resize(12);
    path.x_t1.resize(12);
    path.screws = {screws[0], screws[1]};
    for (int v = 0; v < 4; ++v) {
      const int body = v < num_first ? 0 : 1;
      path.screw_of_vertex.push_back(body);
      block<3>(path.x_t0, v) = x[v];
      const Vec<3> end = path.position<3>(v, 1.0);
      block<3>(path.x_t1, v) = end;
      const Screw& screw = screws[body];
      const Vec<3> arm = x[v] - screw.center;
      path.deviation.push_back(0.125 * screw.turn.norm() * screw.turn.cross(arm).norm());
    }
  }
  double distance(double s) const {
    const Vec<3> a = path.position<3>(0, s), b = path.position<3>(1, s), c = path.position<3>(2, s),
                 d = path.position<3>(3, s);
    return std::sqrt(pair.num_first == 1 ? point_triangle_distance_sq(a, b, c, d) : edge_edge_distance_sq(a, b, c, d));
  }
};

Motion random_motion(std::mt19937_64& rng, double turn) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto vec = [&] { return Vec<3>(uniform(rng), uniform(rng), uniform(rng)); };
  std::array<Vec<3>, 4> x = {vec(), vec(), vec(), vec()};
  const int num_first = uniform(rng) > 0.0 ? 1 : 2;
  for (int v = 0; v < num_first; ++v) x[v] += Vec<3>(2.5, 0.0, 0.0);
  return Motion(x, num_first, {{{vec(), Vec<3>(-2.5, 0, 0) + vec(), turn * vec()}, {vec(), vec(), turn * vec()}}});
}

/// In the plane: a point and an edge, each on an arc of its own.
struct PlanarMotion {
  SurfacePath path;
  PrimitivePair pair{{0, 1, 2, -1}, 1};

  PlanarMotion(std::mt19937_64& rng, double turn) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    path.x_t0.resize(6);
    path.x_t1.resize(6);
    for (int body = 0; body < 2; ++body) {
      const double towards = body == 0 ? -2.5 : 0.0;
      path.screws.push_back({{uniform(rng), uniform(rng), 0.0},
                             {towards + uniform(rng), uniform(rng), 0.0},
                             {0.0, 0.0, turn * uniform(rng)}});
    }
    for (int v = 0; v < 3; ++v) {
      path.screw_of_vertex.push_back(v == 0 ? 0 : 1);
      block<2>(path.x_t0, v) = Vec<2>(uniform(rng) + (v == 0 ? 2.5 : 0.0), uniform(rng));
      const Vec<2> end = path.position<2>(v, 1.0);
      block<2>(path.x_t1, v) = end;
      const Screw& screw = path.screws[v == 0 ? 0 : 1];
      const double arm = (block<2>(path.x_t0, v) - screw.center.head<2>()).norm();
      path.deviation.push_back(0.125 * screw.turn[2] * screw.turn[2] * arm);
    }
  }
  double distance(double s) const {
    return std::sqrt(point_edge_distance_sq<2>(path.position<2>(0, s), path.position<2>(1, s), path.position<2>(2, s)));
  }
};

}  // namespace

TEST(CurvedCcd, IsNeverLateInThePlane) {
  int num_impacts = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937_64 rng(seed);
    const PlanarMotion motion(rng, seed % 3 == 0 ? 7.0 : 1.0);
    CcdOptions options;
    options.gap_fraction = seed % 2 == 0 ? 0.2 : 0.0;
    const CcdResult result = curved_ccd<2>(motion.path, motion.pair, options);
    ASSERT_GT(result.toi, 0.0) << "seed " << seed;
    num_impacts += result.is_impact() ? 1 : 0;
    const double target = options.gap_fraction * motion.distance(0.0);
    for (int i = 0; i <= 400; ++i) {
      ASSERT_GT(motion.distance(result.toi * i / 400.0), target * (1.0 - 1e-12)) << "seed " << seed << " part " << i;
    }
  }
  EXPECT_GT(num_impacts, 300);
}

TEST(CurvedCcd, IsNeverLate) {
  // The oracle samples the true motion densely.
  int num_impacts = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937_64 rng(seed);
    const Motion motion = random_motion(rng, seed % 3 == 0 ? 7.0 : 1.0);
    CcdOptions options;
    options.gap_fraction = seed % 2 == 0 ? 0.2 : 0.0;
    options.min_separation = seed % 5 == 0 ? 0.05 : 0.0;
    if (motion.distance(0.0) <= 1.1 * options.min_separation) continue;
    const CcdResult result = curved_ccd<3>(motion.path, motion.pair, options);
    ASSERT_GT(result.toi, 0.0) << "seed " << seed;
    num_impacts += result.is_impact() ? 1 : 0;
    const double target =
        options.min_separation + options.gap_fraction * (motion.distance(0.0) - options.min_separation);
    for (int i = 0; i <= 400; ++i) {
      ASSERT_GT(motion.distance(result.toi * i / 400.0), target * (1.0 - 1e-12)) << "seed " << seed << " part " << i;
    }
  }
  EXPECT_GT(num_impacts, 300);
}

TEST(CurvedCcd, StopsNearTheImpact) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937_64 rng(seed);
    const Motion motion = random_motion(rng, 2.0);
    CcdOptions options;
    options.gap_fraction = 0.2;
    const CcdResult result = curved_ccd<3>(motion.path, motion.pair, options);
    if (!result.is_impact()) continue;
    EXPECT_EQ(result.status, CcdStatus::impact);
    // The room that is left is at most a fiftieth of the room at the start.
    const double start = motion.distance(0.0);
    EXPECT_LE(motion.distance(result.toi), 0.2 * start + 0.02 * 0.8 * start + 1e-9) << "seed " << seed;
  }
}

TEST(CurvedCcd, SeesAHalfTurnThatItsChordMisses) {
  // A point on a turning disc comes to a triangle at a quarter turn; its chord passes through the axis.
  const std::array<Vec<3>, 4> x = {Vec<3>(1, 0, 0), Vec<3>(-1, 0.9, -1), Vec<3>(1, 0.9, -1), Vec<3>(0, 0.9, 2)};
  Screw turning;
  turning.turn = Vec<3>(0, 0, 3.141592653589793);
  const Motion motion(x, 1, {turning, Screw{}});
  const CcdResult result = curved_ccd<3>(motion.path, motion.pair, {});
  EXPECT_TRUE(result.is_impact());
  EXPECT_LE(result.toi, std::asin(0.9) / 3.141592653589793);
  EXPECT_GT(result.toi, std::asin(0.9) / 3.141592653589793 - 0.02);
}

TEST(CurvedCcd, StraightPathsAreNoScrews) {
  Motion motion({Vec<3>(0, 1, 0), Vec<3>(-1, 0, -1), Vec<3>(1, 0, -1), Vec<3>(0, 0, 1)}, 1, {Screw{}, Screw{}});
  EXPECT_TRUE(is_straight(motion.path, motion.pair));
  motion.path.deviation[3] = 1e-3;
  EXPECT_FALSE(is_straight(motion.path, motion.pair));
}

}  // namespace clearance
