// Bodies whose elements change between and within steps: everything of the scene and of the state travels along.
#include "simulation/running_scene.h"

#include <filesystem>
#include <fstream>

#include "clearance/base/log.h"
#include "clearance/base/parallel.h"
#include "clearance/simulation/run_records.h"

namespace clearance {
namespace {

/// Returns a beam that is held at one end, pulled at the other, and hangs over a floor. `%` is replaced.
std::string beam(int dimension, const std::string& integrator, const std::string& body, const std::string& scene = "") {
  const std::string size = dimension == 3 ? "\"box\", \"size\": [1, 0.25, 0.25], \"resolution\": [4, 1, 1]"
                                          : "\"rectangle\", \"size\": [1, 0.25], \"resolution\": [4, 1]";
  return "{\"dimension\": " + std::to_string(dimension) + ", \"time\": {\"step\": 0.01, \"mass\": \"consistent\", " +
         "\"integrator\": \"" + integrator + "\"}, \"contact\": {\"formulation\": \"convergent\"}, " + scene +
         "\"half_spaces\": [{\"point\": [0, -0.16, 0]}], \"friction\": {\"coefficient\": 0.3}, \"bodies\": "
         "[{\"generator\": {\"kind\": " +
         size +
         "}, \"motions\": [{\"region\": {\"box\": [[-1, -1, -1], [-0.49, 1, 1]]}, \"angular_velocity\": [0, 0, "
         "10]}], " +
         "\"loads\": [{\"kind\": \"force\", \"value\": [0, 20, " + std::string(dimension == 3 ? "3" : "0") +
         "], \"region\": {\"box\": [[0.49, -1, -1], [1, 1, "
         "1]]}}], " +
         "\"material\": {\"youngs_modulus\": 2e5}" + body + "}]}";
}

/// Settings of elements that could adapt, and have no reason to.
const std::string idle = ", \"remesh\": {\"gain\": 1e30, \"collapse\": false}";

class RefinedBody : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, RefinedBody, testing::Values(2, 3));

TEST_P(RefinedBody, BeforeTheFirstStepIsThatOfARefinedMesh) {
  RunningScene fine(beam(GetParam(), "implicit_euler", ", \"refinements\": 1"));
  RunningScene refined(beam(GetParam(), "implicit_euler", idle));
  ASSERT_TRUE(refined.simulation().refine(0));
  EXPECT_EQ(refined.simulation().summary().num_elements, fine.simulation().summary().num_elements);
  for (int step = 0; step < 8; ++step) {
    fine.step();
    refined.step();
    ASSERT_EQ(refined.state().x, fine.state().x) << "step " << step;
    ASSERT_EQ(refined.state().v, fine.state().v) << "step " << step;
  }
}

/// Quantities of a state that nested elements keep.
struct Kept {
  double kinetic = 0.0, elastic = 0.0;
  Vec<3> momentum = Vec<3>::Zero();
};

TEST_P(RefinedBody, InMidRunKeepsWhatTheStateHolds) {
  for (const std::string integrator : {"implicit_euler", "implicit_newmark", "bdf2"}) {
    RunningScene scene(beam(GetParam(), integrator, idle));
    scene.steps(5);
    const StepReport before = scene.step();
    const std::vector<Vec<3>> x = scene.simulation().positions(), v = scene.simulation().velocities();
    ASSERT_TRUE(scene.simulation().refine(0));
    const std::vector<Vec<3>> fine_x = scene.simulation().positions(), fine_v = scene.simulation().velocities();
    ASSERT_GT(fine_x.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(fine_x[i], x[i]);
      ASSERT_EQ(fine_v[i], v[i]);
    }
    const StepReport after = scene.step();
    // The account of the step starts with the energy of the step before.
    EXPECT_NEAR(after.account.closure(), 0.0, 1e-10 * (1.0 + std::abs(before.energy.front().second))) << integrator;
    const auto energy = [](const StepReport& report, const std::string& name) {
      double sum = 0.0;
      for (const auto& [key, value] : report.energy) sum += key == name ? value : 0.0;
      return sum;
    };
    const double change = energy(after, "kinetic") - energy(before, "kinetic");
    EXPECT_NEAR(after.account.kinetic, change, 1e-12 * energy(before, "kinetic") + 1e-12) << integrator;
    scene.steps(3);
  }
}

TEST_P(RefinedBody, HasItsProbesWhereTheyWere) {
  RunningScene scene(beam(GetParam(), "implicit_euler", idle + R"(, "name": "beam")",
                          R"("output": {"probes": [
                            {"name": "tip", "kind": "position", "body": "beam", "point": [0.5, 0, 0]},
                            {"name": "speed", "kind": "velocity", "body": "beam", "point": [0.1, 0, 0]},
                            {"name": "part", "kind": "position", "body": "beam",
                             "region": {"box": [[-0.3, -1, -1], [1, 0, 1]]}}]}, )"));
  scene.steps(8);
  const std::vector<double> before = scene.simulation().probe_values();
  ASSERT_EQ(before.size(), 3U * static_cast<unsigned>(GetParam()));
  ASSERT_TRUE(scene.simulation().refine(0));
  const std::vector<double> after = scene.simulation().probe_values();
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-14) << i;
}

TEST_P(RefinedBody, GoesOnFromItsCheckpointWithTheSameBits) {
  RunningScene whole(beam(GetParam(), "bdf2", idle));
  whole.steps(3);
  ASSERT_TRUE(whole.simulation().refine(0));
  whole.steps(2);
  const Checkpoint checkpoint = checkpoint_of(whole.state());
  RunningScene resumed(beam(GetParam(), "bdf2", idle));
  ASSERT_TRUE(resumed.simulation().restore(state_of(checkpoint)));
  EXPECT_EQ(resumed.simulation().state_hash(), whole.simulation().state_hash());
  EXPECT_EQ(resumed.simulation().summary().num_elements, whole.simulation().summary().num_elements);
  for (int step = 0; step < 4; ++step) {
    whole.step();
    resumed.step();
    ASSERT_EQ(resumed.simulation().state_hash(), whole.simulation().state_hash()) << "step " << step;
  }
}

TEST_P(RefinedBody, HasItsRegionsOnTheNewNodesToo) {
  RunningScene scene(beam(GetParam(), "implicit_euler", idle));
  scene.steps(2);
  ASSERT_TRUE(scene.simulation().refine(0));
  const Frame frame = scene.simulation().frame();
  ASSERT_EQ(frame.point_arrays.size(), 1U);
  EXPECT_EQ(frame.point_arrays[0].name, "rest_position");
  scene.steps(2);
  // The held end turns as a whole: its nodes keep their distances.
  const std::vector<Vec<3>> x = scene.simulation().positions();
  std::vector<std::size_t> held;
  const auto rest = [&](std::size_t i) {
    return Vec<3>(frame.point_arrays[0].values[3 * i], frame.point_arrays[0].values[3 * i + 1],
                  frame.point_arrays[0].values[3 * i + 2]);
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (rest(i)[0] < -0.49) held.push_back(i);
  }
  ASSERT_EQ(held.size(), GetParam() == 3 ? 9U : 3U);
  for (const std::size_t a : held) {
    for (const std::size_t b : held) EXPECT_NEAR((x[a] - x[b]).norm(), (rest(a) - rest(b)).norm(), 1e-14);
  }
}

/// Returns a block that is dropped on a knife, and adapts by default.
std::string dropped(int dimension) {
  const std::string block = dimension == 3 ? "\"box\", \"size\": [1, 0.5, 0.5], \"resolution\": [4, 2, 2]"
                                           : "\"rectangle\", \"size\": [1, 0.5], \"resolution\": [6, 3]";
  const std::string knife =
      dimension == 3 ? "\"triangles\": [[0, 1, 2]], \"vertices\": [[0, -0.32, 0.6], [0, -0.32, -0.6], [0.02, -1, 0]]"
                     : "\"edges\": [[0, 1]], \"vertices\": [[0, -0.32, 0], [0.02, -1, 0]]";
  return "{\"dimension\": " + std::to_string(dimension) +
         ", \"time\": {\"step\": 0.02, \"mass\": \"consistent\"}, \"contact\": {\"formulation\": "
         "\"convergent\"}, \"friction\": {\"coefficient\": 0.3}, \"remesh\": {\"relative_gain\": " +
         (dimension == 3 ? "1e-3" : "3e-4") +
         "}, "
         "\"bodies\": [{\"name\": \"block\", \"generator\": {\"kind\": " +
         block + "}, \"linear_velocity\": [0, -1, 0], \"material\": {\"youngs_modulus\": 3e4}}, " +
         "{\"name\": \"knife\", \"kind\": \"obstacle\", \"geometry\": {" + knife + "}}]}";
}

class AdaptingBlock : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, AdaptingBlock, testing::Values(2, 3));

/// Advances one step. These tests do not ask whether friction converges on the tip of the knife: it need not on fine
/// elements that stay as they are, either.
StepReport step_of(RunningScene& scene) {
  const StepReport report = scene.simulation().step();
  EXPECT_TRUE(report.is_advanced());
  return report;
}

double rest_volume(const Frame& frame) {
  const std::vector<double>& rest = frame.point_arrays.at(0).values;
  const auto at = [&](int v) {
    const auto i = 3 * static_cast<std::size_t>(v);
    return Vec<3>(rest[i], rest[i + 1], rest[i + 2]);
  };
  double sum = 0.0;
  for (const auto& [a, b, c, d] : frame.mesh.tets) {
    sum += (at(b) - at(a)).cross(at(c) - at(a)).dot(at(d) - at(a)) / 6.0;
  }
  for (std::size_t t = 0; t < frame.mesh.triangles.size() && frame.mesh.dim == 2; ++t) {
    const auto& [a, b, c] = frame.mesh.triangles[t];
    sum += 0.5 * (at(b) - at(a)).cross(at(c) - at(a))[2];
  }
  return sum;
}

TEST_P(AdaptingBlock, KeepsVolumeAndMomentumAndGainsNoEnergy) {
  RunningScene scene(dropped(GetParam()));
  const double volume = rest_volume(scene.simulation().frame());
  int num_splits = 0;
  for (int step = 0; step < 14; ++step) {
    const StepReport report = step_of(scene);
    ASSERT_TRUE(report.remesh.has_value());
    const RemeshReport& remesh = *report.remesh;
    num_splits += remesh.num_splits;
    EXPECT_EQ(remesh.num_elements, scene.simulation().summary().num_elements);
    EXPECT_NEAR(rest_volume(scene.simulation().frame()), volume, 1e-13 * volume) << step;
    // The block weighs 500 kg (250 kg in space) and moves with a few metres a second.
    EXPECT_LT(remesh.momentum_loss.norm(), 1e-9) << step;
    EXPECT_GE(remesh.kinetic_loss, -1e-9) << step;
    if (remesh.num_collapses > 0) continue;
    EXPECT_NEAR(remesh.kinetic_loss, 0.0, 1e-9) << step;
    EXPECT_NEAR(remesh.elastic_loss, 0.0, 1e-9) << step;
    EXPECT_LT(remesh.angular_momentum_loss.norm(), 1e-9) << step;
  }
  EXPECT_GT(num_splits, 10);
}

TEST_P(AdaptingBlock, HasTheSameBitsForAnyThreadsAndAfterARestart) {
  const auto hashes = [&](int threads, int restart) {
    const ThreadLimit limit(threads);
    auto scene = std::make_unique<RunningScene>(dropped(GetParam()));
    std::vector<std::string> list;
    for (int step = 1; step <= 12; ++step) {
      step_of(*scene);
      list.push_back(scene->simulation().state_hash());
      if (step != restart) continue;
      const Checkpoint checkpoint = checkpoint_of(scene->state());
      EXPECT_FALSE(scene->state().meshes.empty());
      scene = std::make_unique<RunningScene>(dropped(GetParam()));
      EXPECT_TRUE(scene->simulation().restore(state_of(checkpoint)));
    }
    return list;
  };
  const std::vector<std::string> whole = hashes(1, 0);
  EXPECT_EQ(hashes(3, 0), whole);
  EXPECT_EQ(hashes(2, 10), whole);
}

TEST_P(AdaptingBlock, CountsTheWorkOfAllSolvesOfAStep) {
  RunningScene scene(dropped(GetParam()));
  int num_splits = 0;
  for (int step = 0; step < 8; ++step) {
    const StepReport report = step_of(scene);
    num_splits += report.remesh->num_splits;
    EXPECT_GE(report.counters.factorizations, report.newton_iterations) << step;
    EXPECT_GE(report.profile[Stage::other], report.remesh->seconds) << step;
  }
  EXPECT_GT(num_splits, 10);
}

TEST_P(AdaptingBlock, SaysItsContactModuliOnce) {
  const auto file = std::filesystem::temp_directory_path() / ("clearance_moduli_" + std::to_string(GetParam()));
  std::filesystem::remove(file);
  ASSERT_TRUE(open_log(file));
  RunningScene scene(dropped(GetParam()));
  for (int step = 0; step < 7; ++step) step_of(scene);
  EXPECT_GT(step_of(scene).remesh->num_elements, scene.scene().num_elements());
  std::ifstream log(file);
  int num_told = 0;
  for (std::string line; std::getline(log, line);) num_told += line.find("contact of 'block'") != std::string::npos;
  EXPECT_EQ(num_told, 1);
  std::filesystem::remove(file);
}

TEST_P(AdaptingBlock, TakesNoHalfOfAStepThatIsStopped) {
  RunningScene whole(dropped(GetParam()));
  RunningScene stopped(dropped(GetParam()));
  for (int step = 0; step < 8; ++step) {
    step_of(whole);
    // The run stops at every question of the step; some are asked on the old elements and some on the new ones.
    for (int patience = step < 5 ? 1000000 : 0;; ++patience) {
      int num_asked = 0;
      const std::string before = stopped.simulation().state_hash();
      const StepReport report = stopped.simulation().step({}, [&] { return num_asked++ >= patience; });
      if (report.is_advanced()) break;
      ASSERT_EQ(report.status, StepStatus::stopped);
      ASSERT_EQ(stopped.simulation().state_hash(), before);
    }
    ASSERT_EQ(stopped.simulation().state_hash(), whole.simulation().state_hash()) << step;
  }
}

/// Contact forces do not balance where a boundary interpolates: friction lagged with them would take out less, the less
/// the faster a body slides, and any split would pay.
TEST(AdaptingBodies, SlidingFrictionPaysForNoSplits) {
  std::vector<RemeshReport> reports;
  for (const std::string speed : {"1", "10"}) {
    RunningScene scene(
        R"({"time": {"step": 0.005, "mass": "consistent"}, "contact": {"formulation": "convergent"}, "remesh": {},
        "friction": {"coefficient": 0.2}, "half_spaces": [{"point": [0, 0, 0]}], "bodies": [{"generator": {"kind":
        "box", "size": [0.2, 0.1, 0.1], "resolution": [2, 1, 1]}, "transform": {"translation": [0, 0.0502, 0]},
        "linear_velocity": [)" +
        speed + R"(, 0, 0], "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.3}}]})");
    const StepReport report = scene.step();
    reports.push_back(*report.remesh);
    double stored = 0.0;
    for (const auto& [name, energy] : report.energy) stored += name == "elastic" || name == "barrier" ? energy : 0.0;
    EXPECT_LT(report.remesh->gain, stored);
  }
  EXPECT_GT(reports[0].num_splits, 0);
  EXPECT_EQ(reports[1].num_splits, reports[0].num_splits);
  EXPECT_NEAR(reports[1].gain, reports[0].gain, 0.01 * reports[0].gain);
}

/// Errors are estimated in every fourth step while the elastic energy changes little, and at once where it jumps.
TEST(AdaptingBodies, EstimateErrorsSeldomWhileLittleChanges) {
  // The end of a bar is pulled a little further out in every step, and also to the side in the eleventh (step 10).
  RunningScene scene(
      R"({"gravity": [0, 0, 0], "time": {"step": 0.01, "integrator": "quasi_static"}, "contact": {"enabled": false},
      "static": {"quadratic_elements": 0}, "remesh": {"relative_gain": 1e-5}, "bodies": [{"generator": {"kind": "box",
      "size": [0.4, 0.1, 0.1], "resolution": [4, 1, 1]}, "motions": [{"region": {"frame": "body", "box":
      [[-0.1, -0.1, -0.1], [0.001, 1.1, 1.1]]}}, {"displacement": ["0.04 + 0.01 * t", "0.08 * (t > 0.105) + 0", "0"],
      "region": {"frame": "body", "box": [[0.999, -0.1, -0.1], [1.1, 1.1, 1.1]]}}]}]})");
  std::vector<int> estimated;
  for (int step = 0; step < 12; ++step) {
    const StepReport report = scene.step();
    ASSERT_EQ(report.status, StepStatus::converged) << step;
    if (report.remesh->num_splits > 0) estimated.push_back(step);
  }
  ASSERT_FALSE(estimated.empty());
  EXPECT_EQ(estimated.front(), 0);
  EXPECT_EQ(std::count(estimated.begin(), estimated.end(), 10), 1);
  for (const int step : estimated) EXPECT_TRUE(step % 4 == 0 || step == 10) << step;
}

/// Returns how far the end of a cantilever sags under a force that is a tenth of what bends it visibly.
double sag_of_cantilever(const std::string& body, const std::string& rest) {
  RunningScene scene(
      R"({"gravity": [0, 0, 0], "time": {"step": 1, "integrator": "quasi_static"}, "contact": {"enabled": false},
      "static": {"quadratic_elements": 0}, )" +
      rest +
      R"("bodies": [{"name": "bar", "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.3}, "generator": {"kind": "box",
      "size": [0.8, 0.1, 0.1], "resolution": )" +
      body + R"(, "motions": [{"region": {"frame": "body", "box": [[-0.1, -0.1, -0.1], [0.001, 1.1, 1.1]]}}],
      "loads": [{"kind": "force", "value": [0, -0.2, 0], "region": {"frame": "body", "box": [[0.999, -0.1, -0.1],
      [1.1, 1.1, 1.1]]}}]}], "output": {"probes": [{"name": "end", "body": "bar", "point": [0.4, 0.05, 0.05]}]}})");
  const double start = scene.simulation().probe_values().at(1);
  for (int step = 0; step < 6; ++step) EXPECT_EQ(scene.step().status, StepStatus::converged);
  return start - scene.simulation().probe_values().at(1);
}

/// Small displacements under forces are too small by the share of energy that the elements miss.
TEST(AdaptingBodies, HaveTheErrorThatIsAskedFor) {
  const double exact = sag_of_cantilever(R"([16, 2, 2]}, "order": 2)", "");
  for (const double asked : {0.2, 0.07}) {
    const double sag = sag_of_cantilever("[8, 1, 1]}", fmt::format(R"("remesh": {{"error": {}}}, )", asked));
    EXPECT_LT(1.0 - sag / exact, 1.3 * asked);
    EXPECT_GT(1.0 - sag / exact, 0.3 * asked);
  }
}

TEST(AdaptingBodies, RefuseStatesOfOtherElements) {
  RunningScene scene(beam(3, "implicit_euler", idle));
  RunningScene plain(beam(3, "implicit_euler", ""));
  ASSERT_TRUE(scene.simulation().refine(0));
  EXPECT_FALSE(plain.simulation().restore(scene.state()));
  State broken = scene.state();
  BodyMesh mesh = *broken.meshes[0];
  mesh.mesh.tets[0][0] = 100000;
  broken.meshes[0] = std::make_shared<const BodyMesh>(mesh);
  const std::string hash = scene.simulation().state_hash();
  EXPECT_FALSE(scene.simulation().restore(broken));
  State of_others = scene.state();
  of_others.rejected.push_back({0, {0, 100000}, false, 1.0, 0});
  EXPECT_FALSE(scene.simulation().restore(of_others));
  EXPECT_EQ(scene.simulation().state_hash(), hash);
  scene.step();
  EXPECT_FALSE(plain.simulation().refine(0));
}

}  // namespace
}  // namespace clearance
