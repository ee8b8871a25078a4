// Steps that do not converge are taken in parts.
#include <fmt/format.h>

#include <algorithm>

#include "clearance/simulation/stepping/step_parts.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// A cantilever that its weight bends at once. `time` and `solver` are further keys.
std::string cantilever(double step, const std::string& time, int max_iterations) {
  return fmt::format(R"({{"dimension": 2, "gravity": [0, -40], "time": {{"step": {}, "duration": 1{}}},
    "solver": {{"max_iterations": {}}}, "contact": {{"enabled": false}},
    "bodies": [{{"generator": {{"kind": "rectangle", "size": [1, 0.1], "resolution": [8, 1]}},
      "material": {{"density": 1000, "youngs_modulus": 1e5}},
      "motions": [{{"region": {{"box": [[-1, -1, -1], [0.001, 2, 2]], "frame": "body"}}}}]}}]}})",
                     step, time, max_iterations);
}

int most_iterations(const std::string& json, int num_steps) {
  RunningScene scene(json);
  int most = 0;
  for (int i = 0; i < num_steps; ++i) most = std::max(most, scene.step().newton_iterations);
  return most;
}

TEST(StepParts, HalvesAreTheStepsOfHalfTheLength) {
  for (const char* integrator : {"implicit_euler", "implicit_newmark"}) {
    // With lumped masses the whole step needs more directions than its halves.
    const std::string method = fmt::format(R"(, "integrator": "{}", "mass": "lumped")", integrator);
    const int of_whole = most_iterations(cantilever(0.4, method, 200), 1);
    const int of_half = most_iterations(cantilever(0.2, method, 200), 2);
    // A step that needs n directions is judged once more after them. With what the halves need the whole step fails.
    const int enough = of_half + 1;
    ASSERT_GE(of_whole, enough) << integrator;
    RunningScene cut(cantilever(0.4, method, enough)), shorter(cantilever(0.2, method, enough));
    const StepReport report = cut.step();
    shorter.steps(2);
    EXPECT_EQ(report.num_parts, 2) << integrator;
    EXPECT_EQ(cut.state().step, 1);
    EXPECT_EQ(cut.state().time, 0.4);
    EXPECT_EQ(cut.state().x, shorter.state().x) << integrator;
    EXPECT_EQ(cut.state().v, shorter.state().v) << integrator;
    // The account covers the whole step.
    EXPECT_NEAR(report.account.closure(), 0.0, 1e-9 * std::abs(report.account.stored)) << integrator;
    // The next step begins as any other.
    cut.simulation().step();
    EXPECT_EQ(cut.state().step, 2);
  }
}

TEST(StepParts, AreNotTakenWhereTheSceneSaysSo) {
  const int of_half = most_iterations(cantilever(0.2, "", 200), 2);
  RunningScene scene(cantilever(0.4, R"(, "max_halvings": 0)", of_half));
  const StepReport report = scene.simulation().step();
  EXPECT_EQ(to_string(report.status), "iteration_limit");
  EXPECT_EQ(report.num_parts, 1);
}

TEST(StepParts, BeginAtTheLengthOfTheLastOnes) {
  // Halves need more directions than quarters.
  const int enough = most_iterations(cantilever(0.1, "", 200), 8) + 1;
  RunningScene scene(cantilever(0.4, "", enough)), resumed(cantilever(0.4, "", enough));
  const StepReport first = scene.simulation().step();
  ASSERT_GE(first.num_parts, 3);
  ASSERT_EQ(to_string(first.status), "converged");
  const int level = scene.state().level;
  EXPECT_GE(level, 1);
  // A run that is resumed has the same bits.
  ASSERT_TRUE(resumed.simulation().restore(scene.state()));
  for (int n = 0; n < 3; ++n) {
    const StepReport next = scene.simulation().step();
    EXPECT_TRUE(n > 0 || level <= 1 || next.num_parts > 1);
    resumed.simulation().step();
    EXPECT_EQ(scene.state().x, resumed.state().x);
    EXPECT_EQ(scene.state().level, resumed.state().level);
  }
}

// After a static step that was taken in parts, the next one was not tried as a whole, nor by way of motion.
TEST(StepParts, OfStaticsSayNothingOfTheNextStep) {
  RunningScene scene(cantilever(0.4, R"(, "integrator": "quasi_static")", 1));
  const StepReport report = scene.simulation().step();
  ASSERT_GT(report.num_parts, 1);
  EXPECT_EQ(scene.state().level, 0);
}

TEST(StepParts, AreTakenWhereFrictionDoesNotAgree) {
  EXPECT_TRUE(may_be_cut(StepStatus::friction_lag_limit));
  SolverOptions options;
  options.friction.iterations = 0;
  EXPECT_LT(options_of_attempt(options).friction.max_iterations, options.friction.max_iterations);
  EXPECT_LT(options_of_attempt(options).max_iterations, options.max_iterations);
  // A number of lags that the scene asks for is kept.
  options.friction.iterations = 80;
  EXPECT_EQ(options_of_attempt(options).friction.max_iterations, options.friction.max_iterations);
}

// Contacts of halves were four times as stiff as those of the whole step, and pushed a box at rest off the floor.
TEST(StepParts, LeaveBodiesAtRestOnTheFloor) {
  RunningScene scene(R"({"time": {"step": 0.01, "duration": 1}, "friction": {"coefficient": 0.3},
    "half_spaces": [{}], "bodies": [{"kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1],
      "resolution": [1, 1, 1]}, "transform": {"translation": [0, 0.0501, 0]}, "material": {"density": 1000}}]})");
  scene.steps(60);
  const double height = scene.x(0)[1];
  ASSERT_LT(scene.v(0).norm(), 1e-9);
  State in_quarters = scene.state();
  in_quarters.level = 2;
  ASSERT_TRUE(scene.simulation().restore(in_quarters));
  EXPECT_GT(scene.step().num_parts, 1);
  EXPECT_NEAR(scene.x(0)[1], height, 1e-9);
  EXPECT_LT(scene.v(0).norm(), 1e-7);
}

// Every part after a hard one was tried at twice the length, and half of the work was in vain.
TEST(StepParts, StayShortWhileTheyAreHard) {
  const int enough = most_iterations(cantilever(0.1, "", 200), 8) + 1;
  RunningScene scene(cantilever(0.4, "", enough));
  const StepReport first = scene.simulation().step();
  const int level = scene.state().level;
  ASSERT_GE(level, 1);
  // No attempt is longer than the last part.
  EXPECT_EQ(scene.simulation().step().num_parts, 1 << level);
}

TEST(StepParts, ThatDoNotConvergeEitherKeepTheStatus) {
  RunningScene scene(cantilever(0.4, "", 1));
  const StepReport report = scene.simulation().step();
  EXPECT_EQ(to_string(report.status), "iteration_limit");
  EXPECT_TRUE(report.is_advanced());
  EXPECT_EQ(scene.state().step, 1);
  EXPECT_EQ(scene.state().time, 0.4);
  EXPECT_GT(report.num_parts, 1);
}

TEST(StepParts, AreTakenInBdf2FromANewStart) {
  for (const char* integrator : {"bdf2", "bdf2_restarted"}) {
    const std::string method = fmt::format(R"(, "integrator": "{}")", integrator);
    const int of_half = most_iterations(cantilever(0.2, method, 200), 2);
    RunningScene cut(cantilever(0.4, method, of_half));
    const StepReport first = cut.simulation().step();
    EXPECT_GT(first.num_parts, 1) << integrator;
    const StepReport second = cut.simulation().step();
    EXPECT_TRUE(second.is_advanced()) << integrator;
    EXPECT_EQ(cut.state().step, 2);
  }
}

}  // namespace
}  // namespace clearance
