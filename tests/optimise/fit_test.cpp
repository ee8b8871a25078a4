#include "clearance/optimise/fit.h"

#include <gtest/gtest.h>

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
  const Result<Fit> found = fit(*plan, {folder.path() / "out", {}, [] { return false; }});
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
    return fit(*plan, {output, on_run, [&count, most] { return count >= most; }});
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

}  // namespace
}  // namespace clearance::optimise
