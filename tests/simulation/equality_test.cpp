// Conditions that must not change the result: threads, restarts, scratch memory; and those that may change it only
// within tolerance.
#include <cmath>
#include <cstdio>
#include <numeric>

#include "clearance/base/parallel.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns a soft box and a ball that fall onto each other on a moving obstacle, with damping and a motion that ends.
std::string busy_scene(const std::string& integrator = "implicit_euler") {
  return R"({"time": {"step": 0.01, "integrator": ")" + integrator +
         R"("}, "half_spaces": [{"point": [0, -0.3, 0], "friction": 0.2}],
    "friction": {"coefficient": 0.4, "static_coefficient": 0.5, "iterations": 2},
    "bodies": [
      {"generator": {"kind": "box", "size": [0.5, 0.3, 0.4], "resolution": [3, 3, 3]},
       "material": {"damping": 0.001}, "linear_velocity": [0, -1, 0], "transform": {"rotation": [5, 10, 15]}},
      {"generator": {"kind": "sphere", "size": [0.15], "resolution": [2]}, "transform": {"translation": [0.05, 0.41, 0]},
       "linear_velocity": [0, -4, 0], "material": {"model": "fixed_corotational", "youngs_modulus": 1e6}},
      {"generator": {"kind": "mat", "size": [0.5, 0.03, 0.5], "resolution": [4, 1, 4]},
       "transform": {"translation": [0.1, 0.65, 0]},
       "motions": [{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}, "linear_velocity": [0.5, -1, 0],
                    "start": 0.05, "end": 0.15}]},
      {"kind": "obstacle", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]},
       "transform": {"translation": [0.6, 0, 0]}, "motions": [{"linear_velocity": [-2, 0, 0], "angular_velocity": [0, 90, 0],
       "end": 0.2}]}]})";
}

std::vector<std::string> hashes(RunningScene& scene, int num_steps) {
  std::vector<std::string> result;
  for (int n = 0; n < num_steps; ++n) {
    scene.step();
    result.push_back(scene.simulation().state_hash());
  }
  return result;
}

TEST(Equality, OneAndTwoAndThreeThreadsGiveTheSameBits) {
  std::vector<std::vector<std::string>> runs;
  for (int threads : {1, 2, 3}) {
    const ThreadLimit limit(threads);
    RunningScene scene(busy_scene());
    runs.push_back(hashes(scene, 30));
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_EQ(runs[0], runs[2]);
  EXPECT_NE(runs[0].front(), runs[0].back());
}

class Restart : public testing::TestWithParam<std::string> {};

TEST_P(Restart, ContinuesWithTheSameBits) {
  RunningScene whole(busy_scene(GetParam()));
  const std::vector<std::string> expected = hashes(whole, 20);
  RunningScene first(busy_scene(GetParam()));
  first.steps(10);
  const State saved = first.state();
  RunningScene second(busy_scene(GetParam()));
  ASSERT_TRUE(second.simulation().restore(saved));
  const std::vector<std::string> resumed = hashes(second, 10);
  EXPECT_EQ(resumed, std::vector<std::string>(expected.begin() + 10, expected.end()));
}

INSTANTIATE_TEST_SUITE_P(Integrators, Restart,
                         testing::Values("implicit_euler", "implicit_newmark", "bdf2", "bdf2_restarted",
                                         "bdf2_in_flight"),
                         [](const auto& name) { return name.param; });

TEST(Restart, WithANewWorkspaceEveryStepGivesTheSameBits) {
  for (const char* solver : {"cholmod", "pcg"}) {
    const std::vector<std::string> overrides = {std::string("solver.linear_solver=") + solver};
    RunningScene whole(busy_scene(), overrides);
    State state = whole.state();
    for (int n = 1; n <= 25; ++n) {
      whole.step();
      RunningScene fresh(busy_scene(), overrides);
      ASSERT_TRUE(fresh.simulation().restore(state));
      fresh.step();
      state = fresh.state();
      ASSERT_EQ(fresh.simulation().state_hash(), whole.simulation().state_hash()) << solver << ", step " << n;
      ASSERT_EQ(state.kappa, whole.state().kappa);
    }
  }
}

TEST(Restart, RefusesTheStateOfAnotherScene) {
  RunningScene scene(busy_scene());
  State state = scene.state();
  state.x.conservativeResize(state.x.size() - 3);
  EXPECT_FALSE(scene.simulation().restore(state));
  state = scene.state();
  state.v[4] = NAN;
  EXPECT_FALSE(scene.simulation().restore(state));
}

TEST(Equality, LinearSolversAgreeWithinTolerance) {
  RunningScene direct(busy_scene(), {"solver.tolerance=1e-7", "solver.linear_solver=cholmod"});
  RunningScene iterative(busy_scene(), {"solver.tolerance=1e-7", "solver.linear_solver=pcg"});
  int num_contacts = 0;
  for (int n = 1; n <= 12; ++n) {
    num_contacts = std::max(num_contacts, direct.step().num_contacts);
    iterative.step();
    // Each step may differ by the tolerance times h, and an impact multiplies that; 1e-5 m is 1e-2 of dhat.
    ASSERT_LT((direct.state().x - iterative.state().x).cwiseAbs().maxCoeff(), 1e-5) << "step " << n;
  }
  EXPECT_GT(num_contacts, 0);
}

TEST(Equality, BothMethodsOfCollisionDetectionConvergeAndAgree) {
  RunningScene certified(busy_scene(), {"solver.tolerance=1e-7", "solver.ccd=clearance"});
  RunningScene inclusion(busy_scene(), {"solver.tolerance=1e-7", "solver.ccd=tight_inclusion"});
  for (int n = 1; n <= 12; ++n) {
    EXPECT_GT(certified.step().min_distance, 0.0);
    EXPECT_GT(inclusion.step().min_distance, 0.0);
    // CCD methods only bound the steps of Newton's method, not the minimum that it finds.
    ASSERT_LT((certified.state().x - inclusion.state().x).cwiseAbs().maxCoeff(), 1e-5) << "step " << n;
  }
}

/// Returns two boxes that drop on a half-space, in a world of size `scale`; times and densities are kept, so E ~
/// scale^2, g ~ scale.
std::string scaled_scene(double scale) {
  const auto length = [&](double value) {
    char text[40];
    std::snprintf(text, sizeof(text), "%.17g", value * scale);
    return std::string(text);
  };
  char youngs_modulus[40];
  std::snprintf(youngs_modulus, sizeof(youngs_modulus), "%.17g", 1e5 * scale * scale);
  const std::string box = R"({"generator": {"kind": "box", "size": [)" + length(0.5) + "," + length(0.25) + "," +
                          length(0.5) + R"(], "resolution": [2, 2, 2]}, "material": {"youngs_modulus": )" +
                          youngs_modulus + R"(}, "linear_velocity": [0, )" + length(-2) +
                          R"(, 0], "transform": {"rotation": [0, 30, 5],
                          "translation": [)";
  return R"({"gravity": [0, )" + length(-9.80665) + R"(, 0], "half_spaces": [{"point": [0, )" + length(-0.25) +
         R"(, 0]}], "bodies": [)" + box + "0, 0, 0]}}, " + box + length(0.125) + "," + length(0.375) + ", 0]}}]}";
}

TEST(Equality, SizeOfTheWorldDoesNotMatter) {
  const auto run = [](double scale, VecX& x) {
    RunningScene scene(scaled_scene(scale));
    std::vector<int> iterations;
    for (int n = 0; n < 30; ++n) iterations.push_back(scene.step().newton_iterations);
    x = scene.state().x / scale;
    return iterations;
  };
  VecX x, x_scaled;
  const std::vector<int> iterations = run(1.0, x);
  // Powers of two scale every number of the run exactly.
  for (double scale : {1.0 / 128.0, 128.0}) {
    EXPECT_EQ(run(scale, x_scaled), iterations) << "scale " << scale;
    EXPECT_LT((x_scaled - x).cwiseAbs().maxCoeff(), 1e-12) << "scale " << scale;
  }
  // Other factors are rounded: few iterations differ.
  const auto total = [](const std::vector<int>& counts) { return std::accumulate(counts.begin(), counts.end(), 0); };
  for (double scale : {0.01, 100.0}) {
    EXPECT_NEAR(total(run(scale, x_scaled)), total(iterations), 0.05 * total(iterations) + 2) << "scale " << scale;
    EXPECT_LT((x_scaled - x).cwiseAbs().maxCoeff(), 1e-2) << "scale " << scale;
  }
}

}  // namespace
}  // namespace clearance
