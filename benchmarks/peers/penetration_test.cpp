#include "penetration.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

namespace peers {
namespace {

using Eigen::AngleAxisd;
using Eigen::Vector3d;

Box unit_box(const Vector3d& center, const Eigen::Matrix3d& axes = Eigen::Matrix3d::Identity()) {
  Box box;
  box.pose = {center, axes};
  return box;
}

TEST(Penetration, AlignedBoxesOverlapByTheirShortestSide) {
  const Box a = unit_box(Vector3d::Zero());
  EXPECT_NEAR(box_box_penetration(a, unit_box({0.9, 0.3, 0})), 0.1, 1e-15);
  EXPECT_NEAR(box_box_penetration(a, unit_box({0.9, 0.95, 0})), 0.05, 1e-15);
  EXPECT_EQ(box_box_penetration(a, a), 1);
  EXPECT_EQ(box_box_penetration(a, unit_box({1.001, 0, 0})), 0);
  EXPECT_EQ(box_box_penetration(a, unit_box({0, -1, 0})), 0);
}

// A box turned by 45 degrees about z reaches sqrt(2)/2 along x: an edge against a face.
TEST(Penetration, EdgeAgainstFaceIsMeasuredAlongTheFacesNormal) {
  const Eigen::Matrix3d turned = AngleAxisd(M_PI / 4, Vector3d::UnitZ()).toRotationMatrix();
  const Box a = unit_box(Vector3d::Zero()), b = unit_box({0.5 + std::sqrt(0.5) - 0.02, 0.1, 0.2}, turned);
  EXPECT_NEAR(box_box_penetration(a, b), 0.02, 1e-14);
  EXPECT_NEAR(box_box_penetration(b, a), 0.02, 1e-14);
}

// Edges along z and along y cross at right angles above each other: only the product of both directions separates.
TEST(Penetration, CrossingEdgesAreMeasuredAlongTheirCommonNormal) {
  const Eigen::Matrix3d about_z = AngleAxisd(M_PI / 4, Vector3d::UnitZ()).toRotationMatrix();
  const Eigen::Matrix3d about_y = AngleAxisd(M_PI / 4, Vector3d::UnitY()).toRotationMatrix();
  const Box a = unit_box(Vector3d::Zero(), about_z);
  EXPECT_NEAR(box_box_penetration(a, unit_box({std::sqrt(2.0) - 0.03, 0, 0}, about_y)), 0.03, 1e-14);
  EXPECT_EQ(box_box_penetration(a, unit_box({std::sqrt(2.0) + 0.001, 0, 0}, about_y)), 0);
}

TEST(Penetration, MovingApartByTheDepthAlongSomeDirectionSeparatesAndNothingShorterDoes) {
  const unsigned seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> real(-1, 1);
  const auto vector = [&] { return Vector3d(real(random), real(random), real(random)); };
  int num_overlaps = 0;
  for (int i = 0; i < 300; ++i) {
    const Box a = unit_box(Vector3d::Zero(), AngleAxisd(3 * real(random), vector().normalized()).toRotationMatrix());
    const Box b = unit_box(0.9 * vector(), AngleAxisd(3 * real(random), vector().normalized()).toRotationMatrix());
    const double depth = box_box_penetration(a, b);
    if (depth == 0) continue;
    num_overlaps += 1;
    // No random direction needs less than the depth: moved by a little less, the boxes still overlap.
    for (int k = 0; k < 50; ++k) {
      Box moved = b;
      moved.pose.center += 0.999 * depth * vector().normalized();
      EXPECT_GT(box_box_penetration(a, moved), 0);
    }
    // One of the 15 candidate directions separates.
    bool is_separated = false;
    const auto try_direction = [&](const Vector3d& direction) {
      for (const double sign : {-1.0, 1.0}) {
        Box moved = b;
        moved.pose.center += sign * (depth + 1e-12) * direction.normalized();
        is_separated = is_separated || box_box_penetration(a, moved) == 0;
      }
    };
    for (int p = 0; p < 3; ++p) {
      try_direction(a.pose.axes.col(p));
      try_direction(b.pose.axes.col(p));
      for (int q = 0; q < 3; ++q) try_direction(a.pose.axes.col(p).cross(b.pose.axes.col(q)));
    }
    EXPECT_TRUE(is_separated) << "case " << i;
  }
  EXPECT_GT(num_overlaps, 100);
}

TEST(Penetration, BallMeetsFaceEdgeCornerAndInside) {
  const Box box = unit_box({1, 2, 3});
  EXPECT_NEAR(ball_box_penetration({1, 2, 3 + 0.5 + 1.9}, 2, box), 0.1, 1e-14);
  EXPECT_NEAR(ball_box_penetration(Vector3d(1.5, 2.5, 3) + Vector3d(1, 1, 0).normalized() * 1.9, 2, box), 0.1, 1e-14);
  EXPECT_NEAR(ball_box_penetration(Vector3d(1.5, 2.5, 3.5) + Vector3d(1, 1, 1).normalized() * 1.9, 2, box), 0.1, 1e-14);
  EXPECT_NEAR(ball_box_penetration({1, 2, 3.4}, 2, box), 2.1, 1e-14);
  EXPECT_EQ(ball_box_penetration({1, 2, 5.6}, 2, box), 0);
}

// Tests every pair, slowly.
TEST(Penetration, SceneFindsTheDeepestOfAllPairs) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> real(0, 4);
  BoxScene scene;
  scene.ball = {{2, 2, 5.2}, Vector3d::Zero(), 1.5, 1};
  scene.ground.half_extents = {10, 1, 10};
  scene.ground.pose.center = {0, -1.3, 0};
  for (int i = 0; i < 30; ++i) scene.boxes.push_back(unit_box({real(random), real(random), real(random)}));
  Penetration slow;
  for (size_t i = 0; i < scene.boxes.size(); ++i) {
    slow.keep_deeper({0, ball_box_penetration(scene.ball.center, 1.5, scene.boxes[i]),
                      box_box_penetration(scene.boxes[i], scene.ground)});
    for (size_t j = 0; j < i; ++j) slow.keep_deeper({box_box_penetration(scene.boxes[i], scene.boxes[j]), 0, 0});
  }
  const Penetration found = measure_penetration(scene);
  EXPECT_EQ(found.box_box, slow.box_box);
  EXPECT_EQ(found.ball_box, slow.ball_box);
  EXPECT_EQ(found.ground, slow.ground);
  EXPECT_GT(found.box_box, 0);
  EXPECT_GT(found.ball_box, 0);
  EXPECT_GT(found.ground, 0);
}

}  // namespace
}  // namespace peers
