// Rotations and translations computed from affine maps.
#include "clearance/exchange/rigid_motion.h"

#include <gtest/gtest.h>

#include <random>

namespace clearance::exchange {
namespace {

class RigidMotionOf : public testing::TestWithParam<int> {
 protected:
  Vec<3> random_vector() {
    std::normal_distribution<double> normal;
    return {normal(engine_), normal(engine_), normal(engine_)};
  }
  /// Returns points that span `GetParam()` directions.
  std::vector<Vec<3>> random_body() {
    const Vec<3> at = 10.0 * random_vector();
    const std::vector<Vec<3>> directions = {random_vector(), random_vector(), random_vector()};
    std::vector<Vec<3>> vertices;
    for (int v = 0; v < 20; ++v) {
      const Vec<3> along = random_vector();
      Vec<3>& x = vertices.emplace_back(at);
      for (int k = 0; k < GetParam(); ++k) x += along[k] * directions[k];
    }
    return vertices;
  }
  std::mt19937 engine_{7};
};

TEST_P(RigidMotionOf, ReproducesAnyAffineMap) {
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<Vec<3>> rest = random_body();
    const BodyAxes axes = find_axes(rest);
    EXPECT_EQ(axes.rank, GetParam());
    Mat<3> linear;
    for (int k = 0; k < 3; ++k) linear.col(k) = random_vector();
    const Vec<3> translation = random_vector();
    const RigidMotion motion = split_motion(axes, linear, translation);
    EXPECT_NEAR(motion.rotation.norm(), 1.0, 1e-12);
    EXPECT_LT((motion.stretch - motion.stretch.transpose()).norm(), 1e-12 * motion.stretch.norm());
    for (const Vec<3>& x : rest) {
      EXPECT_LT((motion.place(x - axes.center) - (linear * x + translation)).norm(), 1e-11 * (1.0 + axes.size));
    }
  }
}

TEST_P(RigidMotionOf, RigidMapsStretchNothing) {
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<Vec<3>> rest = random_body();
    const BodyAxes axes = find_axes(rest);
    const Eigen::Quaterniond turn = Eigen::Quaterniond::UnitRandom();
    Mat<3> linear = turn.toRotationMatrix();
    // In directions that a flat body's vertices do not span, the map that fits them best is 0.
    for (int k = GetParam(); k < 3; ++k) linear -= linear * axes.axes.col(k) * axes.axes.col(k).transpose();
    const RigidMotion motion = split_motion(axes, linear, Vec<3>::Zero());
    EXPECT_LT((motion.stretch - Mat<3>::Identity()).norm(), 1e-12);
    if (GetParam() >= 2) {
      EXPECT_LT(motion.rotation.angularDistance(turn), 1e-7);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rank, RigidMotionOf, testing::Values(0, 1, 2, 3));

TEST(RigidMotion, AStraightBodyTurnsNoMoreThanItMust) {
  const BodyAxes axes = find_axes(std::vector<Vec<3>>{{0, 0, 0}, {1, 0, 0}, {3, 0, 0}});
  Mat<3> linear = Mat<3>::Zero();
  linear.col(0) = Vec<3>(std::sqrt(0.5), std::sqrt(0.5), 0);
  const RigidMotion motion = split_motion(axes, linear, Vec<3>::Zero());
  EXPECT_NEAR(Eigen::AngleAxisd(motion.rotation).angle(), std::atan(1.0), 1e-12);
}

}  // namespace
}  // namespace clearance::exchange
