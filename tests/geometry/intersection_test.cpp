// Exact intersection tests against distances in rational arithmetic.
#include "clearance/geometry/intersection.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "geometry/rational_geometry.h"

namespace clearance {
namespace {

using rational::Number;
using rational::Point;
using rational::to_point;

bool rational_edges_intersect(const Point& a0, const Point& a1, const Point& b0, const Point& b1) {
  return rational::edge_edge_distance_sq(a0, a1, b0, b1) == 0;
}

/// True if the edge touches the triangle with an end point, at an edge, or where it crosses the plane.
bool rational_edge_intersects_triangle(const Point& e0, const Point& e1, const std::array<Point, 3>& t) {
  if (rational::point_triangle_distance_sq(e0, t[0], t[1], t[2]) == 0) return true;
  for (int i = 0; i < 3; ++i) {
    if (rational_edges_intersect(e0, e1, t[i], t[(i + 1) % 3])) return true;
  }
  const Point n = cross(t[1] - t[0], t[2] - t[0]);
  const Number slope = dot(n, e1 - e0);
  if (slope == 0) return false;
  const Number s = dot(n, t[0] - e0) / slope;
  if (s < 0 || s > 1) return false;
  return rational::point_triangle_distance_sq(e0 + s * (e1 - e0), t[0], t[1], t[2]) == 0;
}

void expect_agreement(const std::array<Vec<3>, 5>& p, const char* what, int sample, int& num_hits) {
  const std::array<Point, 3> t{to_point<3>(p[2]), to_point<3>(p[3]), to_point<3>(p[4])};
  const bool expected = rational_edge_intersects_triangle(to_point<3>(p[0]), to_point<3>(p[1]), t);
  num_hits += expected;
  // The order of the end points and of the triangle's vertices changes nothing.
  ASSERT_EQ(edge_intersects_triangle(p[0], p[1], p[2], p[3], p[4]), expected) << what << ", sample " << sample;
  ASSERT_EQ(edge_intersects_triangle(p[1], p[0], p[2], p[3], p[4]), expected) << what << ", sample " << sample;
  ASSERT_EQ(edge_intersects_triangle(p[0], p[1], p[4], p[3], p[2]), expected) << what << ", sample " << sample;
  ASSERT_EQ(edge_intersects_triangle(p[0], p[1], p[3], p[4], p[2]), expected) << what << ", sample " << sample;
}

TEST(Intersection, EdgeThroughTriangle_Intersects) {
  const Vec<3> t0(0, 0, 0), t1(1, 0, 0), t2(0, 1, 0);
  EXPECT_TRUE(edge_intersects_triangle({0.2, 0.2, -1}, {0.2, 0.2, 1}, t0, t1, t2));
  EXPECT_FALSE(edge_intersects_triangle({0.7, 0.7, -1}, {0.7, 0.7, 1}, t0, t1, t2));
  EXPECT_FALSE(edge_intersects_triangle({0.2, 0.2, 1e-300}, {0.2, 0.2, 1}, t0, t1, t2));
}

TEST(Intersection, Touching_CountsAsIntersecting) {
  const Vec<3> t0(0, 0, 0), t1(1, 0, 0), t2(0, 1, 0);
  EXPECT_TRUE(edge_intersects_triangle({0.2, 0.2, 0}, {0.2, 0.2, 1}, t0, t1, t2));      // end point inside
  EXPECT_TRUE(edge_intersects_triangle({0.5, 0.5, -1}, {0.5, 0.5, 1}, t0, t1, t2));     // through an edge
  EXPECT_TRUE(edge_intersects_triangle({0, 0, -1}, {0, 0, 1}, t0, t1, t2));             // through a vertex
  EXPECT_TRUE(edge_intersects_triangle({-1, 1, 0}, {1, 1, 0}, t0, t1, t2));             // coplanar, at a vertex
  EXPECT_TRUE(edge_intersects_triangle({0.1, 0.1, 0}, {0.2, 0.1, 0}, t0, t1, t2));      // coplanar, inside
  EXPECT_TRUE(edge_intersects_triangle({0.25, 0.25, 0}, {0.25, 0.25, 0}, t0, t1, t2));  // length zero
  EXPECT_FALSE(edge_intersects_triangle({0.6, 0.6, 0}, {1, 1, 0}, t0, t1, t2));         // coplanar, outside
}

TEST(Intersection, SmallIntegers_AgreeWithRationals) {
  std::mt19937_64 generator(11);
  std::uniform_int_distribution<int> integer(-1, 1);
  int num_hits = 0;
  for (int i = 0; i < 3000; ++i) {
    std::array<Vec<3>, 5> p;
    // Every third sample in the plane z = 0, every seventh on the line y = z = 0.
    for (Vec<3>& q : p) {
      q = Vec<3>(integer(generator), i % 7 == 0 ? 0 : integer(generator), i % 3 == 0 ? 0 : integer(generator));
    }
    ASSERT_NO_FATAL_FAILURE(expect_agreement(p, "integers, seed 11", i, num_hits));
  }
  EXPECT_GT(num_hits, 500);
  EXPECT_LT(num_hits, 2900);
}

TEST(Intersection, RandomEdges_AgreeWithRationals) {
  std::mt19937_64 generator(12);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int num_hits = 0;
  for (int i = 0; i < 1000; ++i) {
    std::array<Vec<3>, 5> p;
    for (Vec<3>& q : p) q = Vec<3>(uniform(generator), uniform(generator), uniform(generator));
    ASSERT_NO_FATAL_FAILURE(expect_agreement(p, "random, seed 12", i, num_hits));
  }
  EXPECT_GT(num_hits, 25);
}

// End points computed to lie on the triangle, its edges or its plane do so only up to rounding, so that every sign
// matters.
TEST(Intersection, NearlyTouching_AgreesWithRationals) {
  std::mt19937_64 generator(13);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int num_hits = 0;
  for (int i = 0; i < 1500; ++i) {
    std::array<Vec<3>, 5> p;
    const double offset = i % 2 == 0 ? 0.0 : 1e6;
    for (Vec<3>& q : p) q = Vec<3>(uniform(generator), uniform(generator), uniform(generator)).array() + offset;
    const double u = uniform(generator), v = i % 3 == 0 ? 0.0 : uniform(generator);
    p[0] = p[2] + u * (p[3] - p[2]) + v * (p[4] - p[2]);
    if (i % 5 == 0) p[1] = p[3] + v * (p[4] - p[3]);
    ASSERT_NO_FATAL_FAILURE(expect_agreement(p, "nearly touching, seed 13", i, num_hits));
  }
  EXPECT_GT(num_hits, 100);
}

TEST(Intersection, DegenerateTriangles_AgreeWithRationals) {
  std::mt19937_64 generator(14);
  std::uniform_int_distribution<int> integer(-3, 3);
  int num_hits = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto draw = [&] { return Vec<3>(integer(generator), integer(generator), i % 2 ? 0 : integer(generator)); };
    std::array<Vec<3>, 5> p;
    p[0] = draw();
    p[1] = i % 5 == 0 ? p[0] : draw();
    p[2] = draw();
    const Vec<3> direction = i % 3 == 0 ? Vec<3>(Vec<3>::Zero()) : draw();
    p[3] = p[2] + direction;
    p[4] = p[2] - 2.0 * direction;
    ASSERT_NO_FATAL_FAILURE(expect_agreement(p, "degenerate, seed 14", i, num_hits));
  }
  EXPECT_GT(num_hits, 100);
}

template <int dim>
void test_edges(unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_int_distribution<int> integer(-2, 2);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int num_hits = 0;
  for (int i = 0; i < 5000; ++i) {
    std::array<Vec<dim>, 4> p;
    for (Vec<dim>& q : p) {
      for (int k = 0; k < dim; ++k) q[k] = i % 2 ? integer(generator) : uniform(generator);
    }
    // Nearly touching: an end point computed on the other edge.
    if (i % 4 == 0) p[2] = p[0] + uniform(generator) * (p[1] - p[0]);
    if (i % 20 == 1) p[1] = p[0];
    const bool expected =
        rational_edges_intersect(to_point<dim>(p[0]), to_point<dim>(p[1]), to_point<dim>(p[2]), to_point<dim>(p[3]));
    num_hits += expected;
    ASSERT_EQ(edges_intersect(p[0], p[1], p[2], p[3]), expected) << "seed " << seed << ", sample " << i;
    ASSERT_EQ(edges_intersect(p[3], p[2], p[0], p[1]), expected) << "seed " << seed << ", sample " << i;
  }
  EXPECT_GT(num_hits, 50);
}

TEST(Intersection, Edges2d_AgreeWithRationals) {
  test_edges<2>(15);
}
TEST(Intersection, Edges3d_AgreeWithRationals) {
  test_edges<3>(16);
}

TEST(Intersection, PointInTriangle_AgreesWithRationals) {
  std::mt19937_64 generator(17);
  std::uniform_int_distribution<int> integer(-2, 2);
  int num_hits = 0;
  for (int i = 0; i < 5000; ++i) {
    std::array<Vec<2>, 4> p;
    for (Vec<2>& q : p) q = Vec<2>(integer(generator), integer(generator));
    const bool expected = rational::point_triangle_distance_sq(to_point<2>(p[0]), to_point<2>(p[1]), to_point<2>(p[2]),
                                                               to_point<2>(p[3])) == 0;
    num_hits += expected;
    ASSERT_EQ(point_in_triangle(p[0], p[1], p[2], p[3]), expected) << "seed 17, sample " << i;
  }
  EXPECT_GT(num_hits, 100);
}

}  // namespace
}  // namespace clearance
