// Defaults that depend on the format of a scene and on its bodies.
#include <gtest/gtest.h>

#include "clearance/scene/json_reader.h"

namespace clearance {
namespace {

SceneDesc read(const std::string& keys, const std::string& kind) {
  Issues issues;
  SceneDesc scene = scene_from_json(Json::parse("{" + keys + R"("bodies": [{"kind": ")" + kind +
                                                R"(", "generator": {"kind": "box", "size": [1, 1, 1]}}]})"),
                                    issues);
  EXPECT_FALSE(has_errors(issues));
  return scene;
}

TEST(FormatDefaults, BodiesAreIntegratedWithTheSecondOrderUntilTheyTouch) {
  EXPECT_EQ(read("", "rigid").time.integrator, TimeIntegrator::bdf2_in_flight);
  EXPECT_EQ(read(R"("format": "clearance/3", )", "affine").time.integrator, TimeIntegrator::bdf2_in_flight);
  EXPECT_EQ(read("", "deformable").time.integrator, TimeIntegrator::bdf2_in_flight);
  const std::string floor = R"("half_spaces": [{"point": [0, 0, 0]}], )";
  EXPECT_EQ(read(floor + R"("time": {"accuracy": 0.01}, )", "deformable").time.integrator,
            TimeIntegrator::bdf2_restarted);
  EXPECT_EQ(read(R"("remesh": {}, )", "deformable").time.integrator, TimeIntegrator::implicit_euler);
  EXPECT_EQ(read(R"("time": {"step": 0.1}, )", "rigid").time.integrator, TimeIntegrator::bdf2_in_flight);
  EXPECT_EQ(read(R"("time": {"integrator": "implicit_euler"}, )", "rigid").time.integrator,
            TimeIntegrator::implicit_euler);
}

TEST(FormatDefaults, OlderFormatsKeepTheirs) {
  for (const char* format : {R"("format": "clearance/1", )", R"("format": "clearance/2", )"}) {
    const SceneDesc scene = read(format, "rigid");
    EXPECT_EQ(scene.time.integrator, TimeIntegrator::implicit_euler) << format;
    EXPECT_EQ(scene.time.mass, MassKind::lumped) << format;
    EXPECT_EQ(scene.contact.gap_tolerance, 0.0) << format;
    EXPECT_EQ(scene.statics.quadratic_elements, 0) << format;
  }
  EXPECT_EQ(read("", "rigid").time.mass, MassKind::consistent);
  EXPECT_EQ(read("", "rigid").contact.gap_tolerance, 0.01);
  EXPECT_GT(read("", "rigid").statics.quadratic_elements, 0);
}

TEST(FormatDefaults, UnknownFormatIsRefusedWithTheNewestName) {
  Issues issues;
  scene_from_json(Json::parse(R"({"format": "clearance/9", "bodies": []})"), issues);
  ASSERT_TRUE(has_errors(issues));
  EXPECT_NE(to_string(issues.front()).find("clearance/3"), std::string::npos);
}

}  // namespace
}  // namespace clearance
