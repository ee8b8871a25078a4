// Every claim is checked for the tree; most of them against the brute-force twin.
#include "clearance/broad_phase/broad_phase.h"

#include <gtest/gtest.h>

#include "clearance/base/parallel.h"
#include "clearance/broad_phase/forest.h"
#include "clearance/geometry/distance.h"
#include "expect_candidates.h"
#include "surfaces.h"

namespace clearance {
namespace {

using Pairs = std::vector<std::array<int, 2>>;

// Compares all queries of the tree with the twin; returns the number of candidates.
std::size_t expect_tree_equals_brute_force(const TestSurface& s, double inflation) {
  const auto tree = make_broad_phase(s.dim, s.topology);
  const auto twin = make_brute_force(s.dim, s.topology);
  const Candidates expected = twin->find_candidates(s.x_t0, s.x_t1, inflation);
  expect_equal(tree->find_candidates(s.x_t0, s.x_t1, inflation), expected);
  expect_equal(tree->find_candidates(s.x_t0, s.x_t0, inflation), twin->find_candidates(s.x_t0, s.x_t0, inflation));
  std::vector<double> deviation(s.topology.num_vertices);
  for (std::size_t v = 0; v < deviation.size(); ++v) deviation[v] = 0.01 * static_cast<double>(v % 7);
  expect_equal(tree->find_candidates(s.x_t0, s.x_t1, inflation, deviation),
               twin->find_candidates(s.x_t0, s.x_t1, inflation, deviation));
  EXPECT_EQ(tree->find_intersection_candidates(s.x_t1), twin->find_intersection_candidates(s.x_t1));
  return expected.size();
}

class BroadPhaseInDimension : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimension, BroadPhaseInDimension, testing::Values(2, 3));

TEST_P(BroadPhaseInDimension, TreeEqualsBruteForceOnRandomSurfaces) {
  std::size_t num_candidates = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const TestSurface surface = random_surface(rng, GetParam());
    num_candidates += expect_tree_equals_brute_force(surface, uniform(rng, 0.0, 0.05));
  }
  EXPECT_GT(num_candidates, 2000U);
}

TEST_P(BroadPhaseInDimension, TreeEqualsBruteForceFarFromTheOrigin) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    TestSurface surface = random_surface(rng, GetParam());
    surface.x_t0 = 1e-3 * surface.x_t0.array() + 1e6;
    surface.x_t1 = 1e-3 * surface.x_t1.array() + 1e6;
    expect_tree_equals_brute_force(surface, 1e-5);
  }
}

TEST_P(BroadPhaseInDimension, TreeEqualsBruteForceOnDegenerateSurfaces) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const TestSurface surface = random_surface(rng, GetParam());

    // All vertices are at one point: every pair that shares no vertex is a candidate.
    TestSurface point = surface;
    point.x_t0.setConstant(0.3);
    point.x_t1 = point.x_t0;
    expect_tree_equals_brute_force(point, 0.0);

    // All vertices are in a plane (2D: on a line), with boxes of no thickness, still and moving in it.
    TestSurface flat = surface;
    for (Eigen::Index i = flat.dim - 1; i < flat.x_t0.size(); i += flat.dim) flat.x_t0[i] = flat.x_t1[i] = 0.7;
    expect_tree_equals_brute_force(flat, 0.0);

    // Coordinates that float cannot hold.
    TestSurface huge = surface;
    huge.x_t0 *= 1e300;
    huge.x_t1 *= 1e300;
    expect_tree_equals_brute_force(huge, 1.0);
    TestSurface tiny = surface;
    tiny.x_t0 *= 1e-60;
    tiny.x_t1 *= 1e-60;
    expect_tree_equals_brute_force(tiny, 1e-62);

    // One primitive as large as the scene among small ones.
    TestSurface mixed = surface;
    mixed.x_t0.head(mixed.dim).setConstant(-50.0);
    mixed.x_t1.tail(mixed.dim).setConstant(90.0);
    expect_tree_equals_brute_force(mixed, 1e-3);
  }
}

TEST_P(BroadPhaseInDimension, SmallestTopologiesAreAnswered) {
  const int dim = GetParam();
  TestSurface surface;
  surface.dim = dim;
  EXPECT_EQ(expect_tree_equals_brute_force(surface, 1.0), 0U) << "nothing";
  const int v = surface.add_vertex(Vec<3>::Zero(), 0, -1);
  surface.x_t1 = surface.x_t0;
  EXPECT_EQ(expect_tree_equals_brute_force(surface, 1.0), 0U) << "one point";
  const int a = surface.add_vertex(Vec<3>::Ones(), 0, -1);
  const int b = surface.add_vertex(2.0 * Vec<3>::Ones(), 0, -1);
  surface.x_t1 = surface.x_t0;
  surface.topology.edges.push_back({a, b});
  EXPECT_EQ(expect_tree_equals_brute_force(surface, 1.0), dim == 2 ? 1U : 0U) << "a point and an edge";
  if (dim == 2) return;
  const int c = surface.add_vertex(Vec<3>(0.0, 1.0, 0.0), 0, -1);
  surface.x_t1 = surface.x_t0;
  surface.add_triangles({{a, b, c}});
  const Candidates found = make_broad_phase(3, surface.topology)->find_candidates(surface.x_t0, surface.x_t0, 1.0);
  EXPECT_EQ(found.point_triangle, (Pairs{{v, 0}})) << "a point and a triangle";
  EXPECT_TRUE(found.edge_edge.empty());
}

TEST_P(BroadPhaseInDimension, PairsAreSortedUniqueDisjointAndCanTouch) {
  for (unsigned seed = 100; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const TestSurface s = random_surface(rng, GetParam());
    const auto tree = make_broad_phase(s.dim, s.topology);
    const Candidates found = tree->find_candidates(s.x_t0, s.x_t1, 0.1);
    const auto check = [&](const Pairs& pairs, const auto& vertices_of_first, const auto& vertices_of_second) {
      for (std::size_t i = 1; i < pairs.size(); ++i) EXPECT_LT(pairs[i - 1], pairs[i]);
      for (const auto& pair : pairs) {
        for (const int a : vertices_of_first(pair[0])) {
          for (const int b : vertices_of_second(pair[1])) {
            EXPECT_NE(a, b);
            EXPECT_TRUE(s.topology.can_touch(a, b));
          }
        }
      }
    };
    const auto vertex = [](int i) { return std::array<int, 1>{i}; };
    const auto edge = [&](int i) { return s.topology.edges[i]; };
    const auto triangle = [&](int i) { return s.topology.triangles[i]; };
    check(found.point_triangle, vertex, triangle);
    check(found.edge_edge, edge, edge);
    check(found.point_edge, vertex, edge);
    for (const auto& pair : found.edge_edge) EXPECT_LT(pair[0], pair[1]);
    if (s.dim == 2) check(tree->find_intersection_candidates(s.x_t0), edge, edge);
    if (s.dim == 3) check(tree->find_intersection_candidates(s.x_t0), edge, triangle);
  }
}

TEST_P(BroadPhaseInDimension, ObstaclesMeetBodiesButNotEachOther) {
  // Two obstacles (group 0) and one body are on one spot: only pairs with the body count.
  Rng rng(5);
  TestSurface surface;
  surface.dim = GetParam();
  add_body(surface, rng, 6, Vec<3>::Zero(), 0.1, 0, 0);
  add_body(surface, rng, 6, Vec<3>::Zero(), 0.1, 1, 0);
  surface.x_t1 = surface.x_t0;
  EXPECT_EQ(expect_tree_equals_brute_force(surface, 0.5), 0U);
  const int num_obstacle_vertices = surface.topology.num_vertices;
  add_body(surface, rng, 2, Vec<3>::Zero(), 0.1, 2, -1);
  surface.x_t1 = surface.x_t0;
  EXPECT_GT(expect_tree_equals_brute_force(surface, 0.5), 100U);
  const Candidates found =
      make_broad_phase(surface.dim, surface.topology)->find_candidates(surface.x_t0, surface.x_t0, 0.5);
  for (const auto& pair : surface.dim == 2 ? found.point_edge : found.edge_edge) {
    const auto& edge = surface.topology.edges[pair[1]];
    const int other = surface.dim == 2 ? pair[0] : surface.topology.edges[pair[0]][0];
    EXPECT_TRUE(edge[0] >= num_obstacle_vertices || other >= num_obstacle_vertices);
  }
}

TEST_P(BroadPhaseInDimension, RefittedTreeEqualsFreshTreeAlongAMotion) {
  Rng rng(9);
  TestSurface s = random_surface(rng, GetParam());
  add_body(s, rng, 20, Vec<3>(0.1, 0.2, 0.3), 0.05, 9, -1);
  Forest tree(s.dim, s.topology);
  constexpr int num_steps = 30;
  for (int step = 0; step < num_steps; ++step) {
    SCOPED_TRACE(step);
    // Motions are small, with now and then a leap that mixes everything.
    const double size = step % 10 == 9 ? 1.0 : 0.01;
    const VecX x_next = s.x_t0 + random_vector(rng, s.x_t0.size(), -size, size);
    Forest fresh(s.dim, s.topology);
    expect_equal(tree.find_candidates(s.x_t0, x_next, 0.01), fresh.find_candidates(s.x_t0, x_next, 0.01));
    EXPECT_EQ(tree.find_intersection_candidates(x_next), fresh.find_intersection_candidates(x_next));
    s.x_t0 = x_next;
  }
  EXPECT_GE(tree.num_sorts(), 2) << "the leaps must have forced a new order";
  EXPECT_LE(tree.num_sorts(), num_steps / 2) << "small motions must not";
}

TEST_P(BroadPhaseInDimension, SameBitsForAnyNumberOfThreads) {
  for (unsigned seed = 200; seed < 205; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    TestSurface s = random_surface(rng, GetParam());
    add_body(s, rng, 30, Vec<3>(0.1, 0.2, 0.3), 0.03, 9, -1);
    s.x_t1 = s.x_t0 + random_vector(rng, s.x_t0.size(), -0.05, 0.05);
    const auto query = [&](int num_threads) {
      const ThreadLimit limit(num_threads);
      return make_broad_phase(s.dim, s.topology)->find_candidates(s.x_t0, s.x_t1, 0.01);
    };
    const Candidates one = query(1);
    EXPECT_GT(one.size(), 2048U) << "large enough for the parallel sort";
    expect_equal(query(2), one);
    expect_equal(query(4), one);
  }
}

TEST_P(BroadPhaseInDimension, SweptCandidatesContainStaticOnes) {
  for (unsigned seed = 300; seed < 310; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const TestSurface s = random_surface(rng, GetParam());
    const auto tree = make_broad_phase(s.dim, s.topology);
    const Candidates swept = tree->find_candidates(s.x_t0, s.x_t1, 0.01);
    for (const VecX* x : {&s.x_t0, &s.x_t1}) {
      const Candidates still = tree->find_candidates(*x, *x, 0.01);
      const auto contains = [](const Pairs& all, const Pairs& some) {
        return std::includes(all.begin(), all.end(), some.begin(), some.end());
      };
      EXPECT_TRUE(contains(swept.point_triangle, still.point_triangle));
      EXPECT_TRUE(contains(swept.edge_edge, still.edge_edge));
      EXPECT_TRUE(contains(swept.point_edge, still.point_edge));
    }
  }
}

// Measures distances at many times of the way between primitives that are no candidates: none is below twice the
// inflation.
TEST(BroadPhase, NoPairIsMissedInSpace) {
  constexpr double inflation = 0.02;
  std::size_t num_close = 0;
  for (unsigned seed = 400; seed < 410; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const TestSurface s = random_surface(rng, 3);
    const Candidates found = make_broad_phase(3, s.topology)->find_candidates(s.x_t0, s.x_t1, inflation);
    const auto has = [](const Pairs& pairs, int a, int b) {
      return std::binary_search(pairs.begin(), pairs.end(), std::array<int, 2>{a, b});
    };
    for (const double t : {0.0, 0.25, 0.5, 0.9, 1.0}) {
      const VecX x = s.x_t0 + t * (s.x_t1 - s.x_t0);
      const auto at = [&](int v) -> Vec<3> { return x.segment<3>(3 * v); };
      for (int sample = 0; sample < 20000; ++sample) {
        const int v = static_cast<int>(rng() % static_cast<unsigned>(s.topology.num_vertices));
        const std::size_t f = rng() % s.topology.triangles.size();
        const auto& [a, b, c] = s.topology.triangles[f];
        if (v != a && v != b && v != c && s.topology.can_touch(v, a) &&
            point_triangle_distance_sq(at(v), at(a), at(b), at(c)) < 4.0 * inflation * inflation) {
          ++num_close;
          EXPECT_TRUE(has(found.point_triangle, v, static_cast<int>(f)));
        }
        const std::size_t i = rng() % s.topology.edges.size();
        const std::size_t j = rng() % s.topology.edges.size();
        const auto& p = s.topology.edges[i];
        const auto& q = s.topology.edges[j];
        const bool is_disjoint = p[0] != q[0] && p[0] != q[1] && p[1] != q[0] && p[1] != q[1];
        if (i < j && is_disjoint && s.topology.can_touch(p[0], q[0]) &&
            edge_edge_distance_sq(at(p[0]), at(p[1]), at(q[0]), at(q[1])) < 4.0 * inflation * inflation) {
          ++num_close;
          EXPECT_TRUE(has(found.edge_edge, static_cast<int>(i), static_cast<int>(j)));
        }
      }
    }
  }
  EXPECT_GT(num_close, 1000U);
}

TEST(BroadPhase, NoPairIsMissedInThePlane) {
  constexpr double inflation = 0.02;
  std::size_t num_close = 0;
  for (unsigned seed = 500; seed < 510; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const TestSurface s = random_surface(rng, 2);
    const Candidates found = make_broad_phase(2, s.topology)->find_candidates(s.x_t0, s.x_t1, inflation);
    for (const double t : {0.0, 0.3, 0.6, 1.0}) {
      const VecX x = s.x_t0 + t * (s.x_t1 - s.x_t0);
      const auto at = [&](int v) -> Vec<2> { return x.segment<2>(2 * v); };
      for (int v = 0; v < s.topology.num_vertices; ++v) {
        for (std::size_t e = 0; e < s.topology.edges.size(); ++e) {
          const auto& [a, b] = s.topology.edges[e];
          if (v == a || v == b || !s.topology.can_touch(v, a)) continue;
          if (point_edge_distance_sq<2>(at(v), at(a), at(b)) >= 4.0 * inflation * inflation) continue;
          ++num_close;
          EXPECT_TRUE(std::binary_search(found.point_edge.begin(), found.point_edge.end(),
                                         std::array<int, 2>{v, static_cast<int>(e)}));
        }
      }
    }
  }
  EXPECT_GT(num_close, 200U);
}

TEST(BroadPhase, SweptPairIsFoundThoughBothEndsAreFarApart) {
  // A point passes through a triangle from far above to far below.
  TestSurface s;
  s.add_vertex(Vec<3>(0, 0, 0), 0, -1);
  s.add_vertex(Vec<3>(1, 0, 0), 0, -1);
  s.add_vertex(Vec<3>(0, 1, 0), 0, -1);
  const int p = s.add_vertex(Vec<3>(0.2, 0.2, 100), 1, -1);
  s.add_triangles({{0, 1, 2}});
  s.x_t1 = s.x_t0;
  s.x_t1[3 * p + 2] = -100;
  const auto tree = make_broad_phase(3, s.topology);
  EXPECT_EQ(tree->find_candidates(s.x_t0, s.x_t0, 1e-3).size(), 0U);
  EXPECT_EQ(tree->find_candidates(s.x_t1, s.x_t1, 1e-3).size(), 0U);
  EXPECT_EQ(tree->find_candidates(s.x_t0, s.x_t1, 1e-3).point_triangle, (Pairs{{p, 0}}));
}

}  // namespace
}  // namespace clearance
