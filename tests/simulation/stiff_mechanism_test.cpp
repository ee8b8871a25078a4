// Mechanisms in motion: a pendulum against its closed form, a gear train that keeps its ratio.
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "simulation/stiff_scene.h"
#include "support/paths.h"

namespace clearance {
namespace {

class Pendulum : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Integrators, Pendulum, testing::ValuesIn(all_cases()),
                         [](const auto& test) { return test.param.kind + "_" + test.param.integrator; });

TEST_P(Pendulum, SwingsWithThePeriodOfTheClosedForm) {
  const double tilt = 10.0 * pi / 180.0, h = 0.005, g = 9.80665;
  // A bar of 1 m on a hinge at its upper end.
  const std::string center =
      "[" + std::to_string(0.5 * std::sin(tilt)) + "," + std::to_string(-0.5 * std::cos(tilt)) + ", 0]";
  StiffScene scene(
      R"({"time": {"step": 0.005, "integrator": ")" + GetParam().integrator +
      R"("}, "solver": {"force_tolerance": 1e-7}, "contact": {"enabled": false}, "bodies": [{"name": "bar", "kind": ")" +
      GetParam().kind +
      R"(", "generator": {"kind": "box", "size": [0.1, 1, 0.1], "resolution": [1, 1, 1]},
                   "transform": {"rotation": [0, 0, 10], "translation": )" +
      center + R"(}}], "joints": [{"kind": "hinge", "bodies": ["bar", ""], "point": [0, 0, 0], "axis": [0, 0, 1]}]})");
  const double inertia = scene.inertia(0, Vec<3>::UnitZ()) + 0.25 * scene.unit_mass(0);
  const double period = 2.0 * pi * std::sqrt(inertia / (scene.unit_mass(0) * g * 0.5)) * (1.0 + tilt * tilt / 16.0);

  // Record the times of passing below the hinge.
  std::vector<double> passes;
  double last = scene.center(0)[0], most_shift = 0.0, amplitude = 0.0;
  for (int n = 1; n <= 700; ++n) {
    scene.step();
    const double now = scene.center(0)[0];
    if (last * now < 0.0) passes.push_back(h * (n - now / (now - last)));
    if (passes.size() >= 3) amplitude = std::max(amplitude, std::abs(now));
    last = now;
    most_shift = std::max(most_shift, scene.moved(0, Vec<3>::Zero()).norm());
  }
  ASSERT_GE(passes.size(), 3u);
  EXPECT_NEAR(passes[2] - passes[0], period, 1e-3 * period);
  // Implicit Euler damps the swing.
  EXPECT_NEAR(amplitude, 0.5 * std::sin(tilt), GetParam().integrator == "implicit_euler" ? 1e-2 : 1e-4);
  EXPECT_LT(most_shift, 1e-5);
  EXPECT_LT(scene.strain(0), 1e-3);
}

/// Returns the outline of a gear of module 0.1 m with straight flanks, a tooth at angle `phase`.
std::string gear(const std::string& name, int num_teeth, double x, double phase) {
  std::string vertices, edges;
  const double pitch = 2.0 * pi / num_teeth, radius = 0.05 * num_teeth;
  const auto add = [&](double angle, double r) {
    vertices += (vertices.empty() ? "" : ",") + ("[" + std::to_string(r * std::cos(angle)) + ",") +
                std::to_string(r * std::sin(angle)) + ", 0]";
  };
  for (int k = 0; k < num_teeth; ++k) {
    const double angle = k * pitch + phase;
    add(angle - 0.35 * pitch, radius - 0.125);
    add(angle - 0.14 * pitch, radius + 0.08);
    add(angle + 0.14 * pitch, radius + 0.08);
    add(angle + 0.35 * pitch, radius - 0.125);
  }
  for (int k = 0; k < 4 * num_teeth; ++k) {
    edges += (k == 0 ? "[" : ",[") + std::to_string(k) + "," + std::to_string((k + 1) % (4 * num_teeth)) + "]";
  }
  return R"({"name": ")" + name + R"(", "kind": "affine", "transform": {"translation": [)" + std::to_string(x) +
         R"(, 0, 0]}, "geometry": {"vertices": [)" + vertices + R"(], "edges": [)" + edges + "]}}";
}

TEST(Gears, TrainOfThreeKeepsItsRatio) {
  const auto hinge = [](const std::string& name, double x, const std::string& more = "") {
    return R"({"kind": "hinge", "bodies": [")" + name + R"(", ""], "point": [)" + std::to_string(x) + ", 0, 0]" + more +
           "}";
  };
  StiffScene scene(
      R"({"dimension": 2, "gravity": [0, 0, 0], "contact": {"dhat": 2e-3, "dhat_is_absolute": true}, "bodies": [)" +
      gear("a", 20, 0.0, 0.0) + "," + gear("b", 30, 2.5, pi / 30.0) + "," + gear("c", 10, 4.5, 0.0) +
      R"(], "joints": [)" + hinge("a", 0.0, R"(, "drive": "45 * t^2")") + "," + hinge("b", 2.5) + "," +
      hinge("c", 4.5) + "]}");
  double a = 0.0, b = 0.0, c = 0.0;
  for (int n = 1; n <= 300; ++n) {
    scene.step();
    a = pi / 4.0 * 1e-4 * n * n;
    const auto turned = [&](int u, double expected) {
      return expected + std::remainder(scene.rotation(u)[2] - expected, 2.0 * pi);
    };
    b = turned(1, -2.0 / 3.0 * a), c = turned(2, 2.0 * a);
    // A ninth of the pitch is play between two of them: 0.023 rad of the middle one, and as much again of the last.
    ASSERT_LT(std::abs(b + 2.0 / 3.0 * a), 0.025) << "step " << n;
    ASSERT_LT(std::abs(c - 2.0 * a), 0.15) << "step " << n;
  }
  // The gears have made more than a turn.
  EXPECT_NEAR(b / a, -2.0 / 3.0, 0.005);
  EXPECT_NEAR(c / a, 2.0, 0.02);
  for (int u = 0; u < 3; ++u) EXPECT_LT(scene.strain(u), 1e-3);
}

std::filesystem::path published_scene(const char* name) {
  return peer_data() / "rigid-ipc/fixtures/3D" / name;
}

TEST(Gears, PublishedRackDrivesBothGearsAlikeInBothKinds) {
  const auto file = published_scene("mechanisms/gears/single.json");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no published scene " << file;
  // The scene's own tolerance, 0.13 m/s, is more than gravity adds in a step.
  const auto load = [&](const std::string& kind) {
    return StiffScene(load_scene(file, SceneFormat::automatic, {"bodies.type=" + kind, "solver.tolerance=1e-4"}));
  };
  StiffScene affine = load("affine"), rigid = load("rigid");
  for (int n = 1; n <= 50; ++n) {
    affine.step();
    rigid.step();
    for (const StiffScene* scene : {&affine, &rigid}) {
      // Equal gears turn against each other, within the play of their teeth; the rack rolls on the first one.
      ASSERT_NEAR(scene->rotation(1)[2], -scene->rotation(2)[2], 0.03) << "step " << n;
      for (int u = 0; u < 3; ++u) ASSERT_LT(scene->strain(u), 1e-3);
    }
    ASSERT_NEAR(affine.rotation(2)[2], rigid.rotation(2)[2], 1e-3) << "step " << n;
    ASSERT_NEAR(affine.center(0)[1], rigid.center(0)[1], 1e-3) << "step " << n;
  }
  EXPECT_LT(affine.rotation(2)[2], -1.0);
}

TEST(Bolt, SlidesDownItsThreadInFewIterations) {
  // The thread bends away from every straight direction: without detours the line search cut them to 1e-4 of their
  // length, and the 24 steps took 436 iterations.
  const auto file = published_scene("mechanisms/bolt.json");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no published scene " << file;
  StiffScene scene(load_scene(file, SceneFormat::automatic, {}));
  int num_iterations = 0;
  for (int n = 1; n <= 24; ++n) num_iterations += scene.step().newton_iterations;
  EXPECT_LT(num_iterations, 200);
  EXPECT_LT(scene.strain(0), 1e-3);
}

TEST(BicycleChain, BentDirectionsDoNotCloseTheGaps) {
  // The part that bending adds to a direction grows linearly on the way and meets no barrier: compared with dhat
  // instead of the smallest gap, it drove a pin from 1e-7 m to 3e-17 m of its link, where the chain stood still.
  const auto file = published_scene("mechanisms/507-movements/227-bike-chain.json");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no published scene " << file;
  StiffScene scene(load_scene(file, SceneFormat::automatic, {}));
  for (int n = 1; n <= 2; ++n) {
    const StepReport report = scene.step();
    EXPECT_EQ(report.status, StepStatus::converged);
    EXPECT_GT(report.min_distance, 1e-8);
  }
}

TEST(Packing, OneLongStepIsSweptInParts) {
  // 13,242 triangles fall 9.8 m in one step: sweeping the first direction whole found gigabytes of pairs.
  const auto file = published_scene("minimum-separation/packing.json");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no published scene " << file;
  StiffScene scene(load_scene(file, SceneFormat::automatic, {}));
  const StepReport report = scene.step();
  EXPECT_EQ(report.status, StepStatus::converged);
  EXPECT_GT(report.min_distance, 1e-3);
  EXPECT_LT(report.counters.candidates, 50'000'000);
}

}  // namespace
}  // namespace clearance
