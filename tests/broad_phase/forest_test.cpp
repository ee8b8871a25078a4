// Scenes of many bodies: groups, sizes, places and numbering at random.
#include "clearance/broad_phase/forest.h"

#include <gtest/gtest.h>

#include <numeric>

#include "clearance/base/parallel.h"
#include "expect_candidates.h"
#include "surfaces.h"

namespace clearance {
namespace {

std::size_t expect_forest_equals_brute_force(const TestSurface& s, Rng& rng) {
  Forest forest(s.dim, s.topology);
  const auto twin = make_brute_force(s.dim, s.topology);
  const double inflation = uniform(rng, 0.0, 0.05);
  const std::vector<double> deviation = random_deviation(rng, s);
  const Candidates expected = twin->find_candidates(s.x_t0, s.x_t1, inflation);
  expect_equal(forest.find_candidates(s.x_t0, s.x_t1, inflation), expected);
  expect_equal(forest.find_candidates(s.x_t0, s.x_t1, inflation, deviation),
               twin->find_candidates(s.x_t0, s.x_t1, inflation, deviation));
  EXPECT_EQ(forest.find_intersection_candidates(s.x_t1), twin->find_intersection_candidates(s.x_t1));
  return expected.size();
}

class ForestInDimension : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimension, ForestInDimension, testing::Values(2, 3));

TEST_P(ForestInDimension, EqualsBruteForceOnManyBodies) {
  std::size_t num_candidates = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    // Bodies range from all on one spot to mostly alone, with up to more bodies than one leaf of the tree of bodies
    // holds.
    const TestSurface bodies = random_bodies(rng, GetParam(), 1 + random_index(rng, 30), uniform(rng, 0.1, 6.0));
    num_candidates += expect_forest_equals_brute_force(bodies, rng);
    expect_forest_equals_brute_force(shuffled(bodies, rng), rng);
  }
  EXPECT_GT(num_candidates, 10000U);
}

TEST_P(ForestInDimension, EqualsBruteForceOnSpheresAndCapsules) {
  std::size_t num_points = 0, num_edges = 0;
  for (unsigned seed = 300; seed < 320; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    TestSurface bodies = random_bodies(rng, GetParam(), 30, uniform(rng, 0.1, 2.0));
    bodies.topology.radius.assign(bodies.topology.num_vertices, 0.0);
    for (double& r : bodies.topology.radius) r = std::max(0.0, uniform(rng, -0.1, 0.1));
    expect_forest_equals_brute_force(bodies, rng);
    const TestSurface mixed = shuffled(bodies, rng);
    expect_forest_equals_brute_force(mixed, rng);
    const Candidates found =
        Forest(bodies.dim, bodies.topology).find_candidates(bodies.x_t0, bodies.x_t1, 0.02, bodies.topology.radius);
    num_points += found.point_point.size();
    num_edges += found.point_edge.size();
  }
  EXPECT_GT(num_points, 100U);
  EXPECT_GT(num_edges, 100U);
}

TEST_P(ForestInDimension, EqualsBruteForceWhenBodiesMoveFar) {
  for (unsigned seed = 100; seed < 115; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    TestSurface bodies = random_bodies(rng, GetParam(), 12, 4.0);
    // One body crosses the whole scene, one leaves it for good.
    for (int v = 0; v < bodies.topology.num_vertices; ++v) {
      const int body = bodies.topology.vertex_body[v];
      if (body == 3) bodies.x_t1.segment(bodies.dim * v, bodies.dim).array() += 5.0;
      if (body == 5) bodies.x_t1.segment(bodies.dim * v, bodies.dim).array() -= 1e7;
    }
    expect_forest_equals_brute_force(bodies, rng);
  }
}

TEST_P(ForestInDimension, VerticesOfOneBodyMayBelongToTwoGroups) {
  for (unsigned seed = 200; seed < 210; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    TestSurface bodies = random_bodies(rng, GetParam(), 10, 1.0);
    for (int& body : bodies.topology.vertex_body) body /= 2;
    expect_forest_equals_brute_force(bodies, rng);
  }
}

TEST_P(ForestInDimension, ManyBodiesInAGridMeetTheirNeighboursOnly) {
  // 12 * 12 bodies of two vertices: the tree of bodies has inner nodes.
  TestSurface surface;
  surface.dim = GetParam();
  for (int body = 0; body < 144; ++body) {
    const Vec<3> place(body % 12, body / 12, 0.0);
    const int a = surface.add_vertex(place, body, body + 1);
    const int b = surface.add_vertex(place + Vec<3>(0.5, 0.0, 0.0), body, body + 1);
    surface.topology.edges.push_back({a, b});
  }
  surface.x_t1 = surface.x_t0;
  Forest forest(surface.dim, surface.topology);
  EXPECT_EQ(forest.find_candidates(surface.x_t0, surface.x_t0, 0.2).size(), 0U);
  // Boxes 0.6 larger meet along x (gap 0.5), along y (gap 1) and across.
  const Candidates found = forest.find_candidates(surface.x_t0, surface.x_t0, 0.6);
  if (surface.dim == 3) {
    EXPECT_EQ(found.edge_edge.size(), 2U * 11 * 12 + 2U * 11 * 11);
  }
  expect_equal(found,
               make_brute_force(surface.dim, surface.topology)->find_candidates(surface.x_t0, surface.x_t0, 0.6));
}

TEST_P(ForestInDimension, AnswersDoNotDependOnEarlierQueries) {
  for (unsigned seed = 300; seed < 306; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const TestSurface s = random_bodies(rng, GetParam(), 15, 2.0);
    Forest used(s.dim, s.topology);
    for (int query = 0; query < 12; ++query) {
      SCOPED_TRACE(query);
      // Sometimes everything is somewhere else, so that other bodies are near and orders become stale.
      const double leap = query % 3 == 2 ? 2.0 : 0.02;
      const VecX x_t0 = s.x_t0 + random_vector(rng, s.x_t0.size(), -leap, leap);
      const VecX x_t1 = x_t0 + random_vector(rng, s.x_t0.size(), -0.1, 0.1);
      Forest fresh(s.dim, s.topology);
      if (query % 4 == 1) {
        EXPECT_EQ(used.find_intersection_candidates(x_t0), fresh.find_intersection_candidates(x_t0));
      } else {
        expect_equal(used.find_candidates(x_t0, x_t1, 0.01), fresh.find_candidates(x_t0, x_t1, 0.01));
      }
    }
  }
}

TEST_P(ForestInDimension, SameBitsForAnyNumberOfThreads) {
  for (unsigned seed = 400; seed < 404; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    TestSurface s = random_bodies(rng, GetParam(), 200, 3.0);
    add_body(s, rng, 40, Vec<3>(0.1, 0.2, 0.3), 0.03, 1000, -1);
    add_body(s, rng, 40, Vec<3>(0.1, 0.2, 0.3), 0.03, 1001, 1002);
    s.x_t1 = s.x_t0 + random_vector(rng, s.x_t0.size(), -0.02, 0.02);
    const auto query = [&](int num_threads) {
      const ThreadLimit limit(num_threads);
      Forest forest(s.dim, s.topology);
      const Candidates found = forest.find_candidates(s.x_t0, s.x_t1, 0.005);
      return std::pair(found, forest.find_intersection_candidates(s.x_t0));
    };
    const auto one = query(1);
    EXPECT_GT(one.first.size(), 10000U);
    for (const int num_threads : {2, 4}) {
      const auto many = query(num_threads);
      expect_equal(many.first, one.first);
      EXPECT_EQ(many.second, one.second);
    }
  }
}

TEST(Forest, LargeBodiesThatInterlockEqualBruteForce) {
  // Thousands of edges on both sides: each pair of trees is cut into many tasks.
  Rng rng(7);
  TestSurface s;
  add_body(s, rng, 30, Vec<3>(0.0, 0.0, 0.0), 0.1, 0, 1);
  add_body(s, rng, 25, Vec<3>(0.3, 0.2, 0.02), 0.1, 1, 2);
  s.x_t1 = s.x_t0;
  EXPECT_GT(expect_forest_equals_brute_force(s, rng), 5000U);
}

TEST(Forest, BodiesThatAreAloneAreNotSorted) {
  Rng rng(8);
  TestSurface s;
  add_body(s, rng, 10, Vec<3>(0.0, 0.0, 0.0), 0.1, 0, 1);
  add_body(s, rng, 10, Vec<3>(5.0, 0.0, 0.0), 0.1, 1, 2);
  Forest forest(3, s.topology);
  forest.find_candidates(s.x_t0, s.x_t0, 0.01);
  EXPECT_EQ(forest.num_sorts(), 0);
  forest.find_candidates(s.x_t0, s.x_t0, 2.5);
  EXPECT_EQ(forest.num_sorts(), 1);
}

TEST(Forest, PointOnAnArcMeetsWhatItsChordMisses) {
  // Half a turn about the z axis: the arc reaches y = 1, where a small triangle lies, the chord stays at y = 0.
  TestSurface s;
  const int p = s.add_vertex(Vec<3>(1.0, 0.0, 0.0), 0, 1);
  s.add_vertex(Vec<3>(0.0, 1.0, 0.0), 1, 2);
  s.add_vertex(Vec<3>(0.1, 1.0, 0.1), 1, 2);
  s.add_vertex(Vec<3>(-0.1, 1.1, 0.1), 1, 2);
  s.add_triangles({{1, 2, 3}});
  s.x_t1 = s.x_t0;
  s.x_t1.segment<3>(3 * p) = Vec<3>(-1.0, 0.0, 0.0);
  Forest forest(3, s.topology);
  EXPECT_EQ(forest.find_candidates(s.x_t0, s.x_t1, 1e-3).size(), 0U);
  const Candidates found = forest.find_candidates(s.x_t0, s.x_t1, 1e-3, {1.0, 0.0, 0.0, 0.0});
  EXPECT_EQ(found.point_triangle, (std::vector<std::array<int, 2>>{{p, 0}}));
}

TEST(Forest, FindsAllPairsOrNoneWhereTheyAreLimited) {
  Rng rng(17);
  for (const int dim : {2, 3}) {
    const TestSurface s = random_bodies(rng, dim, 30, 1.0);
    const auto forest = make_broad_phase(dim, s.topology), brute = make_brute_force(dim, s.topology);
    const Candidates all = forest->find_candidates(s.x_t0, s.x_t1, 0.05);
    const std::size_t most = std::max({all.point_triangle.size(), all.edge_edge.size(), all.point_edge.size()});
    ASSERT_GT(most, 100u);
    EXPECT_TRUE(all.is_complete);
    for (const std::size_t limit : {most, most - 1, most / 3, std::size_t{0}, unlimited_pairs}) {
      for (const int threads : {1, 3}) {
        const ThreadLimit thread_limit(threads);
        for (BroadPhase* broad_phase : {forest.get(), brute.get()}) {
          broad_phase->limit_pairs(limit);
          const Candidates found = broad_phase->find_candidates(s.x_t0, s.x_t1, 0.05);
          EXPECT_EQ(found.is_complete, limit >= most);
          expect_equal(found, limit >= most ? all : Candidates{});
        }
      }
    }
  }
}

TEST(Forest, IgnoredPairsOfBodiesAreLeftOutAsByTheSlowTwin) {
  Rng rng(7);
  for (int round = 0; round < 20; ++round) {
    TestSurface surface = random_bodies(rng, 3, 12, 0.6);
    const auto without = make_brute_force(3, surface.topology)->find_candidates(surface.x_t0, surface.x_t1, 0.05);
    for (int a = 0; a < 12; ++a) {
      for (int b = a + 1; b < 12; b += 3) surface.topology.ignored_pairs.push_back({a, b});
    }
    surface = shuffled(surface, rng);
    Forest forest(3, surface.topology);
    const auto expected = make_brute_force(3, surface.topology)->find_candidates(surface.x_t0, surface.x_t1, 0.05);
    expect_equal(forest.find_candidates(surface.x_t0, surface.x_t1, 0.05), expected);
    EXPECT_LT(expected.size(), without.size());
    EXPECT_GT(expected.size(), 0U);
    EXPECT_EQ(forest.find_intersection_candidates(surface.x_t0),
              make_brute_force(3, surface.topology)->find_intersection_candidates(surface.x_t0));
  }
}

}  // namespace
}  // namespace clearance
