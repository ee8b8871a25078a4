#include "clearance/verify/paths/path_pair.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "clearance/verify/distance.h"
#include "clearance/verify/paths/path_exact.h"
#include "verify/path_scene.h"

namespace clearance::verify {
namespace {

constexpr std::array<int, 1> point = {0};
constexpr std::array<int, 3> triangle = {1, 2, 3};
constexpr std::array<int, 2> first_edge = {0, 1}, second_edge = {2, 3};

/// A point at `height` over a triangle that does not move, and where it goes.
PathScene over_triangle(const Vec<3>& from, const Vec<3>& to) {
  PathScene scene;
  scene.add_node(from, to);
  for (const Vec<3>& x : {Vec<3>(0, 0, 0), Vec<3>(1, 0, 0), Vec<3>(0, 0, 1)}) scene.add_node(x, x);
  return scene;
}

PathVerdict verdict_of(const PathScene& scene, Corners a, Corners b, double gap = 0.0) {
  const PathPoints points = scene.points();
  return check_pair(points, a, b, gap).verdict;
}

TEST(PathPair, PassingThroughIsViolatedWhereverTheWayIsHalved) {
  for (const double depth : {1.0, 0.37, 1e-3, 1e-12}) {
    EXPECT_EQ(verdict_of(over_triangle({0.2, 0.3, 0.2}, {0.21, -depth, 0.23}), point, triangle), PathVerdict::violated);
    EXPECT_EQ(verdict_of(over_triangle({2, 0.3, 2}, {2.1, -depth, 2.3}), point, triangle), PathVerdict::proved);
  }
}

TEST(PathPair, ExactTouchesAreNoProofAndTheSmallestGapIs) {
  const double smallest = std::nextafter(0.0, 1.0), tiny = 0x1p-1000;
  EXPECT_EQ(verdict_of(over_triangle({0.2, 0.3, 0.2}, {0.2, 0.0, 0.2}), point, triangle), PathVerdict::violated);
  for (const double gap : {1e-9, 1e-16, 1e-30, tiny, smallest}) {
    EXPECT_EQ(verdict_of(over_triangle({0.2, 0.3, 0.2}, {0.2, gap, 0.2}), point, triangle), PathVerdict::proved) << gap;
    EXPECT_EQ(verdict_of(over_triangle({0.2, 0.3, 0.2}, {0.2, -gap, 0.2}), point, triangle), PathVerdict::violated)
        << gap;
  }
}

TEST(PathPair, TheGapThatIsAskedForIsKeptExactly) {
  const PathScene scene = over_triangle({0.2, 1.0, 0.2}, {0.2, 0.25, 0.2});
  EXPECT_EQ(verdict_of(scene, point, triangle, 0.25), PathVerdict::violated);
  EXPECT_EQ(verdict_of(scene, point, triangle, std::nextafter(0.25, 0.0)), PathVerdict::proved);
}

/// Two balls, the one still and the other pressed towards it, until `gap` [m] is left of their distance.
PathScene pressed_balls(double distance, double gap, const Vec<3>& turn) {
  PathScene scene;
  const Vec<3> still = distance * Vec<3>(0.4, -0.7, 0.2), direction = Vec<3>(2, -1, 2) / 3.0;
  for (int end = 0; end < 2; ++end) scene.add_node(still, still);
  const Vec<3> from = still + 1.5 * distance * direction;
  if (turn.isZero(0.0)) {
    for (int end = 0; end < 2; ++end) scene.add_node(from, still + (distance + gap) * direction);
  } else {
    const int body = scene.add_rigid(from, {(gap - 0.5 * distance) * direction, turn});
    for (int end = 0; end < 2; ++end) scene.add_arm(body, Vec<3>::Zero());
  }
  return scene;
}

// A thousand-millionth of the radii was taken off the gap as if for rounding, so that a ball that was pressed to 1e-10
// m was left to rational numbers, interval by interval.
TEST(PathPair, PressedBallsAreDecidedHoweverSmallTheGap) {
  for (const Vec<3>& turn : {Vec<3>(0, 0, 0), Vec<3>(0.3, 0.2, -0.1)}) {
    for (const double distance : {1e-3, 0.27, 30.0}) {
      for (const double share : {1e-6, 1e-9, 1e-11, 1e-13, 1e-14}) {
        const PathScene scene = pressed_balls(distance, share * distance, turn);
        const PathPoints points = scene.points();
        const PairVerdict verdict = check_pair(points, first_edge, second_edge, distance);
        EXPECT_EQ(verdict.verdict, PathVerdict::proved) << distance << " " << share;
        EXPECT_TRUE(!verdict.is_rational || share < 1e-12) << distance << " " << share;
        EXPECT_EQ(verdict_of(pressed_balls(distance, -share * distance, turn), first_edge, second_edge, distance),
                  PathVerdict::violated);
      }
    }
  }
}

// Doubles cannot show a gap below the rounding of positions, and were asked about a million millionth of the way at a
// time; and with directions that stay, an edge of a metre that turns by half a radian would need 1e14 of them.
TEST(PathPair, EdgesThatTurnTogetherAtATinyGapAreProvedAtOnce) {
  for (const double gap : {1e-10, 1e-14, 1e-17}) {
    PathScene scene;
    // An affine map moves the columns of its matrix straight: from the identity to a turn by half a radian.
    const auto add = [&](const Vec<3>& x) { scene.add_node(x, PathScene::rotation_about(Vec<3>::UnitZ(), 0.5) * x); };
    for (const Vec<3>& x : {Vec<3>(-1, 0, 0), Vec<3>(1, 0, 0), Vec<3>(0, gap, -0.3), Vec<3>(0.01, gap, 0.3)}) add(x);
    const PathPoints points = scene.points();
    EXPECT_EQ(check_pair(points, first_edge, second_edge, 0.0).verdict, PathVerdict::proved) << gap;
    int num_left = 20;
    EXPECT_EQ(decide_pair_exactly(points, std::array{0, 1, 2, 3}, 2, 0.0, 0.0, 0.0, 1.0, num_left).verdict,
              PathVerdict::proved)
        << gap;
  }
}

TEST(PathPair, IntegersDecideAsDoublesDo) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto vector = [&] { return Vec<3>(number(random), number(random), number(random)); };
  int num_proved = 0, num_violated = 0;
  for (int trial = 0; trial < 400; ++trial) {
    PathScene scene;
    const bool is_face = trial % 2 == 0, turns = trial % 4 > 1;
    const double gap = trial % 3 == 0 ? 0.1 : 0.0;
    const int body = scene.add_rigid(vector(), {0.5 * vector(), 0.5 * vector()});
    for (int i = 0; i < 4; ++i) {
      if (turns && i >= 2) {
        scene.add_arm(body, vector());
      } else {
        const Vec<3> from = vector();
        scene.add_node(from, from + vector());
      }
    }
    const PathPoints points = scene.points();
    const PairVerdict verdict =
        is_face ? check_pair(points, point, triangle, gap) : check_pair(points, first_edge, second_edge, gap);
    const double bend_of_second = std::max(points[2].bend, points[3].bend);
    int num_left = 2000;
    const PairVerdict exact =
        decide_pair_exactly(points, std::array{0, 1, 2, 3}, is_face ? 1 : 2, gap, bend_of_second, 0.0, 1.0, num_left);
    EXPECT_EQ(exact.verdict, verdict.verdict) << trial;
    num_proved += exact.verdict == PathVerdict::proved ? 1 : 0;
    num_violated += exact.verdict == PathVerdict::violated ? 1 : 0;
  }
  EXPECT_GT(num_proved, 50);
  EXPECT_GT(num_violated, 20);
}

TEST(PathPair, AgreesWithManySamplesOnRandomWays) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  int num_proved = 0, num_violated = 0, num_undecided = 0;
  for (int trial = 0; trial < 1200; ++trial) {
    PathScene scene;
    const double scale = std::pow(10.0, 3.0 * number(random) - 1.0);
    for (int i = 0; i < 4; ++i) {
      const Vec<3> from(number(random), number(random), number(random)),
          by(number(random), number(random), number(random));
      scene.add_node(from, from + scale * by);
    }
    const PathPoints points = scene.points();
    const bool is_face = trial % 2 == 0;
    const double gap = trial % 3 == 0 ? 0.05 : 0.0;
    double smallest = infinity;
    for (int k = 0; k <= 200; ++k) {
      std::array<Vec<3>, 4> x;
      for (int i = 0; i < 4; ++i) x[i] = position_at(points[i], k / 256.0 * 256.0 / 200.0).position;
      const double gap_sq =
          is_face ? point_triangle_gap_sq(x[0], x[1], x[2], x[3]) : segment_segment_gap_sq(x[0], x[1], x[2], x[3]);
      smallest = std::min(smallest, std::sqrt(gap_sq));
    }
    const PairVerdict verdict =
        is_face ? check_pair(points, point, triangle, gap) : check_pair(points, first_edge, second_edge, gap);
    if (verdict.verdict == PathVerdict::proved) {
      EXPECT_GT(smallest, gap);
      ++num_proved;
    } else if (verdict.verdict == PathVerdict::violated) {
      ++num_violated;
      std::array<Vec<3>, 4> x;
      for (int i = 0; i < 4; ++i) x[i] = position_at(points[i], verdict.time).position;
      const double gap_sq =
          is_face ? point_triangle_gap_sq(x[0], x[1], x[2], x[3]) : segment_segment_gap_sq(x[0], x[1], x[2], x[3]);
      EXPECT_LE(std::sqrt(gap_sq), gap + 1e-9 * (1.0 + scale));
    }
    num_undecided += verdict.verdict == PathVerdict::undecided ? 1 : 0;
  }
  EXPECT_EQ(num_undecided, 0);
  EXPECT_GT(num_proved, 200);
  EXPECT_GT(num_violated, 40);
}

TEST(PathPair, SeesWhatAHalfTurnMeetsAndItsChordMisses) {
  // A rod of one metre turns by half a turn about its end; a point is beside its middle way.
  for (const double distance : {0.99, 1.01}) {
    PathScene scene;
    const int body = scene.add_rigid({0, 0, 0}, {{0, 0, 0}, {0, 0, 3.14}});
    scene.add_arm(body, {0.1, 0, 0});
    scene.add_arm(body, {1, 0, 0});
    scene.add_node({0, distance, 0}, {0, distance, 0});
    scene.add_node({0, distance, 0}, {0, distance, 0});
    const PathVerdict verdict = verdict_of(scene, first_edge, second_edge);
    EXPECT_EQ(verdict == PathVerdict::proved, distance > 1.0);
  }
}

TEST(PathPoints, ScrewsThatOverflowMissTheEndsOfTheirMoves) {
  PathScene scene;
  const int stiff = scene.add_rigid(Vec<3>::Zero(), {Vec<3>(1, 0, 0), Vec<3>(0, 0, 0.1)});
  scene.add_arm(stiff, Vec<3>(1, 0, 0));
  EXPECT_LT(scene.points().largest_miss(), 1e-15);
  for (const double shift : {2.0, 1e200, 1e308}) {
    scene.move.screws[0].shift[0] = shift;
    EXPECT_GT(scene.points().largest_miss(), 0.1) << shift;
  }
  // A turn of 1e300 would be cut into as many parts of a radian.
  scene.move.screws[0] = {Vec<3>(1, 0, 0), Vec<3>(0, 0, 1e300)};
  EXPECT_GT(scene.points().largest_miss(), 0.1);
  PathScene of_nodes;
  of_nodes.add_node(Vec<3>(1e308, 0, 0), Vec<3>(1e308, 0, 0));
  of_nodes.layout.terms[0].weight = 10.0;
  EXPECT_GT(of_nodes.points().largest_miss(), 0.1);
}

TEST(PathPoints, ErrorsOfTurnedPositionsAreBounds) {
  std::mt19937 random(11);
  std::uniform_real_distribution<long double> number(-1.0L, 1.0L);
  for (int trial = 0; trial < 2000; ++trial) {
    PathScene scene;
    PathScrew screw;
    Vec<3> center, arm;
    const double turn = std::pow(10.0, 2.0 * static_cast<double>(number(random)) - 1.2);
    for (int c = 0; c < 3; ++c) {
      screw.shift[c] = static_cast<double>(number(random));
      screw.turn[c] = turn * static_cast<double>(number(random));
      center[c] = 5.0 * static_cast<double>(number(random));
      arm[c] = static_cast<double>(number(random));
    }
    scene.add_arm(scene.add_rigid(center, screw), arm);
    const PathPoints points = scene.points();
    const double s = std::ldexp(std::floor(std::ldexp(std::abs(static_cast<double>(number(random))), 20)), -20);
    const BoundedPosition at = position_at(points[0], s);
    // The same by Rodrigues' formula in long doubles.
    using Long = Eigen::Matrix<long double, 3, 1>;
    const Long w = screw.turn.cast<long double>() * static_cast<long double>(s);
    const Long a = (points[0].p0.cast<long double>() - center.cast<long double>());
    const long double angle = w.norm();
    const Long axis = angle > 0 ? Long(w / angle) : Long(Long::UnitX());
    const Long cross(axis[1] * a[2] - axis[2] * a[1], axis[2] * a[0] - axis[0] * a[2], axis[0] * a[1] - axis[1] * a[0]);
    const Long turned = a * std::cos(angle) + cross * std::sin(angle) + axis * (axis.dot(a) * (1.0L - std::cos(angle)));
    const Long exact =
        center.cast<long double>() + static_cast<long double>(s) * screw.shift.cast<long double>() + turned;
    EXPECT_LE(static_cast<double>((at.position.cast<long double>() - exact).norm()), at.error) << trial;
    EXPECT_LT(at.error, 1e-12);
    EXPECT_LT(points.largest_miss(), 1e-14);
  }
}

}  // namespace
}  // namespace clearance::verify
