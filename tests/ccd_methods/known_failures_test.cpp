// Known errors of the compared methods [Fer23, sec. 3.4.2, app. E]: the benchmark must show them, so the failures are
// part of their contract. The exact oracle settles every query here first.
#include <gtest/gtest.h>

#include "ccd_methods/queries.h"
#include "clearance/ccd/methods/plane_form.h"

namespace clearance {
namespace {

using Points = std::array<Vec<3>, 4>;

bool hits(const CcdQuery& query) {
  return find_first_contact(query).has_value();
}

/// An edge dips below another at t = 1/2 and comes up again at t = 5/6.
const CcdQuery two_roots{QueryKind::edge_edge,
                         {Points{Vec<3>(-1, 0, 0), Vec<3>(1, 0, 0), Vec<3>(0, -1, 1), Vec<3>(0, 1, 0)},
                          Points{Vec<3>(-1, 0, 0), Vec<3>(1, 0, 0), Vec<3>(0, -4, -3), Vec<3>(0, 1, 0.8)}}};

/// Appendix E.2: a side of the prism is a flat hourglass.
const CcdQuery hourglass{QueryKind::point_triangle,
                         {Points{Vec<3>(0.1, 0.1, 0.1), Vec<3>(0, 0, 1), Vec<3>(1, 0, 1), Vec<3>(0, 1, 1)},
                          Points{Vec<3>(0.1, 0.1, 0.1), Vec<3>(0, 0, 0), Vec<3>(0, 1, 0), Vec<3>(1, 0, 0)}}};

/// Appendix E.3: -72 t^3 + 120 t^2 - 44 t + 3 has an inflection point.
const CcdQuery inflection{QueryKind::point_triangle,
                          {Points{Vec<3>(1, 1, 0), Vec<3>(0, 0, 5), Vec<3>(2, 0, 2), Vec<3>(0, 1, 0)},
                           Points{Vec<3>(1, 1, 0), Vec<3>(0, 0, -1), Vec<3>(0, 0, -2), Vec<3>(0, 7, 0)}}};

/// Appendix E.3: a triangle slides over a vertex in its plane.
const CcdQuery coplanar{QueryKind::point_triangle,
                        {Points{Vec<3>(1, 0.5, 1), Vec<3>(0, 0.57, 1), Vec<3>(1, 0.57, 1), Vec<3>(1, 1.57, 1)},
                         Points{Vec<3>(1, 0.5, 1), Vec<3>(0, 0.28, 1), Vec<3>(1, 0.28, 1), Vec<3>(1, 1.28, 1)}}};

/// The same from beginning to end: the vertex enters through one edge and leaves through another.
const CcdQuery coplanar_inside{
    QueryKind::point_triangle,
    {Points{Vec<3>(0.5, 0.5, 1), Vec<3>(0, 0.75, 1), Vec<3>(1, 0.75, 1), Vec<3>(1, 1.75, 1)},
     Points{Vec<3>(0.5, 0.5, 1), Vec<3>(0, -1.75, 1), Vec<3>(1, -1.75, 1), Vec<3>(1, -0.75, 1)}}};

/// A triangle slides past a vertex in its plane, out of reach.
const CcdQuery coplanar_apart{QueryKind::point_triangle,
                              {Points{Vec<3>(9, 0.5, 1), Vec<3>(0, 0.57, 1), Vec<3>(1, 0.57, 1), Vec<3>(1, 1.57, 1)},
                               Points{Vec<3>(9, 0.5, 1), Vec<3>(0, 0.28, 1), Vec<3>(1, 0.28, 1), Vec<3>(1, 1.28, 1)}}};

/// Overlapping parallel edges cross each other.
const CcdQuery parallel{QueryKind::edge_edge,
                        {Points{Vec<3>(0, 0, 1), Vec<3>(2, 0, 1), Vec<3>(1, 0, 0), Vec<3>(3, 0, 0)},
                         Points{Vec<3>(0, 0, -1), Vec<3>(2, 0, -1), Vec<3>(1, 0, 0), Vec<3>(3, 0, 0)}}};

TEST(CcdMethods, RationalRootParity_MissesTwoRoots) {
  ASSERT_TRUE(hits(two_roots));
  EXPECT_FALSE(ask("rational-root-parity", two_roots).is_hit);
  EXPECT_FALSE(ask("floating-point-root-parity", two_roots).is_hit);
  for (const char* method : conservative_methods) EXPECT_TRUE(ask(method, two_roots).is_hit) << method;
}

TEST(CcdMethods, RationalRootParity_HasNoFalsePositive) {
  std::mt19937_64 generator(21);
  int num_hits = 0, num_misses = 0;
  for (int sample = 0; sample < 150; ++sample) {
    for (const auto& [name, query] : random_queries(generator)) {
      const bool is_hit = hits(query);
      for (const char* method : exact_hit_methods) {
        const bool answer = ask(method, query).is_hit;
        EXPECT_TRUE(is_hit || !answer) << method << ", seed 21, " << name << "\n" << to_text(query);
        num_misses += is_hit && !answer;
      }
      num_hits += is_hit;
    }
  }
  EXPECT_GT(num_hits, 300);
  EXPECT_LT(num_misses, num_hits / 5);
}

TEST(CcdMethods, FloatingPointRootParity_MissesFlatPatches) {
  // The hourglass is left out: its plane does not contain the origin.
  for (const char* method : {"floating-point-root-parity", "rational-root-parity"}) {
    EXPECT_TRUE(ask(method, hourglass).is_hit) << method;
  }
  ASSERT_TRUE(hits(coplanar_inside));
  EXPECT_FALSE(ask("floating-point-root-parity", coplanar_inside).is_hit);
  EXPECT_TRUE(ask("rational-root-parity", coplanar_inside).is_hit);
}

TEST(CcdMethods, FloatingPointRootFinder_MissesCoplanarMotionAndParallelEdges) {
  for (const CcdQuery& query : {coplanar, coplanar_inside, parallel}) {
    ASSERT_TRUE(hits(query));
    EXPECT_FALSE(ask("floating-point-root-finder", query).is_hit);
    for (const char* method : conservative_methods) EXPECT_TRUE(ask(method, query).is_hit) << method;
  }
}

TEST(CcdMethods, BernsteinSignClassification_MissesCoplanarMotionOfAppendixE3) {
  ASSERT_TRUE(hits(coplanar));
  EXPECT_FALSE(ask("bernstein-sign-classification", coplanar).is_hit);
}

TEST(CcdMethods, BernsteinSignClassification_TakesInflectionPointsForHits) {
  EXPECT_TRUE(ask("bernstein-sign-classification", inflection).is_hit);
}

TEST(CcdMethods, BernsteinSignClassification_IsExactWithoutInflectionAndCoplanarity) {
  std::mt19937_64 generator(22);
  int num_hits = 0, num_inflections = 0;
  for (int sample = 0; sample < 300; ++sample) {
    for (const auto& [name, query] : random_queries(generator)) {
      if (!name.ends_with("random") && !name.ends_with("close") && !name.ends_with("far")) continue;
      const ExactQuery exact = to_exact(query);
      const auto k = coplanarity(plane_form<mpz_class>(exact.kind, exact.t0, exact.t1));
      const bool has_inflection = sgn(mpz_class(k[0] - 2 * k[1] + k[2])) * sgn(mpz_class(k[1] - 2 * k[2] + k[3])) < 0;
      const bool is_hit = hits(query), answer = ask("bernstein-sign-classification", query).is_hit;
      EXPECT_TRUE(answer == is_hit || (answer && has_inflection)) << "seed 22, " << name << "\n" << to_text(query);
      num_hits += is_hit && !has_inflection;
      num_inflections += has_inflection;
    }
  }
  EXPECT_GT(num_hits, 100);
  EXPECT_GT(num_inflections, 100);
}

TEST(CcdMethods, TightCcd_AlwaysTakesCoplanarMotionForAHit) {
  ASSERT_FALSE(hits(coplanar_apart));
  EXPECT_TRUE(ask("tight-ccd", coplanar_apart).is_hit);
  EXPECT_FALSE(ask("tight-inclusion", coplanar_apart).is_hit);
}

TEST(CcdMethods, MinimumSeparationRootFinder_MissesWithoutSeparation) {
  // f^2 touches zero: luck decides if the computed one does.
  std::mt19937_64 generator(23);
  int num_hits = 0, num_found = 0, num_found_with_separation = 0;
  for (int sample = 0; sample < 2000; ++sample) {
    const auto queries = random_queries(generator);
    const CcdQuery& query = queries.front().query;
    if (!hits(query)) continue;
    ++num_hits;
    num_found += ask("minimum-separation-root-finder", query).is_hit;
    num_found_with_separation += ask("minimum-separation-root-finder", query, {.min_separation = 1e-4}).is_hit;
  }
  EXPECT_GT(num_hits, 20);
  EXPECT_LT(num_found, num_hits);
  EXPECT_EQ(num_found_with_separation, num_hits);
}

}  // namespace
}  // namespace clearance
