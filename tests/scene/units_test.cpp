// The key `units` of a scene: defaults are the same physical amounts in every system.
#include <gtest/gtest.h>

#include "clearance/scene/default_units.h"
#include "clearance/scene/json_reader.h"
#include "clearance/scene/json_writer.h"
#include "clearance/scene/range_check.h"
#include "clearance/scene/validate.h"

namespace clearance {
namespace {

SceneDesc read(const std::string& text, bool is_valid = true) {
  Issues issues;
  SceneDesc scene = scene_from_json(Json::parse(text), issues);
  EXPECT_EQ(!has_errors(issues), is_valid) << (issues.empty() ? "" : to_string(issues.front()));
  return scene;
}

TEST(SceneUnits, NamesOfTheTableAreThoseOfTheSystems) {
  for (const auto& known : EnumInfo<UnitSystemName>::values) {
    EXPECT_EQ(unit_system(known.value).name, known.name);
    EXPECT_EQ(find_unit_system(known.name), &unit_system(known.value));
  }
}

TEST(SceneUnits, DefaultsAreConvertedWhereverTheyStand) {
  const SceneDesc scene = read(R"({"units": "mm-N-MPa", "bodies": [
    {"generator": {"kind": "box"}, "material_parts": [{"elements": [0], "material": {"youngs_modulus": 5}}],
     "stiff_parts": [{}], "array": {"counts": [2, 1, 1]}, "inertia": {}, "rod": {}, "shell": {"orthotropy": {}}},
    {"kind": "rigid", "generator": {"kind": "box", "size": [1, 2, 3]}}]})");
  EXPECT_EQ(scene.gravity[1], -9806.65);
  EXPECT_EQ(scene.time.step, 0.01);
  const BodyDesc& body = scene.bodies[0];
  EXPECT_EQ(body.material.density, 1e-9);
  EXPECT_EQ(body.material.youngs_modulus, 0.1);
  EXPECT_EQ(body.material.poisson_ratio, 0.4);
  EXPECT_EQ(body.material_parts[0].material.density, 1e-9);
  EXPECT_EQ(body.material_parts[0].material.youngs_modulus, 5.0);
  EXPECT_EQ(body.stiff_parts[0].density, 1e-9);
  EXPECT_EQ(body.array->spacing[0], 1e3);
  EXPECT_EQ(body.generator->size[0], 1e3);
  EXPECT_EQ(body.inertia->moments[0], 1e3);
  EXPECT_EQ(body.shell->orthotropy->shear_modulus, 0.1);
  EXPECT_EQ(scene.bodies[1].generator->size[2], 3.0);
  EXPECT_EQ(scene.contact.dhat, 1e-3) << "relative";
}

TEST(SceneUnits, DefaultsOfAbsoluteKeysAreLengthsAndSpeeds) {
  const std::string flags = R"("contact": {"dhat_is_absolute": true}, "friction": {"eps_v_is_absolute": true},
                               "solver": {"tolerance_is_absolute": true}, "bodies": []})";
  const SceneDesc scene = read(R"({"units": "mm-kN-GPa", )" + flags);
  EXPECT_DOUBLE_EQ(scene.contact.dhat, 1.0);
  EXPECT_DOUBLE_EQ(scene.contact.close_distance, 1e-6);
  EXPECT_DOUBLE_EQ(scene.friction.eps_v, 1e-3);
  EXPECT_DOUBLE_EQ(scene.solver.tolerance, 1e-2);
  // Relative speeds are shares of a length per time.
  const SceneDesc relative = read(R"({"units": "mm-kN-GPa", "bodies": []})");
  EXPECT_DOUBLE_EQ(relative.friction.eps_v, 1e-6);
  EXPECT_DOUBLE_EQ(relative.solver.tolerance, 1e-5);
  EXPECT_DOUBLE_EQ(relative.time.step, 10.0);
  const SceneDesc given =
      read(R"({"units": "mm-kN-GPa", "contact": {"dhat_is_absolute": true, "dhat": 0.5}, "bodies": []})");
  EXPECT_EQ(given.contact.dhat, 0.5);
}

TEST(SceneUnits, ScenesWithoutTheKeyAreInSi) {
  const std::string rest = R"("bodies": [{"generator": {"kind": "box"}}]})";
  SceneDesc without = read("{" + rest), with = read(R"({"units": "m-N-Pa", )" + rest);
  EXPECT_FALSE(without.units);
  EXPECT_FALSE(read(R"({"units": null, )" + rest).units);
  EXPECT_EQ(with.units, UnitSystemName::m_n_pa);
  with.units.reset();
  EXPECT_EQ(scene_to_json(without), scene_to_json(with));
}

TEST(SceneUnits, WrittenScenesKeepKeyAndNumbers) {
  for (const auto& known : EnumInfo<UnitSystemName>::values) {
    const SceneDesc scene = read(R"({"units": ")" + std::string(known.name) + R"(", "bodies": [{"generator": {}}]})");
    const std::string text = scene_to_json(scene);
    EXPECT_EQ(scene_to_json(read(text)), text) << known.name;
  }
}

TEST(SceneUnits, AnUnknownSystemIsRefusedWithTheKnownOnes) {
  Issues issues;
  scene_from_json(Json::parse(R"({"units": "mm-n-mpa", "bodies": []})"), issues);
  ASSERT_TRUE(has_errors(issues));
  const std::string text = to_string(issues.front());
  for (const char* phrase : {"units: ", "mm-N-MPa", "in-lbf-psi", "did you mean"}) {
    EXPECT_NE(text.find(phrase), std::string::npos) << phrase << ": " << text;
  }
}

TEST(SceneUnits, DefaultsThatAreConvertedDoNotCountAsGiven) {
  const std::string rest = R"("bodies": [{"name": "a", "kind": "rigid", "generator": {"kind": "sphere"}},
                                         {"name": "b", "kind": "affine", "generator": {"kind": "box"}}]})";
  const auto told = [&](const std::string& units) {
    std::vector<std::string> lines;
    for (const Issue& issue : validate(read("{" + units + rest))) lines.push_back(to_string(issue));
    return lines;
  };
  EXPECT_EQ(told(R"("units": "mm-N-MPa", )"), told(""));
}

TEST(SceneUnits, RangesNameTheUnitsOfTheScene) {
  const SceneDesc scene =
      read(R"({"units": "mm-N-MPa", "bodies": [{"material": {"density": -1, "youngs_modulus": 0}}]})");
  Issues issues;
  check_ranges(scene, issues);
  ASSERT_EQ(issues.size(), 2u);
  EXPECT_NE(to_string(issues[0]).find("[t/mm^3 (2D: t/mm^2)]"), std::string::npos) << to_string(issues[0]);
  EXPECT_NE(to_string(issues[1]).find("[MPa]"), std::string::npos) << to_string(issues[1]);
}

// The units of the table are read when the program is compiled: a wrong one is an error of the compiler.
static_assert(unit_text::of("N m s/rad or N s/m") == Dimension{2, 1, -1});
static_assert(unit_text::of("kg/m^3 (2D: kg/m^2)") == dimension::density);
static_assert(unit_text::of("m/s^2, Pa, N or N m") == dimension::acceleration);
static_assert(unit_text::of("l/s or m/s") == Dimension{0, 0, -1});
static_assert(unit_text::of("as frame") == Dimension{});

}  // namespace
}  // namespace clearance
