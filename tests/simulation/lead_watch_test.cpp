// Warnings of bodies that steps of implicit Euler move ahead of their velocities.
#include "clearance/simulation/lead_watch.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns a block that slides down a slope of 20 degrees from rest for half a second, in a frame whose y axis is the
/// normal of the slope.
std::string sliding_block(const std::string& kind, const std::string& integrator, double friction, int steps) {
  const double g = 9.80665, angle = 20.0 * std::numbers::pi / 180.0;
  const bool is_soft = kind == "deformable";
  return fmt::format(
      R"({{"gravity": [{}, {}, 0], "time": {{"step": {}, "duration": 0.5{}}}, "friction": {{"coefficient": {}}},
        "bodies": [{{"name": "block", "kind": "{}", "generator": {{"kind": "box", "size": [0.2, 0.1, 0.2],
          "resolution": [{}]}}, "transform": {{"translation": [0, 0.0504, 0]}},
          "material": {{"density": 1000{}}}}}],
        "half_spaces": [{{"point": [0, 0, 0]}}]}})",
      g * std::sin(angle), -g * std::cos(angle), 0.5 / steps,
      integrator.empty() ? "" : fmt::format(R"(, "integrator": "{}")", integrator), friction, kind,
      is_soft ? "3, 3, 3" : "1, 1, 1", is_soft ? R"(, "youngs_modulus": 2e7, "poisson_ratio": 0.3)" : "");
}

std::vector<RunWarning> warnings_of(const std::string& json, int steps) {
  RunningScene scene(json);
  LeadWatch watch(scene.simulation());
  for (int i = 0; i < steps; ++i) {
    scene.step();
    watch.add_step(scene.simulation());
  }
  return watch.warnings();
}

// From rest, n steps move a body by 1 + 1 / n times the right way: 5.9 % too far with 17. With friction near the limit
// the energy account has no share above 1 % of the work of weight, and nothing was said.
TEST(LeadWatch, TellsTheShareOfTheWayThatImplicitEulerIsAhead) {
  for (const double friction : {0.0, 0.1, 0.3}) {
    SCOPED_TRACE(friction);
    const std::vector<RunWarning> warnings = warnings_of(sliding_block("rigid", "implicit_euler", friction, 17), 17);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0].name, "coarse_step");
    EXPECT_NE(warnings[0].message.find("'block'"), std::string::npos) << warnings[0].message;
  }
  // The default takes such steps where deformable bodies touch something.
  EXPECT_EQ(warnings_of(sliding_block("deformable", "", 0.1, 17), 17).size(), 1u);
}

TEST(LeadWatch, IsSilentWhereStepsAreOfSecondOrderOrMany) {
  EXPECT_TRUE(warnings_of(sliding_block("rigid", "", 0.1, 17), 17).empty());
  EXPECT_TRUE(warnings_of(sliding_block("rigid", "bdf2_restarted", 0.1, 17), 17).empty());
  EXPECT_TRUE(warnings_of(sliding_block("rigid", "implicit_euler", 0.1, 40), 40).empty());
}

TEST(LeadWatch, IsSilentOfBodiesThatRest) {
  // On the slope, and after a fall of which each step is ahead.
  EXPECT_TRUE(warnings_of(sliding_block("rigid", "implicit_euler", 0.5, 17), 17).empty());
  const std::string fall = R"({"time": {"step": 0.03, "duration": 0.6, "integrator": "implicit_euler"},
    "bodies": [{"name": "box", "kind": "rigid", "generator": {"kind": "box", "size": [0.2, 0.2, 0.2],
      "resolution": [1, 1, 1]}, "transform": {"translation": [0, 0.6, 0]}}],
    "half_spaces": [{"point": [0, 0, 0]}]})";
  EXPECT_TRUE(warnings_of(fall, 20).empty());
  EXPECT_EQ(warnings_of(fall, 8).size(), 1u);
}

}  // namespace
}  // namespace clearance
