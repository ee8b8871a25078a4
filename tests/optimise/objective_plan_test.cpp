#include "clearance/optimise/objective_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "clearance/io/files/child_program.h"
#include "clearance/optimise/minimise_objective.h"

namespace clearance::optimise {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

std::string text_of(const Issues& issues) {
  std::string text;
  for (const Issue& issue : issues) text += to_string(issue) + '\n';
  return text;
}

/// Two bars of 1 m and 1 GPa, one metre deep, which 1 kN and 4 kN pull.
const std::string bars = R"({"dimension": 2, "gravity": [0, 0, 0],
  "time": {"step": 1, "duration": 1, "integrator": "quasi_static"},
  "bodies": [
    {"name": "first", "generator": {"kind": "rectangle", "size": [1, 0.1], "resolution": [2, 1]},
      "material": {"model": "linear_elasticity", "youngs_modulus": 1e9, "poisson_ratio": 0},
      "motions": [{"region": {"box": [[-0.1, -0.1, -1], [0.01, 1.1, 1]], "frame": "body"}}],
      "loads": [{"kind": "force", "value": [1e3, 0, 0], "region": {"box": [[0.99, -0.1, -1], [1.1, 1.1, 1]], "frame": "body"}}]},
    {"name": "second", "generator": {"kind": "rectangle", "size": [1, 0.1], "resolution": [2, 1]},
      "transform": {"translation": [0, 2, 0]},
      "material": {"model": "linear_elasticity", "youngs_modulus": 1e9, "poisson_ratio": 0},
      "motions": [{"region": {"box": [[-0.1, -0.1, -1], [0.01, 1.1, 1]], "frame": "body"}}],
      "loads": [{"kind": "force", "value": [4e3, 0, 0], "region": {"box": [[0.99, -0.1, -1], [1.1, 1.1, 1]], "frame": "body"}}]}],
  "output": {"probes": [
    {"name": "a", "body": "first", "region": {"box": [[0.99, -0.1, -1], [1.1, 1.1, 1]], "frame": "body"}},
    {"name": "b", "body": "second", "region": {"box": [[0.99, -0.1, -1], [1.1, 1.1, 1]], "frame": "body"}}]}})";

/// The least volume at a compliance of 0.1 J: heights are F_i (F_1 + F_2) L / (E C) = 0.05 and 0.2.
const std::string lightest = R"json({"scene": "bars.json",
  "parameters": [
    {"name": "h1", "path": "bodies[0].generator.size[1]", "from": 0.01, "to": 1},
    {"name": "h2", "path": "bodies[1].generator.size[1]", "from": 0.01, "to": 1}],
  "objective": "h1 + h2",
  "constraints": [{"name": "compliance", "formula": "1e3 * (a.x - 0.5) + 4e3 * (b.x - 0.5)", "at_most": 0.1}],
  "optimiser": {"kind": "mma", "tolerance": 1e-6}})json";

Result<ObjectivePlan> plan_of(const TemporaryFolder& folder, const std::string& plan, const std::string& scene = bars) {
  write(folder.path() / "bars.json", scene);
  write(folder.path() / "plan.json", plan);
  return read_objective_plan(folder.path() / "plan.json");
}

ObjectiveOptions options_for(const TemporaryFolder& folder, const char* name) {
  fs::create_directories(folder.path() / name / "runs");
  ObjectiveOptions options;
  options.output = folder.path() / name;
  return options;
}

TEST(ObjectivePlan, BarsOfLeastVolumeAreThoseOfTheory) {
  const TemporaryFolder folder("objective");
  const Result<ObjectivePlan> plan = plan_of(folder, lightest);
  ASSERT_TRUE(plan) << text_of(plan.issues());
  EXPECT_TRUE(is_objective_plan(folder.path() / "plan.json"));
  const Result<ObjectiveSearch> found = minimise_objective(*plan, options_for(folder, "out"));
  ASSERT_TRUE(found) << text_of(found.issues());
  EXPECT_EQ(found->minimum.end, MinimumEnd::gradient);
  ASSERT_EQ(found->parameters.size(), 2U);
  EXPECT_NEAR(found->parameters[0].value, 0.05, 1e-6);
  EXPECT_NEAR(found->parameters[1].value, 0.2, 4e-6);
  EXPECT_NEAR(found->minimum.at.value, 0.25, 1e-6);
  ASSERT_EQ(found->constraints.size(), 1U);
  EXPECT_NEAR(found->constraints[0].value, 0.1, 1e-8);
  EXPECT_TRUE(found->constraints[0].is_active);
  EXPECT_FALSE(found->parameters[0].is_at_bound);
  EXPECT_EQ(found->value_at_start, 0.2);
}

TEST(ObjectivePlan, AStoppedSearchGoesOnWithTheSameBits) {
  const TemporaryFolder folder("objective");
  const Result<ObjectivePlan> plan = plan_of(folder, lightest);
  ASSERT_TRUE(plan);
  const auto run = [&](const char* name, int most) {
    ObjectiveOptions options = options_for(folder, name);
    int count = 0;
    options.on_iterate = [&count](const Iterate&) { ++count; };
    options.is_stop_wanted = [&count, most] { return count >= most; };
    return minimise_objective(*plan, options);
  };
  const Result<ObjectiveSearch> whole = run("whole", 1000);
  const Result<ObjectiveSearch> stopped = run("parts", 3);
  ASSERT_TRUE(whole && stopped);
  EXPECT_EQ(stopped->minimum.end, MinimumEnd::stopped);
  const Result<ObjectiveSearch> resumed = run("parts", 1000);
  ASSERT_TRUE(resumed);
  EXPECT_EQ(resumed->minimum.x, whole->minimum.x);
  EXPECT_EQ(resumed->minimum.num_evaluations, whole->minimum.num_evaluations);
}

/// The stiffness that brings the end of a bar to a place: (a.x - 0.5 - 1e-5)^2 is least at E h = 1e8. Parameters of
/// sizes 1e9 and 0.1 need no scales of the user.
TEST(ObjectivePlan, WithoutConstraintsTheMinimumIsFoundByLbfgs) {
  const TemporaryFolder folder("objective");
  const Result<ObjectivePlan> plan = plan_of(folder, R"json({"scene": "bars.json",
    "parameters": [{"name": "E", "path": "bodies[0].material.youngs_modulus", "from": 1e8, "start": 3e8}],
    "quantities": [{"name": "end", "probe": "a.x", "take": "max"}],
    "objective": "(1e5 * (end - 0.5) - 1)^2"})json");
  ASSERT_TRUE(plan) << text_of(plan.issues());
  EXPECT_EQ(plan->method, MinimiseMethod::lbfgs);
  const Result<ObjectiveSearch> found = minimise_objective(*plan, options_for(folder, "out"));
  ASSERT_TRUE(found) << text_of(found.issues());
  EXPECT_EQ(found->minimum.end, MinimumEnd::gradient);
  EXPECT_NEAR(found->parameters[0].value, 1e9, 1e5);
}

/// True if an issue is at `place` and its message has the text.
bool has_issue(const Issues& issues, const std::string& place, const std::string& text) {
  return std::any_of(issues.begin(), issues.end(), [&](const Issue& issue) {
    return issue.place == place && issue.message.find(text) != std::string::npos;
  });
}

TEST(ObjectivePlan, AllProblemsAreToldAtOnce) {
  const TemporaryFolder folder("objective");
  const Issues issues = plan_of(folder, R"json({"scene": "bars.json",
    "parameters": [{"name": "h1", "path": "bodies[0].generator.siz[1]"}, {"name": "t", "path": "time.step"}],
    "quantities": [{"name": "h1", "probe": "a.x"}, {"name": "late", "probe": "a.y", "at": 3},
      {"name": "2nd", "probe": "a.q", "take": "median"}],
    "objective": "h1 + + * 2",
    "constraints": [{"formula": "b.z + b.q"}, {"formula": "h1", "at_least": 2, "at_most": 1}],
    "optimiser": {"kind": "lbfgs", "iterations": 0, "tolerance": -1, "speed": 3},
    "goal": 1})json")
                            .issues();
  EXPECT_TRUE(has_issue(issues, "parameters[0].path", "did you mean `size`?"));
  EXPECT_TRUE(has_issue(issues, "parameters[1].path", "how the scene is computed"));
  EXPECT_TRUE(has_issue(issues, "quantities[0].name", "a parameter has this name, too"));
  EXPECT_TRUE(has_issue(issues, "quantities[1].at", "from 0 to 1 s"));
  EXPECT_TRUE(has_issue(issues, "quantities[2].name", "a letter first"));
  EXPECT_TRUE(has_issue(issues, "quantities[2].probe", "no probe has this column"));
  EXPECT_TRUE(has_issue(issues, "quantities[2].take", "expected one of"));
  EXPECT_TRUE(has_issue(issues, "objective", "at character 8"));
  EXPECT_TRUE(has_issue(issues, "constraints[0]", "expected `at_most` or `at_least`"));
  EXPECT_TRUE(has_issue(issues, "objective, constraints", "no probe has this column"));
  EXPECT_TRUE(has_issue(issues, "constraints[1].at_least", "expected a number below `at_most`"));
  EXPECT_TRUE(has_issue(issues, "optimiser.kind", "expected `mma`"));
  EXPECT_TRUE(has_issue(issues, "optimiser.iterations", "expected a whole number"));
  EXPECT_TRUE(has_issue(issues, "optimiser.tolerance", "expected a number above 0"));
  EXPECT_TRUE(has_issue(issues, "optimiser.speed", "not known here"));
  EXPECT_TRUE(has_issue(issues, "goal", "not known"));
  for (const Issue& issue : issues) EXPECT_EQ(issue.file, (folder.path() / "plan.json").string());
}

TEST(ObjectivePlan, AnObjectiveThatDependsOnNoRunIsRefused) {
  const TemporaryFolder folder("objective");
  const Result<ObjectivePlan> plan = plan_of(folder, R"json({"scene": "bars.json",
    "parameters": [{"name": "h1", "path": "bodies[0].generator.size[1]"}], "objective": "h1^2"})json");
  ASSERT_TRUE(plan);
  EXPECT_TRUE(has_issue(check_objective(*plan).issues(), "objective", "depends on the run"));
}

/// An objective that is not defined at the start says at which numbers.
TEST(ObjectivePlan, AFormulaThatIsNotDefinedAtTheStartIsTold) {
  const TemporaryFolder folder("objective");
  const Result<ObjectivePlan> plan = plan_of(folder, R"json({"scene": "bars.json",
    "parameters": [{"name": "h1", "path": "bodies[0].generator.size[1]"}], "objective": "log(a.x - 2)"})json");
  ASSERT_TRUE(plan);
  const Result<ObjectiveSearch> found = minimise_objective(*plan, options_for(folder, "out"));
  ASSERT_TRUE(found) << text_of(found.issues());
  EXPECT_EQ(found->minimum.end, MinimumEnd::undefined);
  ASSERT_FALSE(found->errors.empty());
  EXPECT_NE(found->errors[0].message.find("the objective or its derivative is not finite at a.x = 0.5"),
            std::string::npos);
}

}  // namespace
}  // namespace clearance::optimise
