// `clearance verify` on bodies that collide as spheres and capsules: exactly, and without their cells.
#include <gtest/gtest.h>

#include <cmath>

#include "clearance/verify/folder/verify_folder.h"
#include "frame_builder.h"

namespace clearance::cli {

using namespace verify;
namespace {

double above(double x) {
  return std::nextafter(x, infinity);
}

/// A box around a ball or a capsule, which its cells would say meets everything, and another one.
struct Scene {
  FrameBuilder builder;
  VerifyScene scene;

  void add_round(int body, const Vec<3>& a, const Vec<3>& b, double radius) {
    builder.add_box(body, a - Vec<3>::Constant(9.0), Vec<3>::Constant(18.0));
    const int first = builder.add_vertex(a);
    scene.bodies.resize(body + 1);
    scene.bodies[body].name = "round";
    scene.bodies[body].rounds = {{radius, {first, a == b ? first : builder.add_vertex(b)}}};
  }
  FrameVerdict judge() const {
    const Frame frame = builder.build();
    return verify_frame(frame, build_verify_surface(frame), scene);
  }
};

TEST(VerifyRoundShapes, SpheresMeetAtTheSumOfTheirRadii) {
  for (const double x : {5.0, above(5.0)}) {
    Scene scene;
    scene.add_round(0, {0, 0, 0}, {0, 0, 0}, 2.0);
    scene.add_round(1, {x, 0, 0}, {x, 0, 0}, 3.0);
    EXPECT_EQ(scene.judge().num_intersections, x > 5.0 ? 0 : 1) << x;
  }
}

TEST(VerifyRoundShapes, CapsulesMeetWhereTheirAxesAreNearest) {
  for (const double z : {0.75, above(0.75)}) {
    Scene scene;
    scene.add_round(0, {-1, 0, 0}, {1, 0, 0}, 0.25);
    scene.add_round(1, {0.5, -1, z}, {0.5, 1, z}, 0.5);
    EXPECT_EQ(scene.judge().num_intersections, z > 0.75 ? 0 : 1) << z;
  }
}

TEST(VerifyRoundShapes, SphereMeetsFacesEdgesAndCornersOfABox) {
  // The box is the unit cube; directions of length 5 in small integers keep distances exact.
  for (const Vec<3>& place : {Vec<3>(0.5, 0.5, 6.0), Vec<3>(4.0, 5.0, 0.5), Vec<3>(-3, -4, 0)}) {
    for (const double radius : {4.999, 5.001}) {
      Scene scene;
      scene.add_round(0, place, place, radius);
      scene.builder.add_box(1, {0, 0, 0}, {1, 1, 1});
      scene.scene.bodies.resize(2);
      const FrameVerdict verdict = scene.judge();
      EXPECT_EQ(verdict.num_intersections > 0, radius > 5.0) << place.transpose() << " " << radius;
      if (radius < 5.0) {
        EXPECT_NEAR(verdict.min_distance, 1e-3, 1e-9);
      }
    }
  }
}

TEST(VerifyRoundShapes, CapsuleThatPiercesATriangleFarFromItsEdgesMeetsIt) {
  Scene scene;
  scene.add_round(0, {10, 10, -50}, {10, 10, 50}, 1e-3);
  const int first = scene.builder.add_vertex({0, 0, 0});
  scene.builder.add_vertex({100, 0, 0});
  scene.builder.add_vertex({0, 100, 0});
  scene.builder.add_triangle(1, {first, first + 1, first + 2});
  scene.scene.bodies.resize(2);
  EXPECT_GT(scene.judge().num_intersections, 0);
}

TEST(VerifyRoundShapes, SphereStaysItsRadiusFromAHalfSpace) {
  for (const double height : {2.0, above(2.0)}) {
    Scene scene;
    scene.add_round(0, {0, height, 0}, {0, height, 0}, 2.0);
    scene.scene.half_spaces = {{Vec<3>(0, 0, 0), Vec<3>(0, 1, 0)}};
    EXPECT_EQ(scene.judge().num_half_space_violations, height > 2.0 ? 0 : 1) << height;
  }
}

TEST(VerifyRoundShapes, BodiesOfOneGroupMayOverlap) {
  Scene scene;
  scene.add_round(0, {0, 0, 0}, {0, 0, 0}, 2.0);
  scene.add_round(1, {1, 0, 0}, {1, 0, 0}, 2.0);
  EXPECT_FALSE(scene.judge().is_clean());
  for (VerifyBody& body : scene.scene.bodies) body.collision_group = 3;
  EXPECT_TRUE(scene.judge().is_clean());
}

}  // namespace
}  // namespace clearance::cli
