// Linear elasticity is right only for small rotations: larger ones are reported, with the body.
#include "simulation/running_scene.h"

namespace clearance {
namespace {

std::string turning(const std::string& shape, const std::string& material, const std::string& more = "", int dim = 3) {
  const std::string spin = dim == 3 ? "[0, 0, 100]" : "100";
  return R"({"dimension": )" + std::to_string(dim) + R"(, "gravity": )" + (dim == 3 ? "[0, 0, 0]" : "[0, 0]") +
         R"(, "time": {"step": 0.01}, "contact": {"enabled": false}, "bodies": [{"name": "b", "generator": )" + shape +
         R"(, "angular_velocity": )" + spin + R"(, "material": {"model": ")" + material + R"("})" + more + "}]}";
}
const char* const cube = R"({"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]})";
const char* const square = R"({"kind": "rectangle", "size": [0.1, 0.1], "resolution": [2, 2]})";

LargeRotation after(const std::string& json, int steps) {
  RunningScene scene(json);
  for (int i = 0; i < steps; ++i) scene.simulation().step();
  return scene.simulation().large_rotation();
}

TEST(LargeRotation, OfLinearElasticityIsFound) {
  for (const std::string& json :
       {turning(cube, "linear_elasticity"), turning(cube, "linear_elasticity", R"(, "order": 2)"),
        turning(square, "linear_elasticity", "", 2), turning(square, "linear_elasticity", R"(, "order": 3)", 2)}) {
    const LargeRotation found = after(json, 20);
    EXPECT_EQ(found.body, 0) << json;
    EXPECT_GT(found.angle, large_rotation_limit) << json;
  }
}

TEST(LargeRotation, BelowTenDegreesIsNone) {
  EXPECT_EQ(after(turning(cube, "linear_elasticity"), 5).body, -1);
  EXPECT_EQ(after(turning(square, "linear_elasticity", "", 2), 5).body, -1);
}

TEST(LargeRotation, OfOtherMaterialsIsNone) {
  for (const char* material : {"neo_hookean", "st_venant_kirchhoff", "fixed_corotational"}) {
    EXPECT_EQ(after(turning(cube, material), 20).body, -1) << material;
  }
}

TEST(LargeRotation, OfAPartOfLinearElasticityIsFound) {
  // The part resists the turn, and so it must be small.
  const std::string fine_cube = R"({"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [3]})";
  const std::string part = R"(, "material_parts": [{"elements": [0], "material": {"model": "linear_elasticity"}}])";
  EXPECT_EQ(after(turning(fine_cube, "neo_hookean", part), 20).body, 0);
}

}  // namespace
}  // namespace clearance
