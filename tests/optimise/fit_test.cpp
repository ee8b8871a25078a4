#include "clearance/optimise/fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

#include "clearance/io/files/child_program.h"

namespace clearance::optimise {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

/// A box that slides until friction stops it, and the film of its place: x = v0 t - mu g t^2 / 2 in the steps of
/// implicit Euler, with an error of 2 mm.
void write_slide(const fs::path& folder, double mu, unsigned seed) {
  write(folder / "slide.json", R"({
    "time": {"step": 0.01, "duration": 0.5, "integrator": "implicit_euler"},
    "friction": {"coefficient": 0.6},
    "bodies": [{"name": "box", "kind": "rigid", "generator": {"kind": "box", "size": [0.2, 0.1, 0.2]},
      "transform": {"translation": [0, 0.0502, 0]}, "linear_velocity": [2, 0, 0]}],
    "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]}],
    "output": {"probes": [{"name": "box", "body": "box"}]}})");
  write(folder / "fit.json", R"({"scene": "slide.json",
    "parameters": [{"name": "friction", "path": "friction.coefficient", "from": 0.01, "to": 2}],
    "fit": [{"probe": "box.x", "data": "film.csv", "deviation": 0.002}]})");
  std::mt19937 random(seed);
  std::normal_distribution<double> error(0.0, 0.002);
  std::string film = "time [s],box.x [m]\n";
  const double h = 0.01, g = 9.81;
  double x = 0.0, v = 2.0;
  for (int n = 1; n <= 50; ++n) {
    v = std::max(0.0, v - h * mu * g);
    x += h * v;
    film += std::to_string(n * h) + "," + std::to_string(x + error(random)) + "\n";
  }
  write(folder / "film.csv", film);
}

TEST(Fit, FrictionFollowsFromAFilm) {
  const TemporaryFolder folder("fit");
  write_slide(folder.path(), 0.3, 1);
  const Result<FitPlan> plan = read_fit_plan(folder.path() / "fit.json");
  ASSERT_TRUE(plan);
  fs::create_directories(folder.path() / "out/runs");
  const Result<Fit> found = fit(*plan, {folder.path() / "out", {}, [] { return false; }, {}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, LeastSquaresEnd::converged);
  EXPECT_NEAR(found->parameters[0].value, 0.3, 0.003);
  EXPECT_LT(std::abs(found->parameters[0].value - 0.3), 4.0 * found->parameters[0].deviation);
  EXPECT_NEAR(found->scatter, 1.0, 0.4);
}

TEST(Fit, AStoppedFitGoesOnWithTheSameBits) {
  const TemporaryFolder folder("fit");
  write_slide(folder.path(), 0.3, 2);
  const Result<FitPlan> plan = read_fit_plan(folder.path() / "fit.json");
  ASSERT_TRUE(plan);
  const auto run = [&](const char* name, int most) {
    const fs::path output = folder.path() / name;
    fs::create_directories(output / "runs");
    int count = 0;
    const auto on_run = [&](int, const std::vector<double>&, double) { ++count; };
    return fit(*plan, {output, on_run, [&count, most] { return count >= most; }, {}});
  };
  const Result<Fit> whole = run("whole", 1000);
  const Result<Fit> stopped = run("parts", 2);
  ASSERT_TRUE(whole && stopped);
  EXPECT_EQ(stopped->end, LeastSquaresEnd::stopped);
  const Result<Fit> resumed = run("parts", 1000);
  ASSERT_TRUE(resumed);
  EXPECT_EQ(resumed->parameters[0].value, whole->parameters[0].value);
  EXPECT_EQ(resumed->num_runs, whole->num_runs);
}

TEST(Fit, AllProblemsOfAPlanAreTold) {
  const TemporaryFolder folder("fit");
  write(folder.path() / "fit.json", R"({"scene": "none.json", "parameters": [{"name": "a", "from": 2, "to": 1}],
    "fit": [{"probe": "box.x", "deviation": -1}], "extra": 1})");
  const Result<FitPlan> plan = read_fit_plan(folder.path() / "fit.json");
  ASSERT_FALSE(plan);
  EXPECT_GE(plan.issues().size(), 5U);
}

/// Returns the issues of a plan with the given list `fit`, of the film of write_slide or of `film`.
Issues issues_of(const TemporaryFolder& folder, const std::string& fit, const std::string& parameters,
                 const std::string& film = "") {
  write_slide(folder.path(), 0.3, 3);
  if (!film.empty()) write(folder.path() / "film.csv", film);
  write(folder.path() / "fit.json",
        R"({"scene": "slide.json", "parameters": )" + parameters + R"(, "fit": )" + fit + "}");
  const Result<FitPlan> plan = read_fit_plan(folder.path() / "fit.json");
  return plan ? check_fit(*plan).issues() : plan.issues();
}

const std::string friction = R"([{"path": "friction.coefficient", "from": 0.01, "to": 2}])";
const std::string film_of_x = R"([{"probe": "box.x", "data": "film.csv"}])";

/// True if an issue is at `place` and its message has the text.
bool has_issue(const Issues& issues, const std::string& place, const std::string& text) {
  return std::any_of(issues.begin(), issues.end(), [&](const Issue& issue) {
    return issue.place == place && issue.message.find(text) != std::string::npos;
  });
}

TEST(Fit, ATableInAnotherUnitThanItsProbeIsRefused) {
  const TemporaryFolder folder("fit");
  const Issues issues = issues_of(folder, film_of_x, friction, "time [s],box.x [mm]\n0.1,150\n0.2,240\n");
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0].place, "fit[0].data");
  EXPECT_EQ(issues[0].value, "box.x [mm]");
  EXPECT_NE(issues[0].message.find("[m]"), std::string::npos);
  EXPECT_TRUE(issues_of(folder, film_of_x, friction, "t,box.x\n0.1,0.15\n0.2,0.24\n").empty());
}

/// A wrong name of a probe was told as a column that the table lacks, `deviation: 0` as a wrong relative one, and a
/// number of the time step after all other problems were mended.
TEST(Fit, ProblemsOfThePlanAndOfItsSceneAreToldTogether) {
  const TemporaryFolder folder("fit");
  const Issues issues = issues_of(folder, R"([{"probe": "box.q", "data": "film.csv"}, {"probe": "box.x", "target": 1,
    "deviation": 0}])",
                                  R"([{"path": "time.step"}, {"path": "friction.coeficient"}])");
  EXPECT_TRUE(has_issue(issues, "fit[0].probe", "no probe has this column; did you mean `box.x`"));
  EXPECT_TRUE(has_issue(issues, "fit[1].deviation", "expected a number above 0"));
  EXPECT_TRUE(has_issue(issues, "parameters[0].path", "says how the scene is computed"));
  EXPECT_TRUE(has_issue(issues, "parameters[1].path", "did you mean `coefficient`?"));
  for (const Issue& issue : issues) EXPECT_NE(issue.place, "fit[1].relative_deviation");
}

/// A number that no other value is allowed of was refused in the first run, with a folder left behind.
TEST(Fit, ANumberOutOfThePlaneIsRefusedBeforeARun) {
  const TemporaryFolder folder("fit");
  write(folder.path() / "flat.json", R"({"dimension": 2, "time": {"step": 0.01, "duration": 0.05},
    "bodies": [{"name": "box", "kind": "rigid", "generator": {"kind": "rectangle", "size": [0.1, 0.1]}}],
    "output": {"probes": [{"name": "box", "body": "box"}]}})");
  write(folder.path() / "fit.json", R"({"scene": "flat.json", "parameters": [{"path": "gravity[2]"}],
    "fit": [{"probe": "box.y", "target": -0.01}]})");
  const Result<FitPlan> plan = read_fit_plan(folder.path() / "fit.json");
  ASSERT_TRUE(plan);
  const Result<Done> checked = check_fit(*plan);
  EXPECT_TRUE(has_issue(checked.issues(), "parameters[0].path", "must be 0 in 2D"));
}

/// One number that is fitted to one measurement has no scatter that could tell of a bad fit. A push that is a square
/// moves the box one way alone.
TEST(Fit, OneMeasurementThatIsNotMetIsTold) {
  const TemporaryFolder folder("fit");
  write(folder.path() / "push.json", R"({"time": {"step": 0.01, "duration": 0.1, "integrator": "implicit_euler"},
    "controls": [{"name": "push", "value": 1}],
    "bodies": [{"name": "box", "kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]},
      "loads": [{"kind": "force", "expression": ["push * push + 0.1 * push", "0", "0"]}]}],
    "output": {"probes": [{"name": "box", "body": "box"}]}})");
  write(folder.path() / "fit.json", R"({"scene": "push.json", "parameters": [{"path": "controls[0].value"}],
    "fit": [{"probe": "box.x", "target": -0.01, "deviation": 0.001}]})");
  const Result<FitPlan> plan = read_fit_plan(folder.path() / "fit.json");
  ASSERT_TRUE(plan);
  fs::create_directories(folder.path() / "out/runs");
  const Result<Fit> found = fit(*plan, {folder.path() / "out", {}, [] { return false; }, {}});
  ASSERT_TRUE(found);
  EXPECT_GT(found->largest_residual, 9.0);
  EXPECT_EQ(found->place_of_largest, "box.x at the end");
  EXPECT_TRUE(has_issue(found->warnings, "not_met", "misses box.x at the end")) << found->num_left;
}

TEST(Fit, ARowWithoutACellIsRefusedByItsLine) {
  const TemporaryFolder folder("fit");
  const Issues issues = issues_of(folder, film_of_x, friction, "time [s],box.x [m]\n0.1,0.15\n0.2\n0.3,0.3\n0.4,x\n");
  ASSERT_EQ(issues.size(), 2U);
  EXPECT_TRUE(has_issue(issues, "line 3", "expected 2 cells"));
  EXPECT_TRUE(has_issue(issues, "line 5", "expected a number"));
}

TEST(Fit, EmptyCellsAreLeftOutWithAWarning) {
  const TemporaryFolder folder("fit");
  // Tables of other systems begin with a mark and end lines with a carriage return.
  EXPECT_TRUE(
      issues_of(folder, film_of_x, friction, "\xEF\xBB\xBFtime [s],box.x [m]\r\n0.1,0.15\r\n0.2,\r\n0.3,0.3\r\n\r\n")
          .empty());
  const Result<FitPlan> plan = read_fit_plan(folder.path() / "fit.json");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->measured[0].values.size(), 2U);
  EXPECT_TRUE(has_issue(plan->warnings, "line 3", "1 of 3 rows have no number"));
}

TEST(Fit, ProblemsAreAtTheirPlacesInThePlan) {
  const TemporaryFolder folder("fit");
  const Issues wrong = issues_of(folder, R"([{"probe": "box.x", "data": "film.csv"}, {"probe": "bix.y", "target": 1}])",
                                 R"([{"path": "friction.coefficient"}, {"path": "friction.coeficient"}])");
  EXPECT_TRUE(has_issue(wrong, "parameters[1].path", "no such entry"));
  const Issues column =
      issues_of(folder, R"([{"probe": "box.x", "data": "film.csv"}, {"probe": "bix.y", "target": 1}])",
                R"([{"path": "friction.coefficient"}, {"path": "time.step"}])");
  EXPECT_TRUE(has_issue(column, "parameters[1].path", "how the scene is computed"));
  const Issues probe = issues_of(folder, R"([{"probe": "bix.y", "target": 1}])", friction);
  EXPECT_TRUE(has_issue(probe, "fit[0].probe", "box.y"));
  for (const Issues* issues : {&wrong, &column, &probe}) {
    for (const Issue& issue : *issues) EXPECT_EQ(issue.file, (folder.path() / "fit.json").string());
  }
}

TEST(Fit, DeviationsOfSomeColumnsAloneAreRefused) {
  const TemporaryFolder folder("fit");
  const Issues issues = issues_of(
      folder, R"([{"probe": "box.x", "data": "film.csv"}, {"probe": "box.y", "target": 0.05, "deviation": 1}])",
      friction);
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0].place, "fit[0].deviation");
}

TEST(Fit, RelativeDeviationsAreSharesOfEachMeasurement) {
  const TemporaryFolder folder("fit");
  EXPECT_TRUE(issues_of(folder,
                        R"([{"probe": "box.x", "data": "film.csv", "deviation": 0.003, "relative_deviation": 0.02}])",
                        friction, "time [s],box.x [m]\n0.0,0\n0.1,0.2\n")
                  .empty());
  const Result<FitPlan> plan = read_fit_plan(folder.path() / "fit.json");
  ASSERT_TRUE(plan);
  EXPECT_DOUBLE_EQ(plan->measured[0].values[0].deviation, 0.003);
  EXPECT_DOUBLE_EQ(plan->measured[0].values[1].deviation, 0.005);
  const Issues issues = issues_of(folder, R"([{"probe": "box.x", "data": "film.csv", "relative_deviation": 0.02}])",
                                  friction, "time [s],box.x [m]\n0.0,0\n0.1,0.2\n");
  EXPECT_TRUE(has_issue(issues, "fit[0].relative_deviation", "give `deviation`, too"));
}

/// The modulus of a stiff body changes nothing, and took the deviation of friction.
TEST(Fit, AnUntoldNumberLeavesTheOtherItsDeviation) {
  const TemporaryFolder folder("fit");
  write_slide(folder.path(), 0.3, 4);
  write(folder.path() / "fit.json", R"({"scene": "slide.json",
    "parameters": [{"name": "friction", "path": "friction.coefficient", "from": 0.01, "to": 2},
      {"name": "modulus", "path": "bodies[0].material.youngs_modulus"}],
    "fit": [{"probe": "box.x", "data": "film.csv"}]})");
  const Result<FitPlan> plan = read_fit_plan(folder.path() / "fit.json");
  ASSERT_TRUE(plan);
  fs::create_directories(folder.path() / "out/runs");
  const Result<Fit> found = fit(*plan, {folder.path() / "out", {}, [] { return false; }, {}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, LeastSquaresEnd::converged);
  ASSERT_EQ(found->untold.size(), 1U);
  EXPECT_EQ(std::abs(found->untold[0][1]), 1.0);
  EXPECT_TRUE(std::isnan(found->parameters[1].deviation));
  const FittedNumber& number = found->parameters[0];
  EXPECT_NEAR(number.value, 0.3, 4.0 * number.deviation);
  EXPECT_NEAR(number.high - number.value, 2.01 * number.deviation, 0.01 * number.deviation);
}

/// The mass with which the force brings the box to 1 m is tiny: the search tries negative ones first.
TEST(Fit, RunsWithoutAResultAreToldWithTheirReason) {
  const TemporaryFolder folder("fit");
  write(folder.path() / "scene.json", R"({"time": {"step": 0.01, "duration": 0.01}, "gravity": [0, 0, 0],
    "bodies": [{"name": "box", "kind": "rigid", "mass": 1, "generator": {"kind": "box", "size": [0.2, 0.1, 0.2]},
      "loads": [{"kind": "force", "value": [1, 0, 0]}]}],
    "output": {"probes": [{"name": "box", "body": "box"}]}})");
  write(folder.path() / "fit.json",
        R"({"scene": "scene.json", "parameters": [{"name": "mass", "path": "bodies[0].mass"}],
    "fit": [{"probe": "box.x", "target": 1.0}]})");
  const Result<FitPlan> plan = read_fit_plan(folder.path() / "fit.json");
  ASSERT_TRUE(plan);
  fs::create_directories(folder.path() / "out/runs");
  std::vector<std::string> problems;
  const auto on_failure = [&](int, const std::string& problem) { problems.push_back(problem); };
  const Result<Fit> found = fit(*plan, {folder.path() / "out", {}, [] { return false; }, on_failure});
  ASSERT_TRUE(found);
  ASSERT_FALSE(problems.empty());
  EXPECT_NE(problems.front().find("above 0"), std::string::npos) << problems.front();
  EXPECT_EQ(found->num_failed, static_cast<int>(problems.size()));
  EXPECT_NE(found->last_failure.find("run "), std::string::npos);
}

}  // namespace
}  // namespace clearance::optimise
