#include "clearance/geometry/distance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/random_points.h"

namespace clearance {
namespace {

using test::all_families;
using test::PointFamily;
using test::RandomPoints;

// --- slow twin: enumeration of all feasible active sets in extended precision, nothing shared with the library ---

using Wide = Eigen::Matrix<long double, 3, 1>;

Wide widen(const Vec<3>& v) {
  return v.cast<long double>();
}

long double slow_point_edge(const Wide& p, const Wide& e0, const Wide& e1) {
  const Wide edge = e1 - e0;
  const long double length_sq = edge.squaredNorm();
  const long double t = length_sq > 0 ? std::clamp<long double>((p - e0).dot(edge) / length_sq, 0, 1) : 0;
  return (p - e0 - t * edge).norm();
}

/// Returns the distance of w to the points s a + t b if the closest one has feasible (s, t), else infinity.
template <class Feasible>
long double slow_interior(const Wide& w, const Wide& a, const Wide& b, const Feasible& is_feasible) {
  const long double aa = a.dot(a), ab = a.dot(b), bb = b.dot(b), aw = a.dot(w), bw = b.dot(w);
  const long double determinant = aa * bb - ab * ab;
  if (!(determinant > 0)) return infinity;
  const long double s = (bb * aw - ab * bw) / determinant, t = (aa * bw - ab * aw) / determinant;
  return is_feasible(s, t) ? (w - s * a - t * b).norm() : static_cast<long double>(infinity);
}

double slow_point_triangle(const Vec<3>& p_, const Vec<3>& t0_, const Vec<3>& t1_, const Vec<3>& t2_) {
  const Wide p = widen(p_), t0 = widen(t0_), t1 = widen(t1_), t2 = widen(t2_);
  const auto inside = [](long double s, long double t) { return s >= 0 && t >= 0 && s + t <= 1; };
  return static_cast<double>(std::min({slow_point_edge(p, t0, t1), slow_point_edge(p, t1, t2),
                                       slow_point_edge(p, t2, t0), slow_interior(p - t0, t1 - t0, t2 - t0, inside)}));
}

double slow_edge_edge(const Vec<3>& ea0_, const Vec<3>& ea1_, const Vec<3>& eb0_, const Vec<3>& eb1_) {
  const Wide ea0 = widen(ea0_), ea1 = widen(ea1_), eb0 = widen(eb0_), eb1 = widen(eb1_);
  const auto inside = [](long double s, long double t) { return s >= 0 && s <= 1 && -t >= 0 && -t <= 1; };
  return static_cast<double>(
      std::min({slow_point_edge(ea0, eb0, eb1), slow_point_edge(ea1, eb0, eb1), slow_point_edge(eb0, ea0, ea1),
                slow_point_edge(eb1, ea0, ea1), slow_interior(eb0 - ea0, ea1 - ea0, eb1 - eb0, inside)}));
}

/// [m] for points of size 1: rounding, and its amplification by 1 / sine for almost parallel edges and thin triangles,
/// whose sines go down to the threshold 1e-10 (A.7.2).
double tolerance(PointFamily family) {
  return family == PointFamily::near_lattice ? 3e-6 : 1e-13;
}

// --- point and triangle ---

TEST(PointTriangle, Distance_EqualsSlowTwinOnGeneralAndDegenerateInput) {
  const unsigned seed = 11;
  RandomPoints random(seed);
  for (const PointFamily family : all_families) {
    for (int trial = 0; trial < 30000; ++trial) {
      const Vec<3> p = random.point<3>(family), t0 = random.point<3>(family), t1 = random.point<3>(family),
                   t2 = random.point<3>(family);
      const double distance = std::sqrt(point_triangle_distance_sq(p, t0, t1, t2));
      ASSERT_NEAR(distance, slow_point_triangle(p, t0, t1, t2), tolerance(family))
          << "seed " << seed << " trial " << trial << " family " << static_cast<int>(family);
    }
  }
}

TEST(PointTriangle, Distance_SurvivesLargeOffsetAndTinyScale) {
  RandomPoints random(12);
  const Vec<3> offset(1e6, -2e6, 3e6);
  for (int trial = 0; trial < 10000; ++trial) {
    Vec<3> v[4];
    for (Vec<3>& vertex : v) vertex = random.point<3>(PointFamily::general) + offset;
    // The twin sees the same rounded positions, so that only the rounding of the differences counts.
    ASSERT_NEAR(std::sqrt(point_triangle_distance_sq(v[0], v[1], v[2], v[3])),
                slow_point_triangle(v[0], v[1], v[2], v[3]), 1e-13);
    for (Vec<3>& vertex : v) vertex = random.point<3>(PointFamily::general) * 1e-9;
    ASSERT_NEAR(std::sqrt(point_triangle_distance_sq(v[0], v[1], v[2], v[3])),
                slow_point_triangle(v[0], v[1], v[2], v[3]), 1e-22);
  }
}

TEST(PointTriangle, Type_NamesTheRegionAroundATriangle) {
  const Vec<3> t0(0, 0, 0), t1(4, 0, 0), t2(0, 4, 0);
  const auto type = [&](double x, double y) { return point_triangle_type(Vec<3>(x, y, 0.5), t0, t1, t2); };
  EXPECT_EQ(type(1, 1), PointTriangleType::p_t);
  EXPECT_EQ(type(-1, -1), PointTriangleType::p_t0);
  EXPECT_EQ(type(6, -1), PointTriangleType::p_t1);
  EXPECT_EQ(type(-1, 6), PointTriangleType::p_t2);
  EXPECT_EQ(type(2, -1), PointTriangleType::p_e0);
  EXPECT_EQ(type(3, 3), PointTriangleType::p_e1);
  EXPECT_EQ(type(-1, 2), PointTriangleType::p_e2);
}

TEST(PointTriangle, Type_GivesTheSmallestDistanceOfAllFeasibleTypes) {
  RandomPoints random(13);
  int seen[7] = {};
  for (int trial = 0; trial < 5000; ++trial) {
    const Vec<3> p = random.point<3>(PointFamily::general), t0 = random.point<3>(PointFamily::general),
                 t1 = random.point<3>(PointFamily::general), t2 = random.point<3>(PointFamily::general);
    const PointTriangleType type = point_triangle_type(p, t0, t1, t2);
    ++seen[static_cast<int>(type)];
    // Vertices are always feasible: no other type may be worse than they are, and orthogonal projections never exceed
    // them.
    const double distance_sq = point_triangle_distance_sq(p, t0, t1, t2, type);
    for (const auto vertex : {PointTriangleType::p_t0, PointTriangleType::p_t1, PointTriangleType::p_t2}) {
      ASSERT_LE(distance_sq, point_triangle_distance_sq(p, t0, t1, t2, vertex) * (1 + 1e-12));
    }
    ASSERT_GE(distance_sq, point_plane_distance_sq(p, t0, t1, t2) - 1e-13);
    // The order of the vertices does not matter.
    ASSERT_NEAR(distance_sq, point_triangle_distance_sq(p, t2, t0, t1), 1e-13);
    ASSERT_NEAR(distance_sq, point_triangle_distance_sq(p, t1, t0, t2), 1e-13);
  }
  for (int type = 0; type < 7; ++type) EXPECT_GT(seen[type], 100) << "type " << type;
}

TEST(PointTriangle, Distance_IsZeroOnVerticesEdgesAndInside) {
  const Vec<3> t0(0, 0, 0), t1(4, 0, 2), t2(0, 4, 2);
  EXPECT_EQ(point_triangle_distance_sq(t0, t0, t1, t2), 0.0);
  EXPECT_EQ(point_triangle_distance_sq(t2, t0, t1, t2), 0.0);
  EXPECT_EQ(point_triangle_distance_sq(Vec<3>(2, 0, 1), t0, t1, t2), 0.0);
  EXPECT_EQ(point_triangle_distance_sq(Vec<3>(1, 1, 1), t0, t1, t2), 0.0);
}

// --- edge and edge ---

TEST(EdgeEdge, Distance_EqualsSlowTwinOnGeneralAndDegenerateInput) {
  const unsigned seed = 21;
  RandomPoints random(seed);
  for (const PointFamily family : all_families) {
    for (int trial = 0; trial < 30000; ++trial) {
      const Vec<3> ea0 = random.point<3>(family), ea1 = random.point<3>(family), eb0 = random.point<3>(family),
                   eb1 = random.point<3>(family);
      const double distance = std::sqrt(edge_edge_distance_sq(ea0, ea1, eb0, eb1));
      ASSERT_NEAR(distance, slow_edge_edge(ea0, ea1, eb0, eb1), tolerance(family))
          << "seed " << seed << " trial " << trial << " family " << static_cast<int>(family);
    }
  }
}

TEST(EdgeEdge, Distance_SurvivesLargeOffset) {
  RandomPoints random(22);
  const Vec<3> offset(1e6, -2e6, 3e6);
  for (int trial = 0; trial < 10000; ++trial) {
    Vec<3> v[4];
    for (Vec<3>& vertex : v) vertex = random.point<3>(PointFamily::general) + offset;
    // 1e-12: pairs among 10000 random ones have sines down to 1e-4, which amplify the rounding.
    ASSERT_NEAR(std::sqrt(edge_edge_distance_sq(v[0], v[1], v[2], v[3])), slow_edge_edge(v[0], v[1], v[2], v[3]),
                1e-12);
  }
}

TEST(EdgeEdge, Type_CoversAllCasesAndIsSymmetric) {
  RandomPoints random(23);
  int seen[9] = {};
  for (int trial = 0; trial < 5000; ++trial) {
    const Vec<3> ea0 = random.point<3>(PointFamily::general), ea1 = random.point<3>(PointFamily::general),
                 eb0 = random.point<3>(PointFamily::general), eb1 = random.point<3>(PointFamily::general);
    ++seen[static_cast<int>(edge_edge_type(ea0, ea1, eb0, eb1))];
    const double distance_sq = edge_edge_distance_sq(ea0, ea1, eb0, eb1);
    ASSERT_NEAR(distance_sq, edge_edge_distance_sq(eb0, eb1, ea0, ea1), 1e-12);
    ASSERT_NEAR(distance_sq, edge_edge_distance_sq(ea1, ea0, eb0, eb1), 1e-12);
    ASSERT_GE(distance_sq, line_line_distance_sq(ea0, ea1, eb0, eb1) - 1e-12);
  }
  for (int type = 0; type < 9; ++type) EXPECT_GT(seen[type], 50) << "type " << type;
}

TEST(EdgeEdge, Type_ReducesBelowTheSineOfA72) {
  // Edges of length 2, one above the other by 0.5, at a small angle: crossing in the middle.
  const auto type = [](double sine) {
    return edge_edge_type(Vec<3>(-1, 0, 0), Vec<3>(1, 0, 0), Vec<3>(-1, -sine, 0.5), Vec<3>(1, sine, 0.5));
  };
  EXPECT_EQ(type(1e-9), EdgeEdgeType::ea_eb);
  EXPECT_NE(type(1e-11), EdgeEdgeType::ea_eb);
  EXPECT_NE(type(0.0), EdgeEdgeType::ea_eb);
}

TEST(EdgeEdge, Distance_OfParallelAndCollinearEdges) {
  const auto distance_sq = [](double b0, double b1, double y) {
    return edge_edge_distance_sq(Vec<3>(0, 0, 0), Vec<3>(2, 0, 0), Vec<3>(b0, y, 0), Vec<3>(b1, y, 0));
  };
  EXPECT_EQ(distance_sq(1, 3, 0.5), 0.25);  // overlapping
  EXPECT_EQ(distance_sq(3, 5, 2.0), 5.0);   // past the end
  EXPECT_EQ(distance_sq(5, 3, 2.0), 5.0);   // the same, reversed
  EXPECT_EQ(distance_sq(-1, 4, 0.0), 0.0);  // collinear, one inside the other
  EXPECT_EQ(distance_sq(3, 4, 0.0), 1.0);   // collinear, apart
  EXPECT_EQ(distance_sq(1, 1, 0.5), 0.25);  // zero length beside an edge
  EXPECT_EQ(distance_sq(2, 2, 0.0), 0.0);   // zero length on an end point
}

// --- nearly touching pairs, as contact sees them ---

TEST(NearlyTouching, Distance_KeepsItsDigits) {
  const unsigned seed = 25;
  RandomPoints random(seed);
  for (int trial = 0; trial < 10000; ++trial) {
    Vec<3> v[4];
    for (Vec<3>& vertex : v) vertex = random.point<3>(PointFamily::general);
    const double gap = std::pow(10.0, random.uniform(-9.0, -2.0));
    const double s = random.uniform(-0.2, 1.2), t = random.uniform(-0.2, 1.2);

    // A point `gap` above some point in or beside the triangle. Thin triangles amplify the rounding of the normal.
    const Vec<3> normal = cross_product(v[2] - v[1], v[3] - v[1]);
    if (normal.norm() < 0.1) continue;
    const Vec<3> p = v[1] + s * (v[2] - v[1]) + t * (v[3] - v[1]) + gap * normal.normalized();
    ASSERT_NEAR(std::sqrt(point_triangle_distance_sq(p, v[1], v[2], v[3])), slow_point_triangle(p, v[1], v[2], v[3]),
                1e-14)
        << "seed " << seed << " trial " << trial;

    // Two edges that cross at `gap`, or pass beside each other's ends.
    const Vec<3> a = v[1] - v[0], b = v[3] - v[2], across = cross_product(a, b);
    if (across.norm() < 0.1) continue;
    const Vec<3> shift = v[0] + s * a - (v[2] + t * b) + gap * across.normalized();
    const Vec<3> eb0 = v[2] + shift, eb1 = v[3] + shift;
    ASSERT_NEAR(std::sqrt(edge_edge_distance_sq(v[0], v[1], eb0, eb1)), slow_edge_edge(v[0], v[1], eb0, eb1), 1e-14)
        << "seed " << seed << " trial " << trial;
  }
}

TEST(NearlyTouching, DistanceIsContinuousAcrossTypes) {
  // Walk over a thin and an obtuse triangle in small steps: the distance is 1-Lipschitz, whatever types the walk
  // passes.
  const Vec<3> t0(0, 0, 0), t1(1, 0, 0), thin(0.3, 1e-6, 0), obtuse(-2.0, 0.3, 0);
  constexpr int num_steps = 20000;
  for (const Vec<3>& t2 : {thin, obtuse}) {
    double last = -1.0;
    for (int i = 0; i <= num_steps; ++i) {
      const double fraction = static_cast<double>(i) / num_steps;
      const Vec<3> p(-2.5 + 4.0 * fraction, 0.05 * std::sin(40.0 * fraction), 1e-3);
      const double distance = std::sqrt(point_triangle_distance_sq(p, t0, t1, t2));
      // Step length at most (4 + 0.05 * 40) / num_steps.
      if (last >= 0.0) {
        ASSERT_LE(std::abs(distance - last), 6.0 / num_steps) << "step " << i;
      }
      last = distance;
    }
  }
}

// --- point and edge, formulas ---

template <int dim>
void check_point_edge() {
  RandomPoints random(31);
  for (const PointFamily family : all_families) {
    for (int trial = 0; trial < 10000; ++trial) {
      const Vec<dim> p = random.point<dim>(family), e0 = random.point<dim>(family), e1 = random.point<dim>(family);
      Wide wide[3] = {Wide::Zero(), Wide::Zero(), Wide::Zero()};
      wide[0].head<dim>() = p.template cast<long double>();
      wide[1].head<dim>() = e0.template cast<long double>();
      wide[2].head<dim>() = e1.template cast<long double>();
      const double expected = static_cast<double>(slow_point_edge(wide[0], wide[1], wide[2]));
      ASSERT_NEAR(std::sqrt(point_edge_distance_sq<dim>(p, e0, e1)), expected, 1e-14) << "trial " << trial;
    }
  }
}

TEST(PointEdge, Distance2d_EqualsSlowTwin) {
  check_point_edge<2>();
}
TEST(PointEdge, Distance3d_EqualsSlowTwin) {
  check_point_edge<3>();
}

TEST(PointEdge, Type_NamesTheRegion) {
  const Vec<2> e0(0, 0), e1(2, 0);
  EXPECT_EQ(point_edge_type<2>(Vec<2>(-1, 1), e0, e1), PointEdgeType::p_e0);
  EXPECT_EQ(point_edge_type<2>(Vec<2>(1, 1), e0, e1), PointEdgeType::p_e);
  EXPECT_EQ(point_edge_type<2>(Vec<2>(3, 1), e0, e1), PointEdgeType::p_e1);
}

TEST(DistanceFormulas, KnownValues) {
  const Vec<3> o(0, 0, 0), x(1, 0, 0), y(0, 1, 0);
  EXPECT_EQ(point_point_distance_sq<3>(o, Vec<3>(1, 2, 2)), 9.0);
  EXPECT_EQ(point_line_distance_sq<3>(Vec<3>(7, 3, 4), o, x), 25.0);
  EXPECT_EQ(point_line_distance_sq<2>(Vec<2>(7, 3), Vec<2>(0, 0), Vec<2>(2, 0)), 9.0);
  EXPECT_EQ(point_plane_distance_sq(Vec<3>(7, 3, 4), o, x, y), 16.0);
  EXPECT_EQ(line_line_distance_sq(o, x, Vec<3>(5, 5, 2), Vec<3>(5, 6, 2)), 4.0);
}

TEST(DistanceFormulas, DegenerateInputReducesToTheLowerCase) {
  const Vec<3> o(0, 0, 0), x(1, 0, 0), p(7, 3, 4);
  EXPECT_EQ(point_line_distance_sq<3>(p, o, o), 74.0);
  EXPECT_EQ(point_plane_distance_sq(p, o, x, 2 * x), 25.0);
  EXPECT_EQ(point_plane_distance_sq(p, o, o, o), 74.0);
  EXPECT_EQ(line_line_distance_sq(o, x, p, p + x), 25.0);
  EXPECT_EQ(line_line_distance_sq(o, o, p, p), 74.0);
}

}  // namespace
}  // namespace clearance
