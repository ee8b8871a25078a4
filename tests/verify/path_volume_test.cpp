#include "clearance/verify/paths/path_volume.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <random>

#include "verify/path_scene.h"

namespace clearance::verify {
namespace {

constexpr std::array<int, 4> tet = {0, 1, 2, 3};

PathVerdict verdict_of(const PathScene& scene) {
  const PathPoints points = scene.points();
  return check_volume(points, tet).verdict;
}

PathScene tet_with_tip(const Vec<3>& from, const Vec<3>& to) {
  PathScene scene;
  for (const Vec<3>& x : {Vec<3>(0, 0, 0), Vec<3>(1, 0, 0), Vec<3>(0, 1, 0)}) scene.add_node(x, x);
  scene.add_node(from, to);
  return scene;
}

TEST(PathVolume, FlatIsViolatedAndTheSmallestHeightIsPositive) {
  EXPECT_EQ(verdict_of(tet_with_tip({0, 0, 1}, {0.3, 0.3, 0})), PathVerdict::violated);
  for (const double height : {1e-3, 1e-16, 1e-200}) {
    EXPECT_EQ(verdict_of(tet_with_tip({0, 0, 1}, {0.3, 0.3, height})), PathVerdict::proved) << height;
    EXPECT_EQ(verdict_of(tet_with_tip({0, 0, 1}, {0.3, 0.3, -height})), PathVerdict::violated) << height;
  }
}

TEST(PathVolume, ElementsThatAreInvertedOnTheWayAloneAreFound) {
  // Corners turn by half a turn on straight ways: through a point.
  PathScene scene;
  scene.add_node({0, 0, 0}, {0, 0, 0});
  scene.add_node({1, 0, 0}, {-1, 0, 0});
  scene.add_node({0, 1, 0}, {0, -1, 0});
  scene.add_node({0, 0, 1}, {0, 0, 1});
  EXPECT_EQ(verdict_of(scene), PathVerdict::violated);
  // A little beside, the volume stays positive for turns below half a turn, and a third of a turn is such.
  PathScene turned;
  turned.add_node({0, 0, 0}, {0, 0, 0});
  const Mat<3> rotation = PathScene::rotation_about(Vec<3>::UnitZ(), 2.0);
  for (const Vec<3>& x : {Vec<3>(1, 0, 0), Vec<3>(0, 1, 0), Vec<3>(0, 0, 1)}) turned.add_node(x, rotation * x);
  EXPECT_EQ(verdict_of(turned), PathVerdict::proved);
}

TEST(PathVolume, AgreesWithManySamplesOnRandomWays) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  int num_proved = 0, num_violated = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    PathScene scene;
    const double scale = std::pow(10.0, number(random) - 0.5);
    for (const Vec<3>& x : {Vec<3>(0, 0, 0), Vec<3>(1, 0, 0), Vec<3>(0, 1, 0), Vec<3>(0, 0, 1)}) {
      scene.add_node(x, x + scale * Vec<3>(number(random), number(random), number(random)));
    }
    const PathPoints points = scene.points();
    double smallest = infinity;
    for (int k = 0; k <= 256; ++k) {
      std::array<Vec<3>, 4> x;
      for (int i = 0; i < 4; ++i) x[i] = position_at(points[i], k / 256.0).position;
      smallest = std::min(smallest, (x[1] - x[0]).dot((x[2] - x[0]).cross(x[3] - x[0])));
    }
    const PathVerdict verdict = check_volume(points, tet).verdict;
    EXPECT_NE(verdict, PathVerdict::undecided);
    EXPECT_TRUE(verdict != PathVerdict::proved || smallest > 0.0);
    EXPECT_TRUE(verdict != PathVerdict::violated || smallest < 0.05);
    num_proved += verdict == PathVerdict::proved ? 1 : 0;
    num_violated += verdict == PathVerdict::violated ? 1 : 0;
  }
  EXPECT_GT(num_proved, 500);
  EXPECT_GT(num_violated, 300);
}

TEST(PathVolume, MapsOfStiffBodiesMayTurnByLessThanHalfATurn) {
  const Mat<3> start = Mat<3>::Identity(), turned = PathScene::rotation_about(Vec<3>::UnitY(), 3.0);
  const Mat<3> mirrored = Vec<3>(1, 1, -1).asDiagonal();
  EXPECT_EQ(check_map(3, start.data(), turned.data()).verdict, PathVerdict::proved);
  EXPECT_EQ(check_map(3, start.data(), mirrored.data()).verdict, PathVerdict::violated);
  const Mat<2> planar = Mat<2>::Identity(), flat = Vec<2>(1, 0).asDiagonal();
  EXPECT_EQ(check_map(2, planar.data(), planar.data()).verdict, PathVerdict::proved);
  EXPECT_EQ(check_map(2, planar.data(), flat.data()).verdict, PathVerdict::violated);
}

}  // namespace
}  // namespace clearance::verify
