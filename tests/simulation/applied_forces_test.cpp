// Forces that programs apply in one step, obstacles that they move, and joints that they read.
#include <fmt/format.h>

#include <cmath>

#include "simulation/stiff_scene.h"

namespace clearance {
namespace {

std::string box(const std::string& kind, const std::string& integrator = "bdf2_in_flight",
                const std::string& more = R"(, "applied_forces": true)") {
  return fmt::format(
      R"({{"gravity": [0, 0, 0], "time": {{"step": 0.01, "integrator": "{}"}}{},
          "bodies": [{{"name": "box", "kind": "{}", "generator": {{"kind": "box", "size": [0.2, 0.2, 0.2]}},
                       "material": {{"youngs_modulus": 1e6}}}}]}})",
      integrator, more, kind);
}

// All forces together are 8 N, for one step: an impulse of 0.08 N s, in whichever step and by whichever integrator.
TEST(AppliedForces, OfOneStepHaveTheirImpulse) {
  for (const char* kind : {"deformable", "affine", "rigid"}) {
    for (const char* integrator : {"implicit_euler", "bdf2", "bdf2_restarted", "bdf2_in_flight"}) {
      for (const int before : {0, 1, 4}) {
        RunningScene scene(box(kind, integrator));
        const std::size_t count = scene.simulation().positions().size();
        scene.steps(before);
        ASSERT_TRUE(scene.simulation().apply_forces(std::vector<Vec<3>>(count, Vec<3>(8.0 / count, 0, 0))));
        for (int n = 0; n < 6; ++n) {
          scene.step();
          EXPECT_NEAR(scene.momentum()[0], 0.08, 1e-9) << kind << " " << integrator << " " << before << " " << n;
        }
      }
    }
  }
}

// Forces of every step alike are a constant force: positions are of second order where nothing touches the body.
TEST(AppliedForces, OfEveryStepMoveAsOneForce) {
  StiffScene scene(box("rigid", "bdf2_in_flight"));
  const double start = scene.center(0)[1];
  for (int n = 0; n < 10; ++n) {
    ASSERT_TRUE(scene.simulation().apply_wrench(0, Vec<3>(0, 3, 0), Vec<3>::Zero()));
    scene.step();
  }
  EXPECT_NEAR(scene.center(0)[1] - start, 0.5 * 3.0 / scene.unit_mass(0) * 0.01, 1e-9);
}

TEST(AppliedForces, WrenchTurnsAStiffBody) {
  StiffScene scene(box("rigid"));
  for (int n = 0; n < 10; ++n) {
    ASSERT_TRUE(scene.simulation().apply_wrench(0, Vec<3>(0, 3, 0), Vec<3>(0, 0, 0.02)));
    scene.step();
  }
  EXPECT_NEAR(scene.spin(0)[2], 0.02 * 0.1 / scene.inertia(0, Vec<3>::UnitZ()), 1e-4);
  EXPECT_NEAR(scene.velocity(0)[1], 3.0 * 0.1 / scene.unit_mass(0), 1e-9);
}

TEST(AppliedForces, AreRefusedWhereTheyMakeNoSense) {
  RunningScene without(box("rigid", "bdf2_in_flight", ""));
  EXPECT_FALSE(without.simulation().apply_wrench(0, Vec<3>::UnitX(), Vec<3>::Zero()));
  RunningScene scene(box("deformable"));
  EXPECT_FALSE(scene.simulation().apply_wrench(0, Vec<3>::UnitX(), Vec<3>::Zero()));
  EXPECT_FALSE(scene.simulation().apply_forces({Vec<3>::UnitX()}));
  const std::size_t count = scene.simulation().positions().size();
  EXPECT_FALSE(scene.simulation().apply_forces(std::vector<Vec<3>>(count, Vec<3>::Constant(std::nan("")))));
  scene.step();
  EXPECT_EQ(scene.momentum().norm(), 0.0);
}

TEST(AimedObstacles, GoWhereTheyAreToGoAndPush) {
  RunningScene scene(R"({"gravity": [0, 0, 0], "time": {"step": 0.01},
      "bodies": [{"name": "cube", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]}},
                 {"name": "wall", "kind": "obstacle", "generator": {"kind": "box", "size": [0.1, 0.3, 0.3]},
                  "transform": {"translation": [-0.15, 0, 0]}}]})");
  Simulation& simulation = scene.simulation();
  const IndexRange rows = simulation.bodies()[1].vertices;
  for (int n = 1; n <= 20; ++n) {
    std::vector<Vec<3>> wanted;
    const std::vector<Vec<3>> now = simulation.positions();
    for (int v = rows.first; v < rows.end(); ++v) wanted.push_back(now[v] + Vec<3>(0.01, 0, 0));
    ASSERT_TRUE(simulation.aim(1, wanted));
    scene.step();
    EXPECT_LT((simulation.positions()[rows.first] - wanted[0]).norm(), 1e-12);
  }
  // It has gone 0.2 m, and the cube before it is no nearer than contact allows.
  EXPECT_GE(simulation.positions()[simulation.bodies()[0].vertices.first][0], -0.05 + 0.15 - 1e-9);
  // It stays where it is.
  scene.steps(2);
  EXPECT_NEAR(simulation.positions()[rows.first][0], -0.2 + 0.2, 1e-12);
  EXPECT_FALSE(simulation.aim(0, {}));
  EXPECT_FALSE(simulation.aim(1, {Vec<3>::Zero()}));
}

TEST(JointStates, HaveRates) {
  StiffScene scene(
      R"({"gravity": [0, 0, 0], "time": {"step": 0.005, "integrator": "bdf2"}, "contact": {"enabled": false},
      "bodies": [{"name": "bar", "kind": "rigid", "generator": {"kind": "box", "size": [1, 0.1, 0.1]},
                  "transform": {"translation": [0.5, 0, 0]}, "angular_velocity": [0, 0, 57.29577951308232],
                  "linear_velocity": [0, 0.5, 0]}],
      "joints": [{"name": "axle", "kind": "hinge", "bodies": ["bar", ""], "axis": [0, 0, 1]}]})");
  EXPECT_NEAR(scene.simulation().joint_states().at(0).rate, 1.0, 1e-9);
  scene.steps(20);
  EXPECT_NEAR(scene.simulation().joint_states().at(0).rate, 1.0, 1e-4);
  EXPECT_NEAR(scene.simulation().joint_states().at(0).value, 0.1, 1e-4);
}

}  // namespace
}  // namespace clearance
