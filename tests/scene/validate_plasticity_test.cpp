// Validation of materials that yield: what they need, and what cannot yield.
#include <gtest/gtest.h>

#include <functional>

#include "clearance/scene/json_reader.h"
#include "clearance/scene/validate.h"

namespace clearance {
namespace {

using Lines = std::vector<std::string>;

SceneDesc good_scene() {
  SceneDesc scene;
  scene.bodies.resize(1);
  scene.bodies[0].name = "cube";
  scene.bodies[0].mesh = "cube.msh";
  scene.bodies[0].material.youngs_modulus = 1e8;
  scene.bodies[0].material.yield_stress = 1e6;
  scene.bodies[0].material.hardening_modulus = 1e5;
  return scene;
}

Lines problems(const std::function<void(BodyDesc&)>& change) {
  SceneDesc scene = good_scene();
  change(scene.bodies[0]);
  Lines lines;
  for (const Issue& issue : validate(scene)) lines.push_back(to_string(issue));
  return lines;
}

Lines problems_of_curve(const std::vector<std::array<double, 2>>& curve) {
  return problems([&](BodyDesc& body) {
    body.material.yield_stress.reset();
    body.material.hardening_modulus = 0.0;
    body.material.hardening = curve;
  });
}

const std::string softening = "softening is not supported: the result would depend on the size of the elements";

TEST(ValidatePlasticity, AcceptsYieldStressesAndCurves) {
  EXPECT_EQ(problems([](BodyDesc&) {}), Lines{});
  EXPECT_EQ(problems([](BodyDesc& body) { body.material.hardening_modulus = 0.0; }), Lines{});
  EXPECT_EQ(problems_of_curve({{0.0, 1e6}}), Lines{});
  EXPECT_EQ(problems_of_curve({{0.0, 1e6}, {0.1, 2e6}, {0.2, 2e6}}), Lines{});
}

TEST(ValidatePlasticity, NamesWhatIsWrongWithTheYieldStress) {
  EXPECT_EQ(problems([](BodyDesc& body) {
              body.material.hardening_modulus = 0.0;
              body.material.hardening = {{0.0, 1e6}};
            }),
            Lines{"bodies[0].material.hardening: the yield stress is given twice; remove `yield_stress`, with "
                  "`hardening_modulus`, or `hardening`"});
  EXPECT_EQ(
      problems([](BodyDesc& body) { body.material.yield_stress.reset(); }),
      Lines{"bodies[0].material.hardening_modulus: a material without `yield_stress` does not yield; give one, or "
            "remove this key (got 100000)"});
  EXPECT_EQ(problems([](BodyDesc& body) { body.material.hardening_modulus = -1e5; }),
            Lines{"bodies[0].material.hardening_modulus: " + softening + " (got -100000)"});
  EXPECT_EQ(
      problems([](BodyDesc& body) {
        body.material.yield_stress.reset();
        body.material.hardening = {{0.0, 1e6}};
      }),
      Lines{"bodies[0].material.hardening_modulus: the curve `hardening` has slopes of its own; remove one of the "
            "two (got 100000)"});
}

TEST(ValidatePlasticity, NamesWhatIsWrongWithTheCurve) {
  const std::string at = "bodies[0].material.hardening";
  EXPECT_EQ(
      problems_of_curve({{0.01, 1e6}, {0.1, 2e6}}),
      Lines{at + "[0][0]: the curve must begin at the plastic strain 0, with the stress of first yield (got 0.01)"});
  EXPECT_EQ(problems_of_curve({{0.0, 1e6}, {0.1, 2e6}, {0.1, 3e6}}),
            Lines{at + "[2][0]: plastic strains must increase; expected more than 0.1 (got 0.1)"});
  EXPECT_EQ(problems_of_curve({{0.0, 0.0}, {0.1, 2e6}}), Lines{at + "[0][1]: a yield stress must be positive (got 0)"});
  EXPECT_EQ(problems_of_curve({{0.0, 2e6}, {0.1, 1e6}}), Lines{at + "[1][1]: " + softening + " (got 1e+06)"});
}

TEST(ValidatePlasticity, ChecksPartsToo) {
  EXPECT_EQ(problems([](BodyDesc& body) {
              MaterialPartDesc part;
              part.elements = {0};
              part.material.hardening_modulus = 1.0;
              body.material_parts = {part};
            }),
            Lines{"bodies[0].material_parts[0].material.hardening_modulus: a material without `yield_stress` does not "
                  "yield; give one, or remove this key (got 1)"});
}

TEST(ValidatePlasticity, TellsOfBodiesThatDoNotYield) {
  const auto of_kind = [](BodyKind kind) {
    return problems([&](BodyDesc& body) {
      body.kind = kind;
      body.material.youngs_modulus = MaterialDesc{}.youngs_modulus;
      if (is_thin(kind)) body.thickness = 0.01;
    });
  };
  EXPECT_EQ(of_kind(BodyKind::shell),
            Lines{"bodies[0].material.yield_stress: a body of kind shell does not yield "
                  "where it is stretched; for bending use `shell.yield_curvature`, else remove "
                  "this key"});
  EXPECT_EQ(
      of_kind(BodyKind::rod),
      Lines{"bodies[0].material.yield_stress: a body of kind rod does not yield where it is stretched; for bending "
            "use `rod.yield_curvature`, else remove this key"});
  const auto without_effect = [](const std::string& kind) {
    return "bodies[0].material.yield_stress: warning: this key has no effect on a body of kind " + kind;
  };
  EXPECT_EQ(of_kind(BodyKind::rigid), Lines{without_effect("rigid")});
  EXPECT_EQ(of_kind(BodyKind::affine), Lines{without_effect("affine")});
  EXPECT_EQ(of_kind(BodyKind::particles), Lines{without_effect("particles")});
  EXPECT_EQ(of_kind(BodyKind::obstacle).back(), without_effect("obstacle"));
}

TEST(ValidatePlasticity, RefusesElementsThatAdapt) {
  SceneDesc scene = good_scene();
  scene.remesh.emplace();
  scene.time.mass = MassKind::consistent;
  scene.contact.options = ConvergentOptions{};
  const Issues issues = validate(scene);
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].place, "bodies[0].material.yield_stress");
  EXPECT_NE(issues[0].message.find("`remesh`"), std::string::npos);
}

TEST(ValidatePlasticity, TellsThatTheLawHasNoEffect) {
  const Lines lines = problems([](BodyDesc& body) { body.material.model = ElasticModel::linear_elasticity; });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("bodies[0].material.model: warning: this key has no effect on a material that yields"),
            std::string::npos)
      << lines[0];
}

TEST(ValidatePlasticity, CurvesAreReadAsPairs) {
  Issues issues;
  const SceneDesc scene = scene_from_json(
      Json::parse(R"({"bodies": [{"mesh": "a.msh", "material": {"hardening": [[0, 1e6], [0.1, 2e6]]}}]})"), issues);
  EXPECT_TRUE(issues.empty());
  const std::vector<std::array<double, 2>> expected = {{0.0, 1e6}, {0.1, 2e6}};
  EXPECT_EQ(scene.bodies.at(0).material.hardening, expected);
}

TEST(ValidatePlasticity, NumbersThatNoMaterialHasAreWarnedOf) {
  const auto warns = [](const std::function<void(MaterialDesc&)>& change, const std::string& start) {
    const Lines lines = problems([&](BodyDesc& body) { change(body.material); });
    return lines.size() == 1 && lines[0].starts_with("bodies[0].material." + start);
  };
  // 250 MPa as 250 Pa, and above Young's modulus.
  EXPECT_TRUE(
      warns([](MaterialDesc& m) { m.yield_stress = 50.0; }, "yield_stress: warning: this yield stress is 5e-07"));
  EXPECT_TRUE(
      warns([](MaterialDesc& m) { m.yield_stress = 2e8; }, "yield_stress: warning: this yield stress is 2 times"));
  EXPECT_TRUE(warns([](MaterialDesc& m) { m.hardening_modulus = 1e9; }, "hardening_modulus: warning: the material"));
  EXPECT_EQ(problems_of_curve({{0.0, 1e6}, {5.0, 2e6}}),
            Lines{"bodies[0].material.hardening: warning: strains above 2 look like percent; 5 % is 0.05 (got 5)"});
}

}  // namespace
}  // namespace clearance
