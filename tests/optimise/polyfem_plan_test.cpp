#include "clearance/optimise/polyfem_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "clearance/io/files/child_program.h"
#include "clearance/optimise/design_scene.h"
#include "clearance/optimise/optimise_design.h"
#include "support/paths.h"

namespace clearance::optimise {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

/// A square of eight triangles.
void write_square(const fs::path& folder) {
  std::string text;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) text += "v " + std::to_string(0.5 * i) + " " + std::to_string(0.5 * j) + " 0\n";
  }
  for (int j = 0; j < 2; ++j) {
    for (int i = 0; i < 2; ++i) {
      const int a = 1 + i + 3 * j;
      text += "f " + std::to_string(a) + " " + std::to_string(a + 1) + " " + std::to_string(a + 4) + "\n";
      text += "f " + std::to_string(a) + " " + std::to_string(a + 4) + " " + std::to_string(a + 3) + "\n";
    }
  }
  write(folder / "square.obj", text);
}

/// Two squares that fly, the second of them with the velocity (vx, vy).
void write_flight(const fs::path& file, const std::string& velocity) {
  write(file, R"({"geometry": [
      {"mesh": "square.obj", "volume_selection": 7, "surface_selection": 7},
      {"mesh": "square.obj", "transformation": {"translation": [3, 0]}, "volume_selection": 2,
       "surface_selection": 2}],
    "time": {"tend": 0.2, "dt": 0.05}, "boundary_conditions": {"rhs": [0, 9.8]},
    "initial_conditions": {"velocity": [{"id": 2, "value": )" +
                  velocity + R"(}]},
    "materials": {"type": "NeoHookean", "E": 1e6, "nu": 0.3, "rho": 100}})");
}

/// A square that is pulled: its lower side is held, its upper side has a traction.
void write_pull(const fs::path& file, const std::string& modulus, const std::string& order = "1") {
  write(file, R"({"geometry": [{"mesh": "square.obj", "volume_selection": 1, "surface_selection": [
       {"id": 1, "axis": "-y", "position": 0.001}, {"id": 2, "axis": "y", "position": 0.999}]}],
    "space": {"discr_order": )" +
                  order +
                  R"(},
    "boundary_conditions": {"dirichlet_boundary": [{"id": 1, "value": [0, 0]}],
      "neumann_boundary": [{"id": 2, "value": [2e3, 1e4]}]},
    "materials": {"type": "NeoHookean", "E": )" +
                  modulus + R"(, "nu": 0.3, "rho": 100}})");
}

/// Reads a plan; its problems are failures.
PolyfemPlan read(const fs::path& file) {
  Result<PolyfemPlan> plan = read_polyfem_plan(file, {});
  for (const Issue& issue : plan.issues()) ADD_FAILURE() << to_string(issue);
  return plan ? std::move(*plan) : PolyfemPlan{};
}

DesignSearch search(const PolyfemPlan& plan, const fs::path& output, int most_runs = 1000) {
  fs::create_directories(output / "runs");
  DesignOptions options;
  options.output = output;
  int num_runs = 0;
  options.on_run = [&](int, double) { ++num_runs; };
  options.is_stop_wanted = [&] { return num_runs >= most_runs; };
  Result<DesignSearch> found = optimise_design(plan, options);
  for (const Issue& issue : found.issues()) ADD_FAILURE() << to_string(issue);
  return found ? std::move(*found) : DesignSearch{};
}

void expect_differences(const PolyfemPlan& plan, Eigen::Index most = 20) {
  const auto checked = check_slopes(plan, most, {});
  for (const Issue& issue : checked.issues()) ADD_FAILURE() << to_string(issue);
  ASSERT_TRUE(checked);
  double largest = 0.0;
  for (const CheckedSlope& slope : *checked) largest = std::max(largest, std::abs(slope.derivative));
  EXPECT_GT(largest, 0.0);
  for (const CheckedSlope& slope : *checked) {
    EXPECT_NEAR(slope.derivative, slope.difference, 1e-6 * largest + 3.0 * slope.uncertainty) << slope.direction;
  }
}

class PolyfemPlanFiles : public testing::Test {
 protected:
  void SetUp() override { write_square(folder_.path()); }
  fs::path file(const char* name) const { return folder_.path() / name; }
  const TemporaryFolder folder_{"polyfem_plan"};
};

TEST_F(PolyfemPlanFiles, VelocityOfTheTargetIsFoundInFewRuns) {
  write_flight(file("run.json"), "[0.5, 0]");
  write_flight(file("target.json"), "[2, 1]");
  write(file("opt.json"), R"({
    "states": [{"path": "run.json"}, {"path": "target.json"}],
    "parameters": [{"number": 4, "initial": [0, 0, 0.5, 0]}],
    "variable_to_simulation": [{"type": "initial", "state": 0, "composition": [
      {"type": "per-body-to-per-node", "state": 0}, {"type": "append-const", "start": 0, "size": 36, "value": 0}]}],
    "functionals": [{"type": "transient_integral", "state": 0, "weight": 10, "static_objective":
      {"type": "target", "state": 0, "target_state": 1, "surface_selection": [2]}}],
    "solver": {"nonlinear": {"solver": "L-BFGS", "grad_norm": 1e-8}}})");
  const PolyfemPlan plan = read(file("opt.json"));
  ASSERT_EQ(plan.variables.size(), 1U);
  // A surface of 4 m at distances of t (1.5, 1): the sum over ends of steps of 0.05 x 10 x 4 x 3.25 t^2.
  double expected = 0.0;
  for (int i = 1; i <= 4; ++i) expected += 0.05 * 10.0 * 4.0 * 3.25 * 0.0025 * i * i;
  const DesignSearch found = search(plan, file("out"));
  EXPECT_NEAR(found.value_at_start, expected, 1e-9 * expected);
  EXPECT_EQ(found.minimum.end, MinimumEnd::gradient);
  EXPECT_LT((found.minimum.x - VecX::Map(std::array<double, 4>{0, 0, 2, 1}.data(), 4)).norm(), 1e-6);
  EXPECT_LT(found.minimum.num_evaluations, 12);
  EXPECT_NEAR(found.scene.bodies[1].linear_velocity.x(), 2.0, 1e-6);
  expect_differences(plan);
}

TEST_F(PolyfemPlanFiles, AStoppedSearchGoesOnWithTheSameBits) {
  write_pull(file("run.json"), "1e5");
  write_pull(file("target.json"), "2e5");
  write(file("opt.json"), R"({
    "states": [{"path": "run.json"}, {"path": "target.json"}], "parameters": [{"number": 2}],
    "variable_to_simulation": [{"type": "elastic", "state": 0, "composition": [
      {"type": "exp"}, {"type": "per-body-to-per-elem", "state": 0}]}],
    "functionals": [{"type": "target", "state": 0, "target_state": 1, "weight": 1000}],
    "solver": {"nonlinear": {"solver": "L-BFGS-B", "grad_norm": 1e-9,
      "box_constraints": {"bounds": [9, 15], "max_change": 1}}}})");
  const PolyfemPlan plan = read(file("opt.json"));
  // Without a start it is the material of the state: in the plane lambda is E nu / (1 - nu^2).
  EXPECT_NEAR(plan.start[0], std::log(1e5 * 0.3 / 0.91), 1e-12);
  EXPECT_NEAR(plan.start[1], std::log(1e5 / 2.6), 1e-12);
  const DesignSearch whole = search(plan, file("whole"));
  EXPECT_EQ(whole.minimum.end, MinimumEnd::gradient);
  EXPECT_NEAR(whole.minimum.x[0], std::log(2e5 * 0.3 / 0.91), 1e-4);
  EXPECT_NEAR(whole.minimum.x[1], std::log(2e5 / 2.6), 1e-4);
  const DesignSearch stopped = search(plan, file("parts"), 3);
  EXPECT_EQ(stopped.minimum.end, MinimumEnd::stopped);
  const DesignSearch resumed = search(plan, file("parts"));
  EXPECT_EQ(resumed.minimum.x, whole.minimum.x);
  EXPECT_EQ(resumed.minimum.num_evaluations, whole.minimum.num_evaluations);
  expect_differences(plan);
}

TEST_F(PolyfemPlanFiles, MaterialsOfElementsHaveDerivatives) {
  write_pull(file("run.json"), "1e5", "2");
  write_pull(file("target.json"), "2e5", "2");
  write(file("opt.json"), R"({
    "states": [{"path": "run.json"}, {"path": "target.json"}], "parameters": [{"number": 16}],
    "variable_to_simulation": [{"type": "elastic", "state": 0, "composition": [{"type": "exp"}]}],
    "functionals": [{"type": "target", "state": 0, "target_state": 1, "weight": 1000},
      {"type": "stress_norm", "state": 0, "power": 2, "weight": 1e-9}],
    "solver": {"nonlinear": {"max_iterations": 3}}})");
  expect_differences(read(file("opt.json")));
}

TEST_F(PolyfemPlanFiles, ShapesHaveDerivatives) {
  for (const char* order : {"1", "2"}) {
    write_pull(file("run.json"), "1e5", order);
    write(file("opt.json"), R"({
      "states": [{"path": "run.json"}], "parameters": [{"number": 4}],
      "variable_to_simulation": [{"type": "shape", "state": 0, "composite_map_type": "boundary_excluding_surface",
        "surface_selection": [1, 2], "composition": []}],
      "functionals": [{"type": "power", "power": 0.125, "print_energy": "stress",
          "objective": {"type": "stress_norm", "state": 0, "power": 8}},
        {"type": "soft_constraint", "weight": 1e5, "soft_bound": [0, 0.9], "objective": {"type": "volume", "state": 0}},
        {"type": "boundary_smoothing", "state": 0, "weight": 1e4, "scale_invariant": false}],
      "stopping_conditions": [{"type": "plus-const", "value": -1e-3,
        "objective": {"type": "min_jacobian", "state": 0}}],
      "solver": {"nonlinear": {"max_iterations": 3}}})");
    const PolyfemPlan plan = read(file("opt.json"));
    ASSERT_EQ(plan.start.size(), 4);
    EXPECT_EQ(plan.start, VecX::Map(std::array<double, 4>{0, 0.5, 1, 0.5}.data(), 4)) << "two vertices are free";
    expect_differences(plan);
    const DesignSearch found = search(plan, file(order));
    EXPECT_LT(found.minimum.at.value, found.value_at_start);
    EXPECT_EQ(found.forms[0].label, "stress");
    EXPECT_NEAR(found.conditions[0].at_start, 0.25 - 1e-3, 1e-12) << "determinant of the elements";
  }
}

TEST_F(PolyfemPlanFiles, AShapeOfAGivenVolumeIsFoundByMovingAsymptotes) {
  // The area is 1.1 m^2 where the two vertices that are searched are 1.2 m apart.
  write_pull(file("run.json"), "1e5");
  const auto opt = [](const std::string& solver) {
    return R"({
      "states": [{"path": "run.json"}], "parameters": [{"number": "auto"}],
      "variable_to_simulation": [{"type": "shape", "state": 0, "composite_map_type": "boundary_excluding_surface",
        "surface_selection": [1, 2], "composition": []}],
      "functionals": [{"type": "stress_norm", "state": 0, "power": 2, "weight": 1e-8}],
      "constraints": [{"type": "plus-const", "value": -1.1, "print_energy": "area",
        "objective": {"type": "volume", "state": 0}}],
      "solver": {"nonlinear": {"solver": ")" +
           solver + R"(", "grad_norm": 1e-5, "box_constraints":
        {"bounds": [[-0.5, 0.4, 0.5, 0.4], [0.5, 0.6, 1.5, 0.6]]}}}})";
  };
  write(file("opt.json"), opt("MMA"));
  const PolyfemPlan plan = read(file("opt.json"));
  const DesignSearch found = search(plan, file("out"));
  EXPECT_EQ(found.minimum.end, MinimumEnd::gradient);
  EXPECT_LT(found.minimum.at.value, found.value_at_start);
  ASSERT_EQ(found.constraints.size(), 1U);
  EXPECT_EQ(found.constraints[0].label, "area");
  EXPECT_NEAR(found.constraints[0].at_start, -0.1, 1e-12);
  EXPECT_NEAR(found.constraints[0].value, 0.0, 1e-6) << "more area is less stress";
  EXPECT_NEAR(found.minimum.x[2] - found.minimum.x[0], 1.2, 1e-6);
  const DesignSearch stopped = search(plan, file("parts"), 4);
  EXPECT_EQ(stopped.minimum.end, MinimumEnd::stopped);
  const DesignSearch resumed = search(plan, file("parts"));
  EXPECT_EQ(resumed.minimum.x, found.minimum.x);
  EXPECT_EQ(resumed.minimum.num_evaluations, found.minimum.num_evaluations);
  write(file("opt.json"), opt("L-BFGS"));
  const auto refused = read_polyfem_plan(file("opt.json"), {});
  ASSERT_FALSE(refused);
  EXPECT_NE(to_string(refused.issues()[0]).find("L-BFGS knows no constraints"), std::string::npos);
}

TEST_F(PolyfemPlanFiles, TheInsideFollowsAShapeThatIsSmoothed) {
  // A column of 4 x 16 cells, whose sides are free.
  std::string text;
  constexpr int nx = 4, ny = 16;
  const auto node = [](int i, int j) { return std::to_string(1 + i + (nx + 1) * j); };
  for (int j = 0; j <= ny; ++j) {
    for (int i = 0; i <= nx; ++i) text += "v " + std::to_string(0.125 * i) + " " + std::to_string(j / 16.0) + " 0\n";
  }
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      text += "f " + node(i, j) + " " + node(i + 1, j) + " " + node(i + 1, j + 1) + "\n";
      text += "f " + node(i, j) + " " + node(i + 1, j + 1) + " " + node(i, j + 1) + "\n";
    }
  }
  write(file("square.obj"), text);
  write_pull(file("run.json"), "1e6");
  write(file("opt.json"), R"({
    "states": [{"path": "run.json"}], "parameters": [{"number": "auto"}],
    "variable_to_simulation": [{"type": "shape", "state": 0, "composite_map_type": "boundary_excluding_surface",
      "surface_selection": [1, 2], "composition": []}],
    "functionals": [{"type": "power", "power": 0.125, "objective": {"type": "stress_norm", "state": 0, "power": 8}},
      {"type": "soft_constraint", "weight": 1e9, "soft_bound": [0, 0.5], "objective": {"type": "volume", "state": 0}}],
    "solver": {"nonlinear": {"max_iterations": 8}, "advanced": {"enable_slim": true}}})");
  const PolyfemPlan plain = read(file("opt.json"));
  ASSERT_EQ(plain.start.size(), 60);
  expect_differences(plain);
  const auto smoothed = read_polyfem_plan(file("opt.json"), {{}, 0.2});
  ASSERT_TRUE(smoothed);
  const DesignSearch found = search(*smoothed, file("smooth"));
  EXPECT_LT(found.minimum.at.value, 0.9 * found.value_at_start);
  // Neighbours on a side move alike, and no element is turned over, in no iterate.
  const StateMesh& mesh = *smoothed->meshes[0];
  for (const Iterate& iterate : found.iterates) {
    EXPECT_GT(longest_motion(mesh, rest_of_design(*smoothed, {iterate.x}), mesh.x_rest), 0.0);
  }
  const VecX change = found.minimum.x - smoothed->start;
  double rough = 0.0;
  for (Eigen::Index k = 4; k + 4 < change.size(); ++k) {
    rough = std::max(rough, std::abs(change[k] - 0.5 * (change[k - 4] + change[k + 4])));
  }
  EXPECT_LT(rough, 0.2 * change.cwiseAbs().maxCoeff());
  write(file("opt2.json"), R"({"states": [{"path": "run.json"}], "parameters": [{"number": 2, "initial": 10}],
    "variable_to_simulation": [{"type": "elastic", "composition": [{"type": "exp"}, {"type": "per-body-to-per-elem"}]}],
    "functionals": [{"type": "volume"}]})");
  EXPECT_FALSE(read_polyfem_plan(file("opt2.json"), {{}, 0.2})) << "no shape";
}

TEST_F(PolyfemPlanFiles, MeasuredNodesAreFoundByTheirPlaceAtRest) {
  write_pull(file("run.json"), "1e5", "2");
  write(file("good.txt"), "1 1 1.1 1.2\n0.25 0.5 0.25 0.6\n");
  const auto opt = [](const std::string& data) {
    return R"({"states": [{"path": "run.json"}], "parameters": [{"number": 2, "initial": 10}],
      "variable_to_simulation": [{"type": "elastic", "composition": [{"type": "exp"}, {"type": "per-body-to-per-elem"}]}],
      "functionals": [{"type": "node-target", "target_data_path": ")" +
           data + R"("}]})";
  };
  write(file("opt.json"), opt("good.txt"));
  expect_differences(read(file("opt.json")));
  write(file("bad.txt"), "1 1 1.1 1.2\n0.2 0.5 0.25 0.6\n");
  write(file("opt.json"), opt("bad.txt"));
  const auto bad = read_polyfem_plan(file("opt.json"), {});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.issues().size(), 1U);
  EXPECT_NE(to_string(bad.issues()[0]).find("row 2: the nearest node is 0.05 m away"), std::string::npos);
}

TEST_F(PolyfemPlanFiles, AllProblemsAreToldAtOnce) {
  write_pull(file("run.json"), "1e5");
  write(file("opt.json"), R"({"states": [{"path": "run.json"}], "extra": 1,
    "parameters": [{"number": 3, "initial": [1, 2]}],
    "variable_to_simulation": [{"type": "elastic", "composition": [{"type": "exp"}, {"type": "per-body-to-per-elem"}]}],
    "functionals": [{"type": "no-form"}, {"type": "target", "target_state": 0}, {"type": "position", "dim": 5},
      {"type": "volume", "volume_selection": [9]}],
    "solver": {"nonlinear": {"solver": "Newton", "box_constraints": {"bounds": [2, 1]}}}})");
  const auto plan = read_polyfem_plan(file("opt.json"), {});
  ASSERT_FALSE(plan);
  std::string all;
  for (const Issue& issue : plan.issues()) {
    all += to_string(issue) + '\n';
    EXPECT_NE(issue.file.find("opt.json"), std::string::npos);
  }
  for (const char* part :
       {"extra", "parameters[0].initial",
        "variable_to_simulation[0].composition: the maps make 24 numbers of 3 parameters; expected 16",
        "functionals[0].type", "functionals[1].target_state", "functionals[2].dim", "functionals[3].volume_selection",
        "solver.nonlinear.solver", "solver.nonlinear.box_constraints.bounds"}) {
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
  }
}

/// Differences of runs that bend were known to 5 %, and the check said that they agree.
TEST(CheckedSlope, DecidesNothingWhereDifferencesAreUncertain) {
  const CheckedSlope good{"x[0]", 1.0, 1.0 + 1e-6, 1e-8, 1e-3, 1.0};
  EXPECT_TRUE(good.agrees() && good.is_decided());
  const CheckedSlope vague{"x[0]", 1.0, 1.05, 0.06, 1e-3, 1.0};
  EXPECT_FALSE(vague.agrees() || vague.is_decided());
  const CheckedSlope wrong{"x[0]", 1.0, 1.05, 1e-3, 1e-3, 1.0};
  EXPECT_TRUE(!wrong.agrees() && wrong.is_decided());
  const CheckedSlope small{"x[0]", 1e-7, 3e-7, 1e-9, 1e-3, 1.0};
  EXPECT_TRUE(small.agrees()) << "beside the largest derivative it is nothing";
  const CheckedSlope without_runs{"x[0]", 1.0, std::nan(""), infinity, 1e-3, 1.0};
  EXPECT_FALSE(without_runs.agrees() || without_runs.is_decided());
}

/// A high power bends within a thousandth of a parameter: the change is made shorter until the difference is certain.
TEST_F(PolyfemPlanFiles, AreCheckedOverShorterChangesWhereRunsBend) {
  write_pull(file("run.json"), "1e5");
  write(file("opt.json"), R"({
    "states": [{"path": "run.json"}], "parameters": [{"number": 2, "initial": 10}],
    "variable_to_simulation": [{"type": "elastic", "composition": [{"type": "exp"}, {"type": "per-body-to-per-elem"}]}],
    "functionals": [{"type": "power", "power": 800, "objective": {"type": "divide", "objective": [
      {"type": "position", "dim": 1, "state": 0}, {"type": "volume", "state": 0}]}}]})");
  const auto checked = check_slopes(read(file("opt.json")), 20, {});
  ASSERT_TRUE(checked);
  for (const CheckedSlope& slope : *checked) {
    EXPECT_TRUE(slope.agrees()) << slope.direction;
    EXPECT_LT(slope.length, 1e-3 * 10.0 * 0.3 * 0.5) << "the first two lengths are too long";
  }
}

TEST(PolyfemPlan, PublishedFilesAreRead) {
  const fs::path folder = peer_data() / "diff-ipc/json_scripts";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no published files in " << folder;
  const std::vector<std::pair<const char*, Eigen::Index>> sizes = {{"fig1_bunnies", 3},
                                                                   {"fig6_static_bridge", 5272},
                                                                   {"fig7_beam", 6018},
                                                                   {"fig9_hook", 362},  // the file has 10
                                                                   {"fig14_puzzle_piece", 4},
                                                                   {"fig15_tentacles", 3},
                                                                   {"fig17_material_bridge", 68978},
                                                                   {"fig18_static_cube", 2},
                                                                   {"fig19_static_microstructure", 2},
                                                                   {"fig20_kangaroo", 4},
                                                                   {"fig22_bounce_ball", 2482}};
  for (const auto& [name, size] : sizes) {
    ASSERT_TRUE(is_polyfem_plan(folder / name / "opt.json"));
    const PolyfemPlan plan = read(folder / name / "opt.json");
    EXPECT_EQ(plan.start.size(), size) << name;
    EXPECT_TRUE(check_plan(plan)) << name;
    // In motion the program chooses the stiffness of plain contact.
    const SceneDesc& scene = plan.states[plan.varied].loaded.scene;
    const bool is_plain = scene.contact.formulation() == ContactFormulation::ipc;
    const bool is_of_motion = scene.time.integrator != TimeIntegrator::quasi_static;
    EXPECT_TRUE(scene.contact.kappa == 0.0 || !is_plain || !is_of_motion) << name;
  }
}

}  // namespace
}  // namespace clearance::optimise
