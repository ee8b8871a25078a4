// Stiff bodies rebound with the speed of their approach times the coefficient of restitution.
#include <fmt/format.h>

#include <cmath>

#include "simulation/stiff_scene.h"

namespace clearance {
namespace {

constexpr double gravity = 9.81;

/// Returns a ball of facets with a radius of 5 cm; round_rebounds_test.cpp has round ones.
std::string ball(const std::string& kind, const Vec<3>& at, const Vec<3>& v, double mass = 1.0) {
  return fmt::format(R"({{"kind": "{}", "generator": {{"kind": "sphere", "size": [0.05], "resolution": [3],
    "exact": false}}, "mass": {}, "transform": {{"translation": [{}, {}, {}]}}, "linear_velocity": [{}, {}, {}]}})",
                     kind, mass, at[0], at[1], at[2], v[0], v[1], v[2]);
}

std::string scene_of(const Case& c, double h, const std::string& contact, const std::string& rest) {
  return fmt::format(R"({{"time": {{"step": {}, "integrator": "{}"}}, "contact": {{{}}}, {}}})", h, c.integrator,
                     contact, rest);
}

const std::string floor_below = R"("half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}], )";
const std::string no_gravity = R"("gravity": [0, 0, 0], )";

class Restitution : public testing::TestWithParam<Case> {};

TEST_P(Restitution, OfABouncingBallGivesItsHeightsAndItsTime) {
  const double e = 0.7, h = 4e-4, height = 0.5;
  StiffScene scene(
      scene_of(GetParam(), h, R"("restitution": 0.7)",
               floor_below + R"("bodies": [)" + ball(GetParam().kind, {0, 0.05 + height, 0}, {0, 0, 0}) + "]"));
  std::vector<double> peaks;
  double last_bounce = 0.0, speed = 0.0;
  const double fall = std::sqrt(2.0 * height / gravity), total = fall * (1.0 + e) / (1.0 - e);
  while (scene.state().time < 1.1 * total) {
    scene.step();
    const double now = scene.velocity(0)[1];
    if (speed > 0.0 && now <= 0.0) peaks.push_back(scene.center(0)[1] - 0.05);
    // (At rest velocities are rounding of either sign.)
    if (speed < 0.0 && now > 1e-3) last_bounce = scene.state().time;
    speed = now;
  }
  ASSERT_GE(peaks.size(), 3U);
  double expected = height;
  for (std::size_t n = 0; n < 3; ++n) {
    expected *= e * e;
    EXPECT_NEAR(peaks[n], expected, 0.05 * expected) << n;
  }
  // The last bounces are slower than the speed from which bodies rebound.
  EXPECT_LT(last_bounce, 1.02 * total);
  EXPECT_GT(last_bounce, 0.9 * total);
  EXPECT_LT(std::abs(speed), 1e-3);
}

// The ball falls on through its last gap in the step in which it hits the floor.
TEST_P(Restitution, OfABallThatFallsForFewStepsGivesItsHeight) {
  const double height = 0.5, fall = std::sqrt(2.0 * height / gravity);
  for (const double num_steps : {8.3, 12.5, 20.7}) {
    StiffScene scene(
        scene_of(GetParam(), fall / num_steps, R"("restitution": 0.7)",
                 floor_below + R"("bodies": [)" + ball(GetParam().kind, {0, 0.05 + height, 0}, {0, 0, 0}) + "]"));
    while (scene.velocity(0)[1] <= 0.0) scene.step();
    const double speed = scene.velocity(0)[1];
    // Implicit Euler is half a step ahead of the fall.
    const double tolerance = GetParam().integrator == "implicit_euler" ? 0.5 / num_steps : 0.02;
    EXPECT_NEAR(speed * speed / (2.0 * gravity), 0.49 * height, tolerance * height) << num_steps;
  }
}

// A step of implicit Euler after the bounce would be h^2 g / 2 too low from then on.
TEST(Restitution, IsFollowedByFreeFlightAtOnce) {
  for (const char* kind : {"affine", "rigid"}) {
    const double h = 0.02, height = 0.5;
    StiffScene scene(scene_of({kind, "bdf2_in_flight"}, h, R"("restitution": 0.7)",
                              floor_below + R"("bodies": [)" + ball(kind, {0, 0.05 + height, 0}, {0, 0, 0}) + "]"));
    while (scene.velocity(0)[1] <= 0.0) scene.step();
    const double bottom = scene.center(0)[1], speed = scene.velocity(0)[1], g = 9.80665;
    for (double t = h; t < 0.3; t += h) {
      scene.step();
      EXPECT_NEAR(scene.center(0)[1], bottom + speed * t - 0.5 * g * t * t, 1e-6) << kind << ' ' << t;
      EXPECT_NEAR(scene.velocity(0)[1], speed - g * t, 1e-5) << kind << ' ' << t;
    }
  }
}

TEST_P(Restitution, OfTwoBallsHasTheClosedForm) {
  for (const double e : {0.3, 0.9}) {
    for (const double mass : {1.0, 10.0}) {
      StiffScene scene(scene_of(GetParam(), 1e-3, fmt::format(R"("restitution": {})", e),
                                no_gravity + R"("bodies": [)" + ball(GetParam().kind, {0, 0, 0}, {2, 0, 0}, mass) +
                                    ", " + ball(GetParam().kind, {0.15, 0, 0}, {0, 0, 0}) + "]"));
      for (int n = 0; n < 40; ++n) {
        const StepReport report = scene.step();
        EXPECT_NEAR(report.account.closure(), 0.0, 1e-9);
        EXPECT_NEAR(report.momentum.total[0], 2.0 * mass, 1e-6 * mass);
        EXPECT_LE(report.energy.front().second, 2.0 * mass * (1.0 + 1e-6));
      }
      const double common = 2.0 * mass / (mass + 1.0);
      EXPECT_NEAR(scene.velocity(0)[0], common - e * 2.0 / (mass + 1.0), 0.05 * e * 2.0 / (mass + 1.0));
      EXPECT_NEAR(scene.velocity(1)[0], common + e * 2.0 * mass / (mass + 1.0), 0.05 * e * 2.0 * mass / (mass + 1.0));
    }
  }
}

// A rod of 1 kg that hangs on a hinge is hit away from its centre of percussion, where a free rod would leave the
// hinge. The rotor of a motor turns with it.
TEST_P(Restitution, OfARodOnAHingeTurnsItAboutTheHinge) {
  const double length = 1.0, width = 0.05, mass = 1.0, speed = 2.0, below = 0.3, e = 0.6;
  for (const double armature : {0.0, 0.5}) {
    StiffScene scene(scene_of(
        GetParam(), 1e-3, R"("restitution": 0.6)",
        no_gravity +
            fmt::format(R"("bodies": [{}, {{"kind": "{}", "name": "rod", "mass": {}, "generator": {{"kind": "box",
                          "size": [{}, {}, {}]}}, "transform": {{"translation": [0, {}, 0]}}}}],
                        "joints": [{{"name": "hinge", "bodies": ["rod", ""], "point": [0, 0, 0], "axis": [0, 0, 1],
                                     "armature": {}}}])",
                        ball(GetParam().kind, {-0.1, -below, 0}, {speed, 0, 0}), GetParam().kind, mass, width, length,
                        width, -0.5 * length, armature)));
    scene.steps(40);
    const double inertia = mass * (length * length + width * width) / 12.0 + mass * 0.25 * length * length + armature;
    const double impulse = (1.0 + e) * speed / (1.0 + below * below / inertia);
    EXPECT_NEAR(scene.velocity(0)[0], speed - impulse, 0.02 * speed) << armature;
    EXPECT_NEAR(scene.spin(1)[2], impulse * below / inertia, 0.02 * speed) << armature;
    // The rod still turns about the hinge.
    EXPECT_NEAR(scene.moved(1, {0, 0, 0}).norm(), 0.0, 1e-4) << armature;
  }
}

// Chains move as their joints let them, and get no energy.
TEST_P(Restitution, OfAChainKeepsItTogetherAndGivesNoEnergy) {
  std::string bodies, joints;
  for (int link = 0; link < 4; ++link) {
    bodies += fmt::format(R"(, {{"kind": "{}", "name": "link{}", "mass": 0.2, "generator": {{"kind": "box",
        "size": [0.02, 0.2, 0.02]}}, "transform": {{"translation": [0, {}, 0]}}}})",
                          GetParam().kind, link, -0.1 - 0.2 * link);
    joints +=
        fmt::format(R"({}{{"name": "joint{}", "bodies": ["link{}", "{}"], "point": [0, {}, 0], "kind": "ball"}})",
                    link > 0 ? ", " : "", link, link, link > 0 ? fmt::format("link{}", link - 1) : "", -0.2 * link);
  }
  joints = R"("joints": [)" + joints + R"(], "contact": {"ignored_pairs": [{"bodies": ["link0", "link1"]},
      {"bodies": ["link1", "link2"]}, {"bodies": ["link2", "link3"]}], "restitution": 1})";
  StiffScene scene(fmt::format(R"({{"time": {{"step": 1e-3, "integrator": "{}"}}, {} "bodies": [{}{}], {}}})",
                               GetParam().integrator, no_gravity, ball(GetParam().kind, {-0.08, -0.55, 0.0}, {2, 0, 0}),
                               bodies, joints));
  const double start = scene.step().energy.front().second;
  ASSERT_NEAR(start, 2.0, 1e-9);
  double most = 0.0;
  for (int n = 0; n < 60; ++n) {
    scene.step();
    double kinetic = 0.0;
    for (int u = 0; u < scene.num_units(); ++u) kinetic += 0.5 * scene.unit_mass(u) * scene.velocity(u).squaredNorm();
    most = std::max(most, kinetic);
  }
  EXPECT_LT(most, 1.001 * start);
  EXPECT_LT(scene.velocity(0)[0], 0.9 * 2.0);
  for (int link = 1; link < 4; ++link) {
    const Vec<3> joint(0, -0.2 * link, 0);
    EXPECT_LT((scene.moved(link, joint) - scene.moved(link + 1, joint)).norm(), 1e-3) << link;
  }
}

TEST_P(Restitution, RubsWithTheImpulseOfTheRebound) {
  const double e = 0.5, mu = 0.1, approach = 2.0;
  StiffScene scene(scene_of(GetParam(), 1e-3, R"("restitution": 0.5)",
                            no_gravity + floor_below + R"("friction": {"coefficient": 0.1}, "bodies": [)" +
                                ball(GetParam().kind, {0, 0.06, 0}, {4, -approach, 0}) + "]"));
  scene.steps(20);
  EXPECT_NEAR(scene.velocity(0)[1], e * approach, 0.05 * e * approach);
  EXPECT_NEAR(4.0 - scene.velocity(0)[0], mu * (1.0 + e) * approach, 0.05 * mu * (1.0 + e) * approach);
}

TEST_P(Restitution, FromWhatMovesAsPrescribed) {
  StiffScene scene(scene_of(GetParam(), 1e-3, R"("restitution": 0.5)",
                            no_gravity + R"("bodies": [)" + ball(GetParam().kind, {0, 0, 0}, {0, 0, 0}) +
                                R"(, {"kind": "obstacle", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]},
                            "transform": {"translation": [-0.11, 0, 0]}, "motions": [{"linear_velocity": [2, 0, 0]}]}])"));
  scene.steps(30);
  EXPECT_NEAR(scene.velocity(0)[0], 3.0, 0.1);
}

TEST_P(Restitution, ContinuesWithTheSameBits) {
  const std::string text = scene_of(GetParam(), 5e-3, R"("restitution": 0.6)",
                                    floor_below + R"("bodies": [)" + ball(GetParam().kind, {0, 0.1, 0}, {0.3, -1, 0}) +
                                        ", " + ball(GetParam().kind, {0.01, 0.3, 0}, {0, -2, 0}) + "]");
  StiffScene whole(text);
  for (int n = 0; n < 40; ++n) {
    const State saved = whole.state();
    whole.step();
    StiffScene resumed(text);
    ASSERT_TRUE(resumed.simulation().restore(saved));
    resumed.step();
    ASSERT_EQ(resumed.simulation().state_hash(), whole.simulation().state_hash()) << n;
  }
}

TEST_P(Restitution, OfPairsAndHalfSpacesComesBeforeTheScene) {
  const auto speed_after = [&](const std::string& contact, const std::string& plane) {
    StiffScene scene(scene_of(GetParam(), 1e-3, contact,
                              no_gravity + R"("half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0])" + plane +
                                  R"(}], )" + R"("bodies": [)" + ball(GetParam().kind, {0, 0.06, 0}, {0, -2, 0}) +
                                  "]"));
    scene.steps(15);
    return scene.velocity(0)[1];
  };
  EXPECT_NEAR(speed_after(R"("restitution": 0.8)", R"(, "restitution": 0.4)"), 0.8, 0.04);
  EXPECT_NEAR(speed_after(R"("dhat": 1e-3)", R"(, "restitution": 0.4)"), 0.8, 0.04);
  // BDF2 alone rebounds with half of the speed.
  EXPECT_LT(speed_after(R"("restitution": 0.8)", R"(, "restitution": 0)"), GetParam().integrator == "bdf2" ? 1.2 : 0.2);
}

TEST_P(Restitution, OfZeroChangesNoBit) {
  const auto hash_after = [&](const std::string& contact) {
    StiffScene scene(scene_of(GetParam(), 5e-3, contact,
                              floor_below + R"("bodies": [)" + ball(GetParam().kind, {0, 0.1, 0}, {0.3, -1, 0}) + "]"));
    scene.steps(20);
    return scene.simulation().state_hash();
  };
  EXPECT_EQ(hash_after(""), hash_after(R"("restitution": 0)"));
  EXPECT_NE(hash_after(""), hash_after(R"("restitution": 0.5)"));
}

/// Boxes that meet face to face have hundreds of contacts, and do not begin to turn.
TEST_P(Restitution, OfFacesTurnsNothing) {
  const auto box = [&](double x, double v, double mass) {
    return fmt::format(R"({{"kind": "{}", "generator": {{"kind": "box", "size": [1, 1, 1]}}, "mass": {},
      "transform": {{"translation": [{}, 0, 0]}}, "linear_velocity": [{}, 0, 0]}})",
                       GetParam().kind, mass, x, v);
  };
  StiffScene scene(scene_of(GetParam(), 1e-3, R"("restitution": 0.5)",
                            no_gravity + R"("bodies": [)" + box(0, 2, 10) + ", " + box(1.012, 0, 1) + "]"));
  scene.steps(15);
  EXPECT_NEAR(scene.velocity(1)[0] - scene.velocity(0)[0], 1.0, 0.02);
  // Forces balance up to a thousandth (solver.force_tolerance): so much of the approach may turn a box of 1 m.
  EXPECT_LT(scene.spin(0).norm() + scene.spin(1).norm(), 2e-3);
}

/// Without friction an edge that hits the floor turns the box: the impulse is (1 + e) c / (1 / m + a^2 / I).
TEST_P(Restitution, OfAnEdgeTurnsTheBox) {
  const double e = 0.6, approach = 2.0;
  StiffScene scene(
      scene_of(GetParam(), 2e-4, R"("restitution": 0.6)",
               no_gravity + floor_below + R"("bodies": [{"kind": ")" + GetParam().kind +
                   R"(", "generator": {"kind": "box", "size": [1, 1, 1], "resolution": [1, 1, 1]}, "mass": 1,
          "transform": {"translation": [0, 0.65, 0], "rotation": [0, 0, 20]}, "linear_velocity": [0, -2, 0]}])"));
  while (scene.velocity(0)[1] < 1e-3 - approach) scene.step();
  scene.steps(5);
  const double angle = 20.0 * M_PI / 180.0;
  const double arm = 0.5 * (std::cos(angle) - std::sin(angle)), inertia = 1.0 / 6.0;
  const double impulse = (1.0 + e) * approach / (1.0 + arm * arm / inertia);
  EXPECT_NEAR(scene.velocity(0)[1], impulse - approach, 0.02 * impulse);
  EXPECT_NEAR(std::abs(scene.spin(0)[2]), impulse * arm / inertia, 0.02 * impulse * arm / inertia);
}

/// Boxes and balls that hit each other from all sides, with friction.
TEST_P(Restitution, GainsNoEnergyInACrowd) {
  std::string bodies;
  for (int i = 0; i < 8; ++i) {
    const Vec<3> at = 0.13 * Vec<3>(i & 1, (i >> 1) & 1, i >> 2) + 0.01 * Vec<3>(i % 3, i % 5, i % 7);
    const Vec<3> v = 8.0 * (Vec<3>(0.07, 0.08, 0.09) - at);
    bodies += (i == 0 ? "" : ", ") +
              (i % 2 == 0 ? ball(GetParam().kind, at, v)
                          : fmt::format(R"({{"kind": "{}", "generator": {{"kind": "box", "size": [0.07, 0.07, 0.07]}},
        "mass": {}, "transform": {{"translation": [{}, {}, {}], "rotation": [{}, 20, 0]}},
        "linear_velocity": [{}, {}, {}]}})",
                                        GetParam().kind, i, at[0], at[1], at[2], 10 * i, v[0], v[1], v[2]));
  }
  StiffScene scene(scene_of(GetParam(), 2e-3, R"("restitution": 0.8)",
                            no_gravity + R"("friction": {"coefficient": 0.2}, "bodies": [)" + bodies + "]"));
  double least = infinity;
  Vec<3> momentum = Vec<3>::Zero();
  for (int n = 0; n < 100; ++n) {
    const StepReport report = scene.step();
    const double kinetic = report.energy.front().second;
    EXPECT_LE(kinetic, least * (1.0 + (GetParam().integrator == "bdf2" ? 0.05 : 1e-3))) << n;
    least = std::min(least, kinetic);
    if (n == 0) momentum = report.momentum.total;
    EXPECT_LT((report.momentum.total - momentum).norm(), 1e-3) << n;
    EXPECT_NEAR(report.account.closure(), 0.0, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Restitution,
                         testing::Values(Case{"affine", "implicit_euler"}, Case{"rigid", "implicit_euler"},
                                         Case{"affine", "bdf2_restarted"}, Case{"rigid", "bdf2_restarted"},
                                         Case{"affine", "bdf2"}, Case{"rigid", "bdf2"}),
                         [](const auto& p) { return p.param.kind + "_" + p.param.integrator; });

}  // namespace
}  // namespace clearance
