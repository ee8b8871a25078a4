// The contract of the CCD against exact arithmetic.
#include "clearance/ccd/ccd.h"

#include <gtest/gtest.h>

#include <map>

#include "ccd/motions.h"

namespace clearance {
namespace {

using rational::Number;

/// Returns the rounding of the vertex differences and of their products, in units of the largest difference.
double distance_error(const Motion& motion) {
  double largest = 0.0;
  for (int i = 0; i < 4; ++i) {
    for (int j = i + 1; j < 4; ++j) largest = std::max(largest, (motion.t0[i] - motion.t0[j]).cwiseAbs().maxCoeff());
  }
  return 64.0 * 0x1p-53 * largest;
}

CcdOptions make_options(CcdMethod method) {
  CcdOptions options;
  options.method = method;
  options.max_iterations = 20000;
  return options;
}

template <class Check>
void for_all_motions(unsigned seed, int num_samples, Check check) {
  for (const Pair pair : all_pairs) {
    std::mt19937_64 generator(seed);
    for (int i = 0; i < num_samples; ++i) {
      for (const NamedMotion& named : random_motions(generator, pair)) {
        SCOPED_TRACE(std::string(name(pair)) + ", " + named.kind + ", seed " + std::to_string(seed) + ", sample " +
                     std::to_string(i));
        check(pair, named);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Ccd, Ccd_NeverLaterThanExactToi) {
  std::map<std::string, std::array<int, 3>> counts;  // exact hits, false positives of the two methods
  for_all_motions(21, 40, [&](Pair pair, const NamedMotion& named) {
    auto exact = exact_contact(pair, named.motion);
    counts[named.kind][0] += exact.has_value();
    for (const CcdMethod method : all_methods) {
      const CcdResult result = run_ccd(pair, named.motion, make_options(method));
      ASSERT_GE(result.toi, 0.0);
      ASSERT_LE(result.toi, 1.0);
      if (exact) {
        ASSERT_TRUE(result.is_impact()) << name(method);
        ASSERT_FALSE(exact->is_before(result.toi)) << name(method) << ", toi " << result.toi;
      } else {
        counts[named.kind][method == CcdMethod::clearance ? 1 : 2] += result.is_impact();
      }
    }
  });
  for (const auto& [kind, count] : counts) {
    std::cout << kind << ": " << count[0] << " exact hits, false positives " << count[1] << " (clearance), " << count[2]
              << " (tight inclusion)\n";
  }
  EXPECT_GE(counts["random"][0], 3);
  EXPECT_GT(counts["close"][0], 5);
  EXPECT_GT(counts["coplanar"][0], 5);
}

TEST(Ccd, Ccd_NotZeroWhenStartIsSeparated) {
  for_all_motions(22, 100, [&](Pair pair, const NamedMotion& named) {
    const double distance = exact_distance(exact_motion(pair, named.motion), 0);
    if (distance <= distance_error(named.motion)) return;
    for (const CcdMethod method : all_methods) {
      for (const double gap_fraction : {0.0, 0.2, 0.9}) {
        CcdOptions options = make_options(method);
        options.max_iterations = 100;
        options.gap_fraction = gap_fraction;
        ASSERT_GT(run_ccd(pair, named.motion, options).toi, 0.0) << name(method) << ", distance " << distance;
      }
    }
  });
}

TEST(Ccd, Ccd_ZeroWhenStartTouchesOrIsTooClose) {
  for_all_motions(23, 20, [&](Pair pair, const NamedMotion& named) {
    const double distance = exact_distance(exact_motion(pair, named.motion), 0);
    for (const CcdMethod method : all_methods) {
      CcdOptions options = make_options(method);
      options.min_separation = distance * 1.0001;
      const CcdResult result = run_ccd(pair, named.motion, options);
      ASSERT_EQ(result.status, CcdStatus::impact) << name(method);
      ASSERT_EQ(result.toi, 0.0) << name(method);
    }
  });
}

// The distance on the returned interval, in exact arithmetic, stays above what the options ask for.
TEST(Ccd, Ccd_KeepsMinSeparationAndGapFraction) {
  for_all_motions(24, 8, [&](Pair pair, const NamedMotion& named) {
    const rational::RationalMotion exact = exact_motion(pair, named.motion);
    const double distance = exact_distance(exact, 0);
    for (const CcdMethod method : all_methods) {
      for (const double gap_fraction : {0.0, 0.5}) {
        CcdOptions options = make_options(method);
        options.max_iterations = 500;
        options.min_separation = 0.3 * distance;
        options.gap_fraction = gap_fraction;
        const CcdResult result = run_ccd(pair, named.motion, options);
        // The start gap is known up to its rounding, the minimum separation exactly.
        const double error = distance_error(named.motion);
        Number kept(options.min_separation);
        if (gap_fraction > 0.0) kept = std::max(0.0, 0.3 * distance + gap_fraction * (0.7 * distance - error));
        for (int i = 0; i <= 16; ++i) {
          const Number t = Number(result.toi) * i / 16;
          if (result.toi == 0.0) break;
          ASSERT_GE(rational::hull_distance_sq(exact.at(t)), kept * kept * Number(1.0 - 1e-12))
              << name(method) << ", at " << i << "/16 of " << result.toi;
        }
      }
    }
  });
}

// Without this check, a time that is always too early would pass every test above.
TEST(Ccd, Additive_StopsCloseToTheTarget) {
  std::mt19937_64 generator(25);
  int num_impacts = 0;
  for (const Pair pair : all_pairs) {
    for (int i = 0; i < 200; ++i) {
      for (const NamedMotion& named : random_motions(generator, pair)) {
        if (named.kind != "random" && named.kind != "close") continue;
        const rational::RationalMotion exact = exact_motion(pair, named.motion);
        CcdOptions options;
        options.gap_fraction = 0.25;
        const CcdResult result = run_ccd(pair, named.motion, options);
        if (!result.is_impact()) continue;
        ++num_impacts;
        const double distance = exact_distance(exact, 0);
        ASSERT_NEAR(exact_distance(exact, Number(result.toi)), 0.25 * distance,
                    0.25e-3 * distance + distance_error(named.motion))
            << name(pair) << ", " << named.kind << ", seed 25, sample " << i;
      }
    }
  }
  EXPECT_GT(num_impacts, 100);
}

TEST(Ccd, TightInclusion_StopsCloseToTheImpact) {
  std::mt19937_64 generator(26);
  int num_impacts = 0;
  for (const Pair pair : all_pairs) {
    for (int i = 0; i < 100; ++i) {
      const Motion motion = random_motions(generator, pair)[0].motion;
      const auto exact = exact_contact(pair, motion);
      if (!exact) continue;
      const CcdResult result = run_ccd(pair, motion, make_options(CcdMethod::tight_inclusion));
      ++num_impacts;
      const double distance = exact_distance(exact_motion(pair, motion), Number(result.toi));
      EXPECT_LT(distance, 1e-5) << name(pair) << ", seed 26, sample " << i;
    }
  }
  EXPECT_GT(num_impacts, 5);
}

TEST(Ccd, NoMotion_HasNoImpact) {
  for_all_motions(27, 20, [&](Pair pair, const NamedMotion& named) {
    if (named.kind != "still") return;
    for (const CcdMethod method : all_methods) {
      CcdOptions options = make_options(method);
      options.gap_fraction = 0.5;
      EXPECT_EQ(run_ccd(pair, named.motion, options).status, CcdStatus::no_impact) << name(method);
    }
  });
}

TEST(Ccd, MaxTime_EndsTheSearch) {
  // A point falls on a triangle at t = 0.5.
  const std::array<Vec<3>, 3> triangle{Vec<3>(-1, -1, 0), Vec<3>(1, -1, 0), Vec<3>(0, 1, 0)};
  Motion motion{{Vec<3>(0, 0, 1), triangle[0], triangle[1], triangle[2]},
                {Vec<3>(0, 0, -1), triangle[0], triangle[1], triangle[2]}};
  for (const CcdMethod method : all_methods) {
    CcdOptions options = make_options(method);
    options.max_time = 0.49;
    const CcdResult before = point_triangle_ccd(motion, options);
    EXPECT_EQ(before.status, CcdStatus::no_impact) << name(method);
    EXPECT_EQ(before.toi, 0.49);
    options.max_time = 0.51;
    const CcdResult after = point_triangle_ccd(motion, options);
    EXPECT_EQ(after.status, CcdStatus::impact) << name(method);
    EXPECT_LE(after.toi, 0.5);
    EXPECT_NEAR(after.toi, 0.5, 1e-6);
  }
}

TEST(Ccd, GapFraction_ReachesTheClosedForm) {
  // Two crossed edges approach at speed 1 from distance 1: the gap is 0.8 at t = 0.1 of a motion by 2.
  const Motion motion{{Vec<3>(-1, 0, 1), Vec<3>(1, 0, 1), Vec<3>(0, -1, 0), Vec<3>(0, 1, 0)},
                      {Vec<3>(-1, 0, -1), Vec<3>(1, 0, -1), Vec<3>(0, -1, 0), Vec<3>(0, 1, 0)}};
  for (const CcdMethod method : all_methods) {
    CcdOptions options = make_options(method);
    options.gap_fraction = 0.8;
    EXPECT_NEAR(edge_edge_ccd(motion, options).toi, 0.1, 1e-6) << name(method);
    // With a minimum separation the gap is what exceeds it: 0.5 + 0.8 * 0.5 = 0.9.
    options.min_separation = 0.5;
    EXPECT_NEAR(edge_edge_ccd(motion, options).toi, 0.05, 1e-6) << name(method);
  }
}

/// The exact twin sees points and edges as triangles without area.
template <int dim>
void test_point_edge_and_point_point() {
  std::mt19937_64 generator(28);
  std::uniform_int_distribution<int> integer(-2, 2);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int num_hits = 0;
  for (int i = 0; i < 400; ++i) {
    PrimitiveMotion<dim, 3> edge;
    Motion embedded;
    for (int k = 0; k < 3; ++k) {
      for (int c = 0; c < dim; ++c) {
        edge.t0[k][c] = i % 2 ? uniform(generator) : integer(generator);
        edge.t1[k][c] = i % 2 ? uniform(generator) : integer(generator);
      }
      embedded.t0[k] = Vec<3>::Zero();
      embedded.t1[k] = Vec<3>::Zero();
      embedded.t0[k].template head<dim>() = edge.t0[k];
      embedded.t1[k].template head<dim>() = edge.t1[k];
    }
    for (const bool is_point : {false, true}) {
      Motion twin = embedded;
      if (is_point) {
        twin.t0[2] = twin.t0[1];
        twin.t1[2] = twin.t1[1];
      }
      twin.t0[3] = twin.t0[2];
      twin.t1[3] = twin.t1[2];
      auto exact = exact_contact(Pair::point_triangle, twin);
      num_hits += exact.has_value();
      const double distance = exact_distance(exact_motion(Pair::point_triangle, twin), 0);
      for (const CcdMethod method : all_methods) {
        const CcdOptions options = make_options(method);
        const CcdResult result =
            is_point ? point_point_ccd<dim>({{edge.t0[0], edge.t0[1]}, {edge.t1[0], edge.t1[1]}}, options)
                     : point_edge_ccd<dim>(edge, options);
        if (distance > 1e-14) {
          ASSERT_GT(result.toi, 0.0) << name(method) << ", seed 28, sample " << i;
        }
        if (!exact) continue;
        ASSERT_TRUE(result.is_impact()) << name(method) << ", seed 28, sample " << i;
        ASSERT_FALSE(exact->is_before(result.toi)) << name(method) << ", seed 28, sample " << i;
      }
    }
  }
  EXPECT_GT(num_hits, 10);
}

TEST(Ccd, PointEdgeAndPointPoint2d_NeverLaterThanExactToi) {
  test_point_edge_and_point_point<2>();
}
TEST(Ccd, PointEdgeAndPointPoint3d_NeverLaterThanExactToi) {
  test_point_edge_and_point_point<3>();
}

TEST(Ccd, NotFinite_IsAnImpactAtZero) {
  Motion motion{{Vec<3>(0, 0, 1), Vec<3>(0, 0, 0), Vec<3>(1, 0, 0), Vec<3>(0, 1, 0)}, {}};
  motion.t1 = motion.t0;
  motion.t1[2][1] = std::numeric_limits<double>::quiet_NaN();
  for (const CcdMethod method : all_methods) {
    EXPECT_EQ(point_triangle_ccd(motion, make_options(method)).toi, 0.0);
    EXPECT_TRUE(point_triangle_ccd(motion, make_options(method)).is_impact());
  }
}

// The normal of parallel edges is only rounding. Taken for a separating direction, it stopped bodies in empty space.
TEST(Ccd, ParallelEdgesThatMoveTogetherNeverMeet) {
  std::mt19937_64 generator(11);
  std::uniform_real_distribution<double> in(-1.0, 1.0);
  const auto random_vector = [&]() -> Vec<3> { return {in(generator), in(generator), in(generator)}; };
  for (int i = 0; i < 20000; ++i) {
    // Diagonals of the squares of a grid in a plane, somewhere and in any direction, and moved as one.
    const double cell = std::ldexp(0.025, i % 7 - 3);
    const bool is_aligned = i % 2 == 0;
    const Vec<3> u = is_aligned ? Vec<3>(0, cell, 0) : Vec<3>(cell * random_vector());
    const Vec<3> v = is_aligned ? Vec<3>(0, 0, cell) : Vec<3>(cell * random_vector());
    const Vec<3> origin = random_vector(), shift = std::ldexp(1.0, -(i % 20)) * random_vector();
    const std::array<Vec<3>, 4> t0 = {origin, origin + u + v, origin + u, origin + 2.0 * u + v};
    PrimitiveMotion<3, 4> motion;
    for (std::size_t k = 0; k < 4; ++k) {
      motion.t0[k] = t0[k];
      motion.t1[k] = t0[k] + shift;
    }
    for (const CcdMethod method : {CcdMethod::clearance, CcdMethod::tight_inclusion}) {
      CcdOptions options = make_options(method);
      options.gap_fraction = 0.2;
      ASSERT_EQ(edge_edge_ccd(motion, options).toi, 1.0) << i;
    }
  }
}

}  // namespace
}  // namespace clearance
