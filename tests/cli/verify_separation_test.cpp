// `clearance verify` on the smallest gap that a scene allows: it decides exactly, also next to the gap itself.
#include "clearance/verify/separation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "clearance/io/result/pvd.h"
#include "clearance/verify/distance.h"
#include "clearance/verify/folder/verify_folder.h"
#include "cli/process.h"
#include "frame_builder.h"

namespace clearance::cli {

using namespace verify;
namespace {

double below(double x) {
  return std::nextafter(x, -infinity);
}
double above(double x) {
  return std::nextafter(x, infinity);
}

// A direction of length 5 in small integers makes oblique distances doubles too.
const Vec<3> oblique(3, 4, 0), along(-4, 3, 0), up(0, 0, 1);

TEST(VerifySeparation, ObliqueGapIsExceededOnlyByLessThanItself) {
  const double gap = 5.0 / 1024;
  const Vec<3> offset = oblique / 1024;
  // The foot of the point is inside the triangle, on an edge, at a corner.
  for (const Vec<3>& foot : {Vec<3>(0.25 * along + 0.25 * up), Vec<3>(0.5 * along), Vec<3>(0, 0, 0)}) {
    const Vec<3> p = foot + offset, zero(0, 0, 0);
    EXPECT_FALSE(point_triangle_gap_exceeds(p, zero, along, up, gap)) << foot.transpose();
    EXPECT_TRUE(point_triangle_gap_exceeds(p, zero, along, up, below(gap))) << foot.transpose();
    EXPECT_FALSE(point_triangle_gap_exceeds(p, zero, along, up, above(gap))) << foot.transpose();
    // Edges follow that cross, are parallel, collapse to the point, and stand on each other.
    const Vec<3> a(0, 0, foot[2]), b = a + along;
    for (const Vec<3>& other : {Vec<3>(p + up), Vec<3>(p + along), p, Vec<3>(p + offset)}) {
      EXPECT_FALSE(segment_gap_exceeds(a, b, p, other, gap)) << foot.transpose();
      EXPECT_TRUE(segment_gap_exceeds(other, p, a, b, below(gap))) << foot.transpose();
    }
  }
  EXPECT_FALSE(half_space_gap_exceeds(7 * oblique, up, offset + along, gap));
  EXPECT_TRUE(half_space_gap_exceeds(7 * oblique, up, offset + along, below(gap)));
  EXPECT_FALSE(half_space_gap_exceeds(-7 * oblique, up, offset + along, below(gap))) << "behind the half-space";
}

TEST(VerifySeparation, DegenerateTriangleIsItsEdges) {
  const Vec<3> zero(0, 0, 0), far = 3 * along;
  for (const auto& [t1, t2] : {std::pair(along, far), std::pair(zero, far), std::pair(far, far)}) {
    const Vec<3> p = along + oblique / 64;
    EXPECT_FALSE(point_triangle_gap_exceeds(p, zero, t1, t2, 5.0 / 64));
    EXPECT_TRUE(point_triangle_gap_exceeds(p, zero, t1, t2, below(5.0 / 64)));
  }
  EXPECT_FALSE(point_triangle_gap_exceeds(oblique / 64, zero, zero, zero, 5.0 / 64));
  EXPECT_TRUE(point_triangle_gap_exceeds(oblique / 64, zero, zero, zero, below(5.0 / 64)));
}

/// Returns where the answer changes as the gap grows by single units in the last place; -1 if it changes at several
/// places.
template <class Exceeds>
int find_change(double gap, const Exceeds& exceeds) {
  double tried = gap;
  for (int i = 0; i < 32; ++i) tried = below(tried);
  int change = -1;
  bool before = true;
  for (int i = 0; i < 65; ++i, tried = above(tried)) {
    const bool now = exceeds(tried);
    if (now && !before) return -1;
    if (!now && before) change = i;
    before = now;
  }
  return change;
}

TEST(VerifySeparation, AnswerChangesOnceNextToTheRoundedDistance) {
  constexpr int seed = 5;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto random_point = [&] {
    const double x = uniform(random), y = uniform(random);
    return Vec<3>(x, y, uniform(random));
  };
  for (int i = 0; i < 300; ++i) {
    const Vec<3> a = random_point(), b = random_point(), c = random_point();
    // Every third pair of segments is nearly parallel.
    const Vec<3> d = i % 3 == 0 ? Vec<3>(c + (b - a) + 1e-9 * random_point()) : random_point();
    const double gap = std::sqrt(segment_segment_gap_sq(a, b, c, d));
    EXPECT_GE(find_change(gap, [&](double g) { return segment_gap_exceeds(a, b, c, d, g); }), 0)
        << "seed " << seed << " case " << i;
    const double height = std::sqrt(point_triangle_gap_sq(d, a, b, c));
    EXPECT_GE(find_change(height, [&](double g) { return point_triangle_gap_exceeds(d, a, b, c, g); }), 0)
        << "seed " << seed << " case " << i;
  }
}

FrameVerdict judge(const Frame& frame, VerifyScene scene) {
  add_obstacles(frame, scene);
  return verify_frame(frame, build_verify_surface(frame), scene);
}

/// Returns a box, and above it a codimensional edge, a lone point, a box and an obstacle, all `gap` away.
Frame frame_with_gaps(double gap) {
  FrameBuilder builder;
  builder.add_box(0, {0, 0, -1}, {8, 1, 1});
  builder.add_box(1, {0, 0, gap}, {1, 1, 1});
  builder.add_box(2, {2, 0, gap}, {1, 1, 1}, true);
  builder.add_edge(3, {builder.add_vertex({4, 0.5, gap}), builder.add_vertex({5, 0.5, gap})});
  builder.add_point(4, builder.add_vertex({7, 0.25, gap}));
  return builder.build();
}

TEST(VerifySeparation, EveryKindOfPrimitiveAtExactlyTheGapIsFoundAndJustAboveNone) {
  const double gap = 0.001;
  VerifyScene scene;
  scene.min_separation = gap;
  EXPECT_TRUE(judge(frame_with_gaps(above(gap)), scene).is_clean());
  for (const double found : {gap, below(gap)}) {
    const FrameVerdict verdict = judge(frame_with_gaps(found), scene);
    EXPECT_FALSE(verdict.is_clean());
    EXPECT_EQ(verdict.num_intersections, 0);
    EXPECT_NEAR(verdict.smallest_gap, gap, 1e-15);
    ASSERT_FALSE(verdict.offenses.empty());
    EXPECT_EQ(verdict.offenses[0].kind, OffenseKind::separation);
    // Each of the four bodies alone is found too.
    for (int body = 1; body <= 4; ++body) {
      Frame frame = frame_with_gaps(above(gap));
      const Frame close = frame_with_gaps(found);
      const VerifySurface surface = build_verify_surface(frame);
      for (std::size_t v = 0; v < frame.mesh.vertices.size(); ++v) {
        if (surface.vertex_body[v] == body) frame.mesh.vertices[v] = close.mesh.vertices[v];
      }
      EXPECT_GT(judge(frame, scene).num_too_close, 0) << "body " << body;
    }
  }
}

TEST(VerifySeparation, OneBodyMayBeThinnerThanTheGapAndObstaclesNearerToEachOther) {
  FrameBuilder builder;
  builder.add_box(0, {0, 0, 0}, {1, 1, 0.001});
  builder.add_box(1, {5, 0, 0}, {1, 1, 1}, true);
  builder.add_box(2, {5, 0, 1.001}, {1, 1, 1}, true);
  VerifyScene scene;
  scene.min_separation = 0.01;
  EXPECT_TRUE(judge(builder.build(), scene).is_clean());
}

TEST(VerifySeparation, HalfSpacesKeepTheGapToo) {
  VerifyScene scene;
  scene.min_separation = 0.25;
  scene.half_spaces = {{Vec<3>(7, 0, -3), Vec<3>(0, 2, 0)}};
  for (const double height : {above(0.25), 0.25, below(0.25)}) {
    FrameBuilder builder;
    builder.add_box(0, {0, height, 0}, {1, 1, 1});
    const FrameVerdict verdict = judge(builder.build(), scene);
    EXPECT_EQ(verdict.num_too_close, height > 0.25 ? 0 : 4) << height;
    EXPECT_EQ(verdict.num_half_space_violations, 0);
  }
}

TEST(VerifySeparation, BodiesOfOneCollisionGroupAreNotHeldApart) {
  FrameBuilder builder;
  builder.add_box(0, {0, 0, 0}, {1, 1, 1});
  builder.add_box(1, {0.5, 0.25, 0.125}, {1, 1, 1});
  VerifyScene scene;
  scene.bodies = {{"a", false, true, 3}, {"b", false, true, 3}};
  scene.min_separation = 0.1;
  EXPECT_TRUE(judge(builder.build(), scene).is_clean());
  scene.bodies[1].collision_group = 4;
  EXPECT_GT(judge(builder.build(), scene).num_intersections, 0);
  scene.bodies[0].collision_group = scene.bodies[1].collision_group = -1;
  EXPECT_GT(judge(builder.build(), scene).num_intersections, 0);
}

/// Checks result folders written by hand: scene.json decides which groups may cross.
class VerifyGroups : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    fs::create_directories(folder_ / "frames");
    ASSERT_TRUE(write_pvd(folder_ / "frames.pvd", {{0.0, "frames/frame_000000.vtu"}}));
  }
  ProcessResult verify(const std::string& scene, const Frame& frame) const {
    write("scene.json", scene);
    EXPECT_TRUE(write_frame(folder_ / "frames/frame_000000.vtu", frame));
    return clearance({"verify", folder_.string()});
  }
};

TEST_F(VerifyGroups, SceneSaysWhichBodiesMayCross) {
  // Two copies of a body, then one more body, all through each other; an obstacle apart.
  FrameBuilder builder;
  for (int body : {0, 1, 2}) builder.add_box(body, Vec<3>::Constant(0.25 * body), {1, 1, 1});
  builder.add_box(3, {0.25, 0.5, 4}, {1, 1, 1}, true);
  const auto scene = [](int copies, int other, int obstacle) {
    return fmt::format(R"({{"bodies": [{{"name": "a", "array": {{"counts": [2, 1, 1]}}, "collision_group": {}}},
      {{"name": "b", "collision_group": {}}}, {{"name": "o", "kind": "obstacle", "collision_group": {}}}]}})",
                       copies, other, obstacle);
  };
  EXPECT_EQ(verify(scene(5, 5, -1), builder.build()).status, 0);
  EXPECT_EQ(verify(scene(5, 6, -1), builder.build()).status, 4);
  EXPECT_EQ(verify(scene(-1, -1, -1), builder.build()).status, 4);
  // The obstacle is in the way of all of them: only its own group may cross it.
  builder.add_box(4, {0.375, 0.625, 0.5}, {1, 1, 1}, true);
  EXPECT_EQ(verify(scene(5, 5, 7), builder.build()).status, 4);
  EXPECT_EQ(verify(scene(5, 5, 5), builder.build()).status, 0);
}

TEST_F(VerifyGroups, StiffBodyMayCrossItself) {
  FrameBuilder builder;
  builder.add_box(0, {0, 0, 0}, {1, 1, 1});
  builder.add_box(0, {0.3, 0.4, 0.9}, {1, 1, 1});
  for (const char* kind : {"affine", "rigid", "deformable"}) {
    const std::string scene = fmt::format(R"({{"bodies": [{{"name": "a", "kind": "{}"}}]}})", kind);
    EXPECT_EQ(verify(scene, builder.build()).status, std::string(kind) == "deformable" ? 4 : 0) << kind;
  }
}

TEST_F(VerifyGroups, ReportNamesTheGapAndThePairs) {
  const std::string scene = R"({"contact": {"min_separation": 0.001}, "bodies": [{"name": "base"}, {"name": "cube"},
    {"name": "wall", "kind": "obstacle"}, {"name": "wire", "kind": "rigid"}, {"name": "dot", "kind": "affine"}]})";
  const ProcessResult fine = verify(scene, frame_with_gaps(above(0.001)));
  EXPECT_EQ(fine.status, 0) << fine.output;
  EXPECT_NE(fine.output.find("separation: every gap above 0.001 m, exactly"), std::string::npos) << fine.output;
  const ProcessResult close = verify(scene, frame_with_gaps(0.001));
  EXPECT_EQ(close.status, 4);
  EXPECT_NE(close.output.find("gaps not above 0.001 m, the smallest 0.001 m"), std::string::npos) << close.output;
  EXPECT_NE(close.output.find("is too close to"), std::string::npos) << close.output;
}

}  // namespace
}  // namespace clearance::cli
