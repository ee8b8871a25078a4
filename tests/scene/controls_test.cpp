#include "clearance/scene/controls.h"

#include <gtest/gtest.h>

#include "clearance/scene/expression.h"
#include "clearance/scene/validate.h"

namespace clearance {
namespace {

SceneDesc ball_with(std::vector<ControlDesc> controls, const std::string& formula) {
  SceneDesc scene;
  scene.bodies.emplace_back();
  scene.bodies[0].name = "ball";
  scene.bodies[0].generator = GeneratorDesc{.kind = GeneratorKind::sphere, .size = {1.0}};
  LoadDesc load;
  load.expression = Expressions{formula, "0", "0"};
  scene.bodies[0].loads.push_back(load);
  scene.controls = std::move(controls);
  return scene;
}

std::string first_error(const SceneDesc& scene) {
  for (const Issue& issue : validate(scene)) {
    if (issue.severity == Severity::error) return to_string(issue);
  }
  return "";
}

TEST(Controls, AreNamesOfAllFormulas) {
  const Controls controls{{"pull", "a_2"}, {3.0, 0.5}, {}};
  EXPECT_EQ(evaluate_time_formula("2 * pull + a_2 * t", "here", 4.0, controls).value(), 8.0);
  const std::array points = {Vec<3>(1, 2, 3), Vec<3>(4, 5, 6)};
  const auto values = evaluate({"pull * x", "y", "a_2"}, "here", 0.0, points, controls);
  ASSERT_TRUE(values);
  EXPECT_EQ((*values)[0], Vec<3>(3, 2, 0.5));
  EXPECT_EQ((*values)[1], Vec<3>(12, 5, 0.5));
}

TEST(Controls, AreKnownToTheChecks) {
  EXPECT_EQ(first_error(ball_with({{"pull", 1.0}}, "pull * sin(t)")), "");
  EXPECT_EQ(first_error(ball_with({}, "pull")).substr(0, 60),
            "bodies[0].loads[0].expression[0]: unknown name `pull` at cha");
  const std::string unknown = first_error(ball_with({{"pull", 1.0}}, "pul"));
  EXPECT_NE(unknown.find(", mod, pull"), std::string::npos) << unknown;
}

TEST(Controls, HaveNamesThatFormulasCanTell) {
  for (const char* name : {"t", "x", "pi", "sin", "atan2", "mod"}) {
    EXPECT_EQ(first_error(ball_with({{name, 0.0}}, "0")),
              "controls[0].name: formulas already use this name for something else; choose another one (got \"" +
                  std::string(name) + "\")");
  }
  for (const char* name : {"", "1a", "a b", "a-b", "\xc3\xa4"}) {
    EXPECT_EQ(first_error(ball_with({{name, 0.0}}, "0")).substr(0, 35), "controls[0].name: expected letters,");
  }
  EXPECT_EQ(first_error(ball_with({{"a", 0.0}, {"a", 1.0}}, "a")),
            "controls[1].name: another control has this name (got \"a\")");
}

TEST(Controls, ThatNothingUsesAreWarnedOf) {
  const auto warnings = [](const std::string& formula) {
    std::string text;
    for (const Issue& issue : validate(ball_with({{"pull", 1.0}}, formula))) text += to_string(issue);
    return text;
  };
  EXPECT_EQ(warnings("2 * pull"), "");
  EXPECT_NE(warnings("2 * t").find(
                "controls[0].name: warning: the control has no effect, because no drive, effort, rest, length"),
            std::string::npos);
}

}  // namespace
}  // namespace clearance
