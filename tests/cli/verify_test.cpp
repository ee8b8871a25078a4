// The checks of `clearance verify` on frames made by hand: sound frames pass, and every kind of violation is found.
#include "clearance/verify/folder/verify_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "clearance/verify/distance.h"
#include "clearance/verify/exact.h"
#include "frame_builder.h"

namespace clearance::cli {

using namespace verify;
namespace {

FrameVerdict judge(const Frame& frame, VerifyScene scene = {}) {
  add_obstacles(frame, scene);
  return verify_frame(frame, build_verify_surface(frame), scene);
}

TEST(VerifyFrame, BoxesApartAreCleanAndTheirDistanceIsTheGap) {
  FrameBuilder builder;
  builder.add_box(0, {0, 0, 0}, {1, 1, 1});
  builder.add_box(1, {0.1, 0.2, 1.25}, {1, 1, 1});
  const FrameVerdict verdict = judge(builder.build());
  EXPECT_TRUE(verdict.is_clean());
  EXPECT_DOUBLE_EQ(verdict.min_distance, 0.25);
}

TEST(VerifyFrame, SurfaceOfABoxOfFiveTetsHasTwelveTriangles) {
  FrameBuilder builder;
  builder.add_box(0, {0, 0, 0}, {1, 1, 1});
  const VerifySurface surface = build_verify_surface(builder.build());
  EXPECT_EQ(surface.triangles.size(), 12u);
  EXPECT_EQ(surface.edges.size(), 18u);
  EXPECT_EQ(surface.vertices.size(), 8u);
}

TEST(VerifyFrame, OverlappingBoxesAreFound) {
  FrameBuilder builder;
  builder.add_box(0, {0, 0, 0}, {1, 1, 1});
  builder.add_box(1, {0.3, 0.4, 0.9}, {1, 1, 1});
  const FrameVerdict verdict = judge(builder.build());
  EXPECT_GT(verdict.num_intersections, 0);
  EXPECT_EQ(verdict.min_distance, 0.0);
  ASSERT_FALSE(verdict.offenses.empty());
  EXPECT_EQ(verdict.offenses[0].kind, OffenseKind::intersection);
  EXPECT_NE(verdict.offenses[0].body_a, verdict.offenses[0].body_b);
  EXPECT_EQ(static_cast<int>(verdict.offenses.size()), std::min(verdict.num_intersections, max_offenses_per_frame));
}

TEST(VerifyFrame, VertexExactlyOnAFaceIsFoundAndOneUlpAwayIsNot) {
  for (const double height : {1.0, std::nextafter(1.0, 2.0)}) {
    FrameBuilder builder;
    builder.add_box(0, {0, 0, 0}, {1, 1, 1});
    const int first = builder.add_vertex({0.4, 0.3, height});
    builder.add_vertex({1, 0, 2});
    builder.add_vertex({0, 1, 2});
    builder.add_vertex({0, 0, 2});
    builder.add_tet(1, {first, first + 1, first + 2, first + 3});
    const FrameVerdict verdict = judge(builder.build());
    EXPECT_EQ(verdict.num_intersections > 0, height == 1.0);
    EXPECT_EQ(verdict.num_inversions, 0);
    EXPECT_NEAR(verdict.min_distance, height - 1.0, 1e-17);
  }
}

TEST(VerifyFrame, FacesInOnePlaneThatOverlapAreFound) {
  FrameBuilder builder;
  builder.add_box(0, {0, 0, 0}, {1, 1, 1});
  builder.add_box(1, {0.25, 0.25, 1}, {1, 1, 1});
  EXPECT_GT(judge(builder.build()).num_intersections, 0);
}

TEST(VerifyFrame, InvertedAndFlatTetsAreFound) {
  for (const double height : {-0.5, 0.0, 1e-300}) {
    FrameBuilder builder;
    for (const Vec<3>& x : {Vec<3>(0, 0, 0), Vec<3>(1, 0, 0), Vec<3>(0, 1, 0), Vec<3>(0, 0, 1)}) builder.add_vertex(x);
    builder.add_tet(0, {0, 1, 2, 3});
    Frame frame = builder.build();
    frame.mesh.vertices[3][2] = height;
    const FrameVerdict verdict = judge(frame);
    EXPECT_EQ(verdict.num_inversions, height > 0 ? 0 : 1) << height;
  }
}

TEST(VerifyFrame, ObstaclesMayOverlapEachOtherButNothingElse) {
  FrameBuilder builder;
  builder.add_box(0, {0, 0, 0}, {1, 1, 1}, true);
  builder.add_box(1, {0.5, 0.5, 0.5}, {1, 1, 1}, true);
  builder.add_box(2, {0.25, 0.25, 2}, {1, 1, 1});
  const FrameVerdict verdict = judge(builder.build());
  EXPECT_TRUE(verdict.is_clean());
  EXPECT_DOUBLE_EQ(verdict.min_distance, 0.5);
  builder.add_box(3, {0.1, 0.1, 1.2}, {0.2, 0.2, 5});
  EXPECT_GT(judge(builder.build()).num_intersections, 0);
}

TEST(VerifyFrame, SelfIntersectionIsFoundUnlessTheBodyHasNoSelfContact) {
  FrameBuilder builder;
  builder.add_box(0, {0, 0, 0}, {1, 1, 1});
  builder.add_box(0, {0.3, 0.4, 0.9}, {1, 1, 1});
  const Frame frame = builder.build();
  EXPECT_GT(judge(frame).num_intersections, 0);
  VerifyScene scene;
  scene.bodies = {{"pair", false, false}};
  const FrameVerdict verdict = judge(frame, scene);
  EXPECT_EQ(verdict.num_intersections, 0);
  EXPECT_EQ(verdict.min_distance, infinity);
}

TEST(VerifyFrame, VertexOnOrBelowAHalfSpaceIsFound) {
  for (const double height : {1e-12, 0.0, -0.5}) {
    FrameBuilder builder;
    builder.add_box(0, {0, height, 0}, {1, 1, 1});
    builder.add_box(1, {5, -3, 0}, {1, 1, 1}, true);
    VerifyScene scene;
    scene.half_spaces = {{Vec<3>(7, 0, -3), Vec<3>(0, 2, 0)}};
    const FrameVerdict verdict = judge(builder.build(), scene);
    EXPECT_EQ(verdict.num_half_space_violations, height > 0 ? 0 : 4) << height;
    EXPECT_DOUBLE_EQ(verdict.min_distance, std::max(0.0, height));
  }
}

TEST(VerifyFrame, NotANumberIsFound) {
  FrameBuilder builder;
  builder.add_box(0, {0, 0, 0}, {1, 1, 1});
  Frame frame = builder.build();
  frame.mesh.vertices[3][1] = std::nan("");
  frame.velocity[5][0] = infinity;
  EXPECT_EQ(judge(frame).num_not_finite, 2);
}

TEST(VerifyFrame, CodimensionalEdgesAndPointsTakePart) {
  FrameBuilder builder;
  builder.add_box(0, {0, 0, 0}, {1, 1, 1});
  const int a = builder.add_vertex({0.5, 0.3, 1.5}), b = builder.add_vertex({0.5, 0.3, 2.5});
  const int c = builder.add_vertex({0.25, 0.3, 1.75}), d = builder.add_vertex({0.75, 0.3, 1.75});
  const int p = builder.add_vertex({0.5, 0.3, 1.125});
  builder.add_edge(1, {a, b});
  builder.add_point(2, p);
  EXPECT_TRUE(judge(builder.build()).is_clean());
  EXPECT_DOUBLE_EQ(judge(builder.build()).min_distance, 0.125);
  // An edge across another edge; a point on the box; an edge through the box.
  FrameBuilder crossed = builder;
  crossed.add_edge(3, {c, d});
  EXPECT_EQ(judge(crossed.build()).num_intersections, 1);
  Frame on_face = builder.build();
  on_face.mesh.vertices[p][2] = 1;
  EXPECT_GT(judge(on_face).num_intersections, 0);
  Frame through = builder.build();
  through.mesh.vertices[a][2] = -0.5;
  EXPECT_GT(judge(through).num_intersections, 0);
}

/// Adds a square of two triangles in the plane z = 0.
void add_square(FrameBuilder& builder, int body, double x, double y) {
  const int v = builder.add_vertex({x, y, 0});
  builder.add_vertex({x + 1, y, 0});
  builder.add_vertex({x + 1, y + 1, 0});
  builder.add_vertex({x, y + 1, 0});
  builder.add_triangle(body, {v, v + 1, v + 2});
  builder.add_triangle(body, {v, v + 2, v + 3});
}

TEST(VerifyFrame, PlaneSquaresApartTouchingCrossingAndInverted) {
  FrameBuilder apart;
  add_square(apart, 0, 0, 0);
  add_square(apart, 1, 0.3, 1.5);
  EXPECT_TRUE(judge(apart.build(0, 2)).is_clean());
  EXPECT_DOUBLE_EQ(judge(apart.build(0, 2)).min_distance, 0.5);
  for (const double y : {1.0, 0.75}) {
    FrameBuilder touching;
    add_square(touching, 0, 0, 0);
    add_square(touching, 1, 0.3, y);
    EXPECT_GT(judge(touching.build(0, 2)).num_intersections, 0) << y;
  }
  Frame inverted = apart.build(0, 2);
  std::swap(inverted.mesh.triangles[1][0], inverted.mesh.triangles[1][1]);
  EXPECT_EQ(judge(inverted).num_inversions, 1);
}

/// Judges every pair, without a tree: the slow twin of the search.
FrameVerdict judge_by_brute_force(const Frame& frame) {
  const VerifySurface surface = build_verify_surface(frame);
  const auto& x = frame.mesh.vertices;
  const auto shares = [](const auto& a, const auto& b) {
    return std::any_of(a.begin(), a.end(), [&](int i) { return std::find(b.begin(), b.end(), i) != b.end(); });
  };
  FrameVerdict verdict;
  double gap_sq = infinity;
  for (const auto& e : surface.edges) {
    for (const auto& t : surface.triangles) {
      if (!shares(e, t) && segment_touches_triangle(x[e[0]], x[e[1]], x[t[0]], x[t[1]], x[t[2]]))
        ++verdict.num_intersections;
    }
    for (const auto& f : surface.edges) {
      if (!shares(e, f)) gap_sq = std::min(gap_sq, segment_segment_gap_sq(x[e[0]], x[e[1]], x[f[0]], x[f[1]]));
    }
  }
  for (const int v : surface.vertices) {
    for (const auto& t : surface.triangles) {
      if (std::find(t.begin(), t.end(), v) == t.end()) {
        gap_sq = std::min(gap_sq, point_triangle_gap_sq(x[v], x[t[0]], x[t[1]], x[t[2]]));
      }
    }
  }
  verdict.min_distance = verdict.num_intersections > 0 ? 0 : std::sqrt(gap_sq);
  return verdict;
}

TEST(VerifyFrame, TreeSearchAgreesWithAllPairs) {
  constexpr int seed = 3;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto random_vec = [&] { return Vec<3>(uniform(random), uniform(random), uniform(random)); };
  int num_clean = 0, num_crossing = 0;
  for (int i = 0; i < 40; ++i) {
    FrameBuilder builder;
    for (int b = 0; b < 12; ++b) builder.add_box(b, 4 * random_vec(), Vec<3>::Constant(0.1) + 0.8 * random_vec());
    const FrameVerdict fast = judge(builder.build()), slow = judge_by_brute_force(builder.build());
    EXPECT_EQ(fast.num_intersections, slow.num_intersections) << "seed " << seed << " case " << i;
    EXPECT_NEAR(fast.min_distance, slow.min_distance, 1e-15) << "seed " << seed << " case " << i;
    (slow.num_intersections > 0 ? num_crossing : num_clean)++;
  }
  EXPECT_GT(num_clean, 0);
  EXPECT_GT(num_crossing, 0);
}

}  // namespace
}  // namespace clearance::cli
