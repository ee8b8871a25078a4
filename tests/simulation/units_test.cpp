// The system of units of a scene decides about numbers, not about physics: the same scene in other units moves alike.
#include <fmt/format.h>

#include <cmath>

#include "simulation/running_scene.h"
#include "simulation/scene_in_units.h"

namespace clearance {
namespace {

struct UnitScene {
  const char* name;
  const char* text;
  int num_steps;
};

// Scenes in SI. Their convergence is tight, so that the results of two runs differ by rounding alone.
const UnitScene unit_scenes[] = {
    {"deformable", R"({"time": {"step": 0.01}, "friction": {"coefficient": 0.4},
      "half_spaces": [{"point": [0, -0.3, 0]}],
      "bodies": [
        {"generator": {"kind": "box", "size": [0.4, 0.2, 0.3], "resolution": [3, 2, 2]},
         "material": {"youngs_modulus": 1e5, "damping": 0.002}, "transform": {"rotation": [10, 20, 5]},
         "linear_velocity": [1, -2, 0], "angular_velocity": [0, 90, 0]},
        {"kind": "obstacle", "generator": {"kind": "box", "size": [0.4, 0.4, 0.4], "resolution": [1, 1, 1], "is_surface": true},
         "transform": {"translation": [0.6, -0.2, 0]}, "motions": [{"linear_velocity": [-0.5, 0, 0]}]}]})",
     12},
    {"defaults", R"({"time": {"duration": 0.1}, "friction": {"coefficient": 0.3},
      "half_spaces": [{"point": [0, -0.55, 0]}],
      "bodies": [{"generator": {"kind": "box", "resolution": [2]}}]})",
     10},
    {"affine_and_rigid", R"({"time": {"step": 0.01}, "friction": {"coefficient": 0.5},
      "half_spaces": [{"point": [0, -0.101, 0], "friction": 0.3}],
      "bodies": [
        {"kind": "affine", "generator": {"kind": "box", "size": [0.4, 0.2, 0.3], "resolution": [1]}},
        {"kind": "rigid", "generator": {"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [1]},
         "transform": {"rotation": [0, 20, 3], "translation": [0.02, 0.22, 0]}, "linear_velocity": [0.3, -0.5, 0]}]})",
     20},
    {"restitution", R"({"time": {"step": 0.005}, "contact": {"restitution": 0.6},
      "half_spaces": [{"point": [0, -0.2, 0]}],
      "bodies": [
        {"kind": "rigid", "generator": {"kind": "sphere", "size": [0.1], "resolution": [2]}, "linear_velocity": [0.2, -1, 0]}]})",
     40},
    {"shell_and_rod", R"({"time": {"step": 0.005},
      "bodies": [
        {"kind": "shell", "generator": {"kind": "sheet", "size": [0.5, 0.4], "resolution": [4, 3]}, "thickness": 0.002,
         "material": {"youngs_modulus": 1e6, "density": 400}, "motions": [{"region": {"box": [[-0.3, -1, -0.3], [-0.2, 1, 0.3]]}}]},
        {"kind": "rod", "generator": {"kind": "line", "size": [0.6], "resolution": [8]}, "thickness": 0.01,
         "material": {"youngs_modulus": 1e7}, "transform": {"translation": [0, 0.1, 0]},
         "motions": [{"region": {"box": [[-0.31, -1, -1], [-0.22, 1, 1]]}}]}]})",
     10},
    {"hinge_with_limit_and_friction", R"json({"time": {"step": 0.01}, "contact": {"enabled": false},
      "bodies": [
        {"name": "arm", "kind": "rigid", "mass": 2, "generator": {"kind": "box", "size": [0.6, 0.1, 0.1], "resolution": [1]},
         "transform": {"translation": [0.3, 0, 0]}}],
      "joints": [{"kind": "hinge", "bodies": ["arm", ""], "point": [0, 0, 0], "axis": [0, 0, 1],
                  "lower": -40, "friction": 0.5, "damping": 0.05, "stiffness": 0.3, "armature": 0.01, "effort": "0.2 * sin(5 * t)"}]})json",
     60},
    {"slider_with_limit_and_friction", R"({"time": {"step": 0.01}, "contact": {"enabled": false},
      "bodies": [
        {"name": "arm", "kind": "affine", "generator": {"kind": "box", "size": [0.3, 0.1, 0.1], "resolution": [1]}}],
      "joints": [{"kind": "slider", "bodies": ["arm", ""], "point": [0, 0, 0], "axis": [0, 1, 0],
                  "lower": -0.2, "friction": 5, "damping": 0.5, "stiffness": 3, "armature": 0.4}]})",
     40},
    {"gcp_in_2d",
     R"({"dimension": 2, "time": {"step": 0.01}, "contact": {"formulation": "gcp"}, "friction": {"coefficient": 0.3},
      "bodies": [
        {"generator": {"kind": "rectangle", "size": [0.4, 0.2], "resolution": [4, 2]}, "transform": {"rotation": 5}},
        {"generator": {"kind": "rectangle", "size": [1, 0.1], "resolution": [10, 1]}, "transform": {"translation": [0, -0.17]},
         "motions": [{"region": {"box": [[-1, -0.25], [1, -0.21]]}}]}]})",
     15},
    {"convergent_statics", R"({"time": {"integrator": "quasi_static", "step": 0.25}, "gravity": [0, 0, 0],
      "contact": {"formulation": "convergent"},
      "bodies": [
        {"generator": {"kind": "box", "size": [0.4, 0.2, 0.3], "resolution": [3, 2, 2]}, "material": {"youngs_modulus": 1e6},
         "motions": [{"region": {"box": [[-1, -0.11, -1], [1, -0.09, 1]]}}]},
        {"kind": "rigid", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]},
         "transform": {"translation": [0, 0.1501, 0]}, "loads": [{"kind": "force", "value": [0, -400, 0]}],
         "fixed_translation": [true, false, true], "fixed_rotation": true}]})",
     4},
    {"accurate_steps", R"({"time": {"step": 0.02, "accuracy": 0.01}, "half_spaces": [{"point": [0, -0.12, 0]}],
      "bodies": [{"generator": {"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [2]}, "material": {"youngs_modulus": 1e5},
                  "linear_velocity": [0, -1, 0]}]})",
     5},
    {"published", R"({"format": "clearance/1", "time": {"step": 0.01}, "friction": {"coefficient": 0.3},
      "solver": {"tolerance": 1e-6}, "half_spaces": [{"point": [0, -0.13, 0]}],
      "bodies": [{"generator": {"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [2]}, "material": {"youngs_modulus": 1e5},
                  "linear_velocity": [0.5, -1, 0]}]})",
     10},
    {"plasticity_and_pressure", R"({"time": {"integrator": "quasi_static", "step": 0.25}, "gravity": [0, 0, 0],
      "bodies": [{"generator": {"kind": "box", "size": [0.4, 0.1, 0.1], "resolution": [4, 1, 1]},
                  "material": {"youngs_modulus": 1e9, "poisson_ratio": 0.3, "yield_stress": 1e7, "hardening_modulus": 1e8},
                  "motions": [{"region": {"box": [[-0.21, -1, -1], [-0.19, 1, 1]]}},
                              {"region": {"box": [[0.19, -1, -1], [0.21, 1, 1]]}, "displacement": ["0.02 * t", "0", "0"], "components": [true, false, false]}],
                  "loads": [{"kind": "pressure", "pressure": "1e6 * t", "region": {"box": [[-1, 0.049, -1], [1, 0.051, 1]]}}]}]})",
     4},
    {"attachments", R"({"time": {"step": 0.01},
      "bodies": [
        {"name": "sheet", "kind": "shell", "generator": {"kind": "sheet", "size": [0.4, 0.3], "resolution": [4, 3]}, "thickness": 0.002,
         "transform": {"rotation": [90, 0, 0]}, "material": {"youngs_modulus": 1e6, "density": 400}},
        {"name": "bob", "kind": "rigid", "generator": {"kind": "sphere", "size": [0.05], "resolution": [1]}, "transform": {"translation": [0, -0.3, 0]}}],
      "attachments": [
        {"body": "sheet", "region": {"box": [[-1, 0.14, -1], [1, 0.16, 1]]}},
        {"body": "sheet", "region": {"box": [[-0.21, -0.16, -1], [-0.19, -0.14, 1]]}, "to": "bob", "length": "0.2 - 0.1 * t"}]})",
     10},
    {"springs_and_ties", R"({"time": {"step": 0.01},
      "bodies": [
        {"name": "top", "generator": {"kind": "box", "size": [0.2, 0.1, 0.1], "resolution": [2, 1, 1]}, "material": {"youngs_modulus": 1e6}},
        {"name": "glued", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]}, "transform": {"translation": [0.152, 0, 0]},
         "material": {"youngs_modulus": 1e6}},
        {"name": "bob", "kind": "rigid", "generator": {"kind": "sphere", "size": [0.05], "resolution": [1]}, "transform": {"translation": [0, -0.3, 0]}}],
      "attachments": [{"body": "glued", "to": "top", "tied": true}],
      "springs": [
        {"body": "top", "region": {"box": [[-1, 0.049, -1], [1, 0.051, 1]]}, "stiffness": 5e3, "damping": 20},
        {"body": "bob", "point": [0.02, -0.3, 0], "to": "top", "to_point": [0, -0.05, 0], "stiffness": 800, "length": "0.2 - 0.5 * t"},
        {"body": "bob", "to_point": [0.5, -0.3, 0], "stiffness": 100, "tension": "30 * t", "locked_from": 0.05},
        {"body": "bob", "to_point": [-0.5, -0.3, 0], "stiffness": 100, "tension": 2, "pull_only": true}]})",
     10},
    {"second_order_with_stiff_part", R"({"time": {"step": 0.01},
      "bodies": [{"order": 2, "generator": {"kind": "box", "size": [0.4, 0.1, 0.1], "resolution": [4, 1, 1]},
                  "material": {"youngs_modulus": 1e6}, "stiff_parts": [{"region": {"box": [[0.05, -1, -1], [1, 1, 1]]}}],
                  "motions": [{"region": {"box": [[-0.21, -1, -1], [-0.19, 1, 1]]}}]}]})",
     10},
    {"adapting",
     R"({"time": {"step": 0.01, "mass": "consistent"}, "contact": {"formulation": "convergent"}, "remesh": {},
      "half_spaces": [{"point": [0, -0.12, 0]}],
      "bodies": [{"generator": {"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [2]}, "material": {"youngs_modulus": 3e4},
                  "linear_velocity": [0, -2, 0]}]})",
     6},
};

Result<LoadedScene> in_units(const UnitScene& scene, const UnitSystem& units) {
  Result<LoadedScene> loaded = load_scene_text(scene.text, "scene", ".", {"solver.force_tolerance=1e-9"});
  if (!loaded) return loaded;
  loaded->scene = SceneInUnits(std::move(loaded->scene), units).convert();
  loaded->scene.custom_units = units;
  return loaded;
}

struct Motion {
  std::vector<VecX> positions;  ///< [m] after every step
  std::vector<int> directions, lags, contacts;
  double size = 0.0;  ///< [m]
};

Motion run(const UnitScene& scene, const UnitSystem& units) {
  RunningScene running(in_units(scene, units));
  Motion motion;
  motion.size = units.to_si(running.model().bbox_diagonal, dimension::length);
  for (int n = 0; n < scene.num_steps; ++n) {
    const StepReport report = running.step();
    motion.positions.push_back(running.state().x * units.length);
    motion.directions.push_back(report.newton_iterations + report.partial_iterations);
    motion.lags.push_back(report.friction_iterations);
    motion.contacts.push_back(report.num_contacts);
  }
  return motion;
}

/// Returns the largest difference of two motions as a share of the scene's size.
double difference(const Motion& a, const Motion& b) {
  double largest = 0.0;
  for (std::size_t n = 0; n < a.positions.size(); ++n) {
    if (a.positions[n].size() != b.positions[n].size()) return infinity;
    largest = std::max(largest, (a.positions[n] - b.positions[n]).cwiseAbs().maxCoeff() / a.size);
  }
  return largest;
}

class Units : public testing::TestWithParam<UnitScene> {};
INSTANTIATE_TEST_SUITE_P(Scenes, Units, testing::ValuesIn(unit_scenes),
                         [](const auto& test) { return test.param.name; });

TEST_P(Units, SystemsOfPowersOfTwoTakeTheSameDirections) {
  // Stiff bodies in friction with each other and hinges take other directions; the number behind it is not found
  // (decision 085).
  const std::string name = GetParam().name;
  if (name == "affine_and_rigid" || name == "hinge_with_limit_and_friction") GTEST_SKIP();
  const Motion expected = run(GetParam(), {});
  // Factors by powers of two change no bit of a mantissa, and powers of 64 keep square and cube roots exact. A number
  // of the program that has a dimension, but does not follow the units, shows as another direction.
  for (const UnitSystem& units :
       {UnitSystem{"test", 0x1p-12, 0x1p+12, 0x1p+6}, UnitSystem{"test", 0x1p+12, 0x1p-6, 0x1p-6}}) {
    const Motion motion = run(GetParam(), units);
    EXPECT_EQ(motion.directions, expected.directions);
    EXPECT_EQ(motion.lags, expected.lags);
    EXPECT_EQ(motion.contacts, expected.contacts);
    EXPECT_LE(difference(motion, expected), 1e-12);
  }
}

TEST_P(Units, NamedSystemsMoveAsInSi) {
  // Rounding decides where elements of the same merit adapt, and how a sheet that hangs by a corner folds.
  for (const char* sensitive : {"adapting", "attachments"}) {
    if (std::string(GetParam().name) == sensitive) GTEST_SKIP();
  }
  const Motion expected = run(GetParam(), {});
  for (const auto& known : EnumInfo<UnitSystemName>::values) {
    const Motion motion = run(GetParam(), unit_system(known.value));
    EXPECT_LE(difference(motion, expected), 1e-6) << known.name;
  }
}

}  // namespace
}  // namespace clearance
