// Validation of materials of parts, nodes on slides and formulas for the velocity.
#include <gtest/gtest.h>

#include <functional>

#include "clearance/scene/validate.h"

namespace clearance {
namespace {

using Lines = std::vector<std::string>;

Lines problems(const std::function<void(SceneDesc&)>& change) {
  SceneDesc scene;
  scene.bodies.resize(2);
  scene.bodies[0].name = "cube";
  scene.bodies[0].mesh = "cube.msh";
  scene.bodies[1].name = "floor";
  scene.bodies[1].mesh = "floor.obj";
  scene.bodies[1].kind = BodyKind::obstacle;
  change(scene);
  Lines lines;
  for (const Issue& issue : validate(scene)) lines.push_back(to_string(issue));
  return lines;
}

TEST(ValidateParts, HaveElementsOrARegion) {
  const auto of = [](const MaterialPartDesc& part, std::size_t body = 0) {
    return problems([&](SceneDesc& scene) { scene.bodies[body].material_parts = {part}; });
  };
  const MaterialPartDesc listed{.elements = {1, 2}, .region = {}, .material = {}};
  EXPECT_EQ(of(listed), Lines{});
  EXPECT_EQ(of({.elements = {}, .region = RegionDesc{}, .material = {}}), Lines{});
  const Lines expected = {"bodies[0].material_parts[0]: a material part needs either `elements` or a `region`"};
  EXPECT_EQ(of({}), expected);
  EXPECT_EQ(of({.elements = {1}, .region = RegionDesc{}, .material = {}}), expected);
  EXPECT_EQ(of(listed, 1), Lines{"bodies[1].material_parts: only a deformable body can be made of several materials"});
  EXPECT_EQ(of({.elements = {-1}, .region = {}, .material = {.density = -1.0}}),
            (Lines{"bodies[0].material_parts[0].elements[0]: must be at least 0 (got -1)",
                   "bodies[0].material_parts[0].material.density: must be above 0 [kg/m^3 (2D: kg/m^2)] (got -1)"}));
}

TEST(ValidateParts, DensitiesOfElementsAreOfDeformableBodies) {
  const auto of = [](std::size_t body, const std::vector<double>& densities) {
    return problems([&](SceneDesc& scene) { scene.bodies[body].element_densities = densities; });
  };
  EXPECT_EQ(of(0, {1.0, 2.0}), Lines{});
  EXPECT_EQ(of(0, {1.0, 0.0}), Lines{"bodies[0].element_densities[1]: must be above 0 [kg/m^3 (2D: kg/m^2)] (got 0)"});
  EXPECT_EQ(of(1, {1.0}), Lines{"bodies[1].element_densities: only deformable bodies have elements; remove this key"});
}

TEST(ValidateParts, ComponentsAreOfDeformableBodies) {
  const auto of = [](std::size_t body, const std::array<bool, 3>& components, int dimension = 3) {
    return problems([&](SceneDesc& scene) {
      scene.dimension = dimension;
      scene.bodies[body].motions.resize(1);
      scene.bodies[body].motions[0].components = components;
    });
  };
  EXPECT_EQ(of(0, {true, false, false}), Lines{});
  EXPECT_EQ(of(0, {false, false, false}),
            Lines{"bodies[0].motions[0].components: the motion prescribes no component; remove the motion"});
  EXPECT_EQ(of(0, {false, false, true}, 2),
            Lines{"bodies[0].motions[0].components: the motion prescribes no component; remove the motion"});
  EXPECT_EQ(of(1, {true, false, true}),
            Lines{"bodies[1].motions[0].components: only deformable and thin bodies can have "
                  "nodes with some components prescribed and others free"});
}

TEST(ValidateParts, VelocityFormulasAreOfDeformableBodies) {
  const auto of = [](std::size_t body, const Expressions& velocity) {
    return problems([&](SceneDesc& scene) { scene.bodies[body].velocity = velocity; });
  };
  EXPECT_EQ(of(0, {"x", "0", "2 * y"}), Lines{});
  EXPECT_EQ(of(1, {"x", "0", "0"}),
            Lines{"bodies[1].velocity: only deformable and thin bodies can have formulas for their velocity"});
  const Lines lines = of(0, {"w", "0", "0"});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("bodies[0].velocity[0]: unknown name `w`")) << lines[0];
}

TEST(ValidateParts, RefinementsAreFew) {
  EXPECT_EQ(problems([](SceneDesc& scene) { scene.bodies[0].refinements = 9; }),
            Lines{"bodies[0].refinements: must be between 0 and 8 (got 9)"});
}

}  // namespace
}  // namespace clearance
