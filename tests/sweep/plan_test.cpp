// Content of a plan, and every problem of a plan that cannot be followed.
#include "clearance/sweep/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "clearance/base/result.h"

namespace clearance::sweep {
namespace {

Result<Plan> parse(const std::string& text) {
  return parse_plan(text, "/plans/plan.json");
}

bool has_issue(const Issues& issues, const std::string& place, const std::string& part) {
  return std::any_of(issues.begin(), issues.end(), [&](const Issue& issue) {
    return issue.place == place && issue.message.find(part) != std::string::npos && issue.file == "/plans/plan.json";
  });
}

TEST(Plan, ReadsWhatItSays) {
  const auto plan = parse(R"({
    // comments are allowed
    "scene": "../scenes/drop.json",
    "parameters": [
      {"name": "height", "path": "bodies[0].transform.translation[1]", "values": [0.1, 0.2]},
      {"paths": ["friction.coefficient", "bodies[0].friction"], "from": 0, "to": 1, "count": 3},
      {"path": "bodies.type", "values": ["affine", "rigid"]}],
    "run": {"steps": 20, "threads": 2, "strict": true, "set": {"output.frame_interval": 5}},
    "collect": [{"stats": "energy.kinetic", "take": "max"}, {"probe": "wall.force_y", "name": "push"}],
    "picture": {"frame": 3, "color": "velocity", "size": [320, 200]}})");
  ASSERT_TRUE(plan) << to_string(plan.issues()[0]);
  EXPECT_EQ(plan->scene, "/scenes/drop.json");
  EXPECT_EQ(plan->sampling, Sampling::grid);
  ASSERT_EQ(plan->parameters.size(), 3U);
  EXPECT_EQ(plan->parameters[0].name, "height");
  EXPECT_EQ(plan->parameters[1].name, "friction.coefficient");
  EXPECT_EQ(Json(plan->parameters[1].values).dump(), "[0,0.5,1]");
  EXPECT_EQ(plan->steps, 20);
  EXPECT_EQ(plan->threads, 2);
  EXPECT_TRUE(plan->is_strict);
  EXPECT_EQ(plan->set, std::vector<std::string>{"output.frame_interval=5"});
  ASSERT_EQ(plan->collected.size(), 2U);
  EXPECT_EQ(plan->collected[0].name, "max energy.kinetic");
  EXPECT_EQ(plan->collected[0].reduction, Reduction::max);
  EXPECT_TRUE(plan->collected[1].is_probe);
  EXPECT_EQ(plan->collected[1].reduction, Reduction::last);
  EXPECT_EQ(plan->picture->width, 320);
}

TEST(Plan, TellsEveryProblemAtOnceWithItsPlace) {
  const auto plan = parse(R"({
    "parameters": [
      {"path": "a", "values": []},
      {"path": "b", "from": -1, "to": 1, "count": 3, "scale": "log"},
      {"values": [1]},
      {"path": "c", "values": [1], "distribution": "uniform"},
      {"path": "c", "valeus": [1]},
      {"path": "d=1", "from": 1, "to": 2, "count": 1}],
    "sampling": "gird",
    "run": {"steps": 0, "set": {"a": 1}},
    "collect": [{"take": "max"}, {"stats": "x", "take": "median"}],
    "picture": {"size": [1, 2]},
    "colect": []})");
  ASSERT_FALSE(plan);
  const Issues& issues = plan.issues();
  EXPECT_TRUE(has_issue(issues, "scene", "is missing"));
  EXPECT_TRUE(has_issue(issues, "sampling.kind", "expected one of"));
  EXPECT_TRUE(has_issue(issues, "parameters[0].values", "at least one"));
  EXPECT_TRUE(has_issue(issues, "parameters[1]", "above 0"));
  EXPECT_TRUE(has_issue(issues, "parameters[2].path", "is missing"));
  EXPECT_TRUE(has_issue(issues, "parameters[3].distribution", "belongs to"));
  EXPECT_TRUE(has_issue(issues, "parameters[4].valeus", "did you mean `values`"));
  EXPECT_TRUE(has_issue(issues, "parameters[4]", "has no values"));
  EXPECT_TRUE(has_issue(issues, "parameters[4]", "parameters[3] has the same"));
  EXPECT_TRUE(has_issue(issues, "parameters[5].path", "without `=`"));
  EXPECT_TRUE(has_issue(issues, "parameters[5].count", "at least 2"));
  EXPECT_TRUE(has_issue(issues, "run.steps", "whole number"));
  EXPECT_TRUE(has_issue(issues, "run.set", "is varied by parameters[0]"));
  EXPECT_TRUE(has_issue(issues, "collect[0]", "either `stats`"));
  EXPECT_TRUE(has_issue(issues, "collect[1].take", "expected one of"));
  EXPECT_TRUE(has_issue(issues, "picture.size", "from 16 to 2048"));
  EXPECT_TRUE(has_issue(issues, "colect", "did you mean `collect`"));
}

TEST(Plan, DrawnParametersNeedWhatTheirDistributionNeeds) {
  const auto plan = parse(R"({"scene": "s.json", "sampling": {"kind": "random", "seed": -1},
    "parameters": [{"path": "a", "from": 2, "to": 1}, {"path": "b", "distribution": "normal", "deviation": 0},
                   {"path": "c", "distribution": "choice"}, {"path": "d", "from": 0.5, "to": 3, "whole": true},
                   {"path": "e", "from": 0, "to": 1, "count": 3},
                   {"path": "f", "distribution": "gauss", "from": 1, "to": 0}]})");
  ASSERT_FALSE(plan);
  const Issues& issues = plan.issues();
  EXPECT_TRUE(has_issue(issues, "sampling.count", "is missing"));
  EXPECT_TRUE(has_issue(issues, "sampling.seed", "whole number"));
  EXPECT_TRUE(has_issue(issues, "parameters[0].to", "above `from`"));
  EXPECT_TRUE(has_issue(issues, "parameters[1].mean", "is missing"));
  EXPECT_TRUE(has_issue(issues, "parameters[1].deviation", "above 0"));
  EXPECT_TRUE(has_issue(issues, "parameters[2].values", "is missing"));
  EXPECT_TRUE(has_issue(issues, "parameters[3].whole", "whole numbers"));
  EXPECT_TRUE(has_issue(issues, "parameters[4].count", "this key is not known"));
  EXPECT_TRUE(has_issue(issues, "parameters[5].distribution", "expected one of"));
  EXPECT_TRUE(has_issue(issues, "parameters[5].to", "above `from`, which is 1"));
}

TEST(Plan, RefusesGridsThatNobodyCanRun) {
  const std::string axis = R"("from": 0, "to": 1, "count": 1000})";
  const auto plan =
      parse(R"({"scene": "s.json", "parameters": [{"path": "a", )" + axis + R"(, {"path": "b", )" + axis + "]}");
  ASSERT_FALSE(plan);
  EXPECT_TRUE(has_issue(plan.issues(), "parameters", "1e+06 runs"));
}

TEST(Plan, TwoPathsToOneValueAreRefused) {
  const auto plan = parse(R"({"scene": "s.json", "parameters": [
    {"path": "friction.coefficient", "values": [1]},
    {"path": "friction", "values": [{"coefficient": 2}]},
    {"name": "a", "path": "bodies[0].density", "values": [1]},
    {"name": "b", "path": "bodies[00].density", "values": [1]},
    {"name": "c", "path": "bodies[0].density", "values": [1]},
    {"paths": ["time", "time.step"], "values": [1]},
    {"name": "d", "path": "bodies.type", "values": ["rigid"]},
    {"name": "e", "path": "bodies[1].type", "values": ["rigid"]},
    {"name": "f", "path": "bodies[01].densities", "values": ["rigid"]}],
    "run": {"set": {"contact": {"dhat": 1}, "contact.dhat": 2, "gravity": 1, "friction": {"coefficient": 2},
                    "bodies[0]": {"density": 2}, "output.fields": [], "output": {}}}})");
  ASSERT_FALSE(plan);
  const Issues& issues = plan.issues();
  EXPECT_TRUE(has_issue(issues, "parameters[1]", "the same value as `friction.coefficient` of parameters[0]"));
  EXPECT_TRUE(has_issue(issues, "parameters[3]", "the same value as `bodies[0].density` of parameters[2]"));
  EXPECT_TRUE(has_issue(issues, "parameters[4]", "parameters[2] has the same path"));
  EXPECT_TRUE(has_issue(issues, "parameters[5]", "the same value as `time` of parameters[5]"));
  EXPECT_TRUE(has_issue(issues, "parameters[7]", "the same value as `bodies.type` of parameters[6]"));
  EXPECT_FALSE(has_issue(issues, "parameters[8]", ""));
  EXPECT_TRUE(has_issue(issues, "run.set", "`friction` is varied by parameters[0], whose path is"));
  EXPECT_TRUE(has_issue(issues, "run.set", "`bodies[0]` is varied by parameters[2]"));
  EXPECT_TRUE(has_issue(issues, "run.set", "`output` after `output.fields` sets all of it again"));
  EXPECT_FALSE(has_issue(issues, "run.set", "`contact"));
}

TEST(Plan, WhatIsSetAsAWholeMayBeVariedInAPartItDoesNotHave) {
  const auto plan = parse(R"({"scene": "s.json", "parameters": [{"path": "friction.coefficient", "values": [1]},
    {"path": "bodies[1].type", "values": ["rigid"]}],
    "run": {"set": {"friction": {"static": 0.4}, "bodies.type": "affine"}}})");
  EXPECT_TRUE(plan) << to_string(plan.issues()[0]);
}

TEST(Plan, ListsHaveAsManyValuesEverywhere) {
  const auto plan = parse(R"({"scene": "s.json", "sampling": "list",
    "parameters": [{"path": "a", "values": [1, 2]}, {"path": "b", "values": [1, 2, 3]}]})");
  ASSERT_FALSE(plan);
  EXPECT_TRUE(has_issue(plan.issues(), "parameters[1]", "has 3 values"));
}

TEST(Overrides, BringBackTheSameValue) {
  EXPECT_EQ(overrides_of({"a", "b"}, 0.1), (std::vector<std::string>{"a=0.1", "b=0.1"}));
  EXPECT_EQ(overrides_of({"a"}, 1.0 / 3.0)[0], "a=0.3333333333333333");
  EXPECT_EQ(overrides_of({"bodies.type"}, "rigid")[0], "bodies.type=rigid");
  // A text that looks like a number stays a text.
  EXPECT_EQ(overrides_of({"a"}, "3")[0], "a=\"3\"");
  EXPECT_EQ(overrides_of({"a"}, Json::array({1, 2.5}))[0], "a=[1,2.5]");
}

TEST(Plan, ASceneInPlaceOfAPlanIsToldOnce) {
  const auto plan = parse(R"({"time": {"step": 0.01}, "bodies": [], "gravity": [0, -9.81, 0]})");
  ASSERT_FALSE(plan);
  EXPECT_TRUE(has_issue(plan.issues(), "", "this is a scene; expected a plan"));
  for (const Issue& issue : plan.issues()) {
    EXPECT_EQ(issue.message.find("not known"), std::string::npos) << issue.message;
  }
}

TEST(Plan, UnknownKeysAreToldBesideEachKnownKeyOnce) {
  const auto plan = parse(R"({"scene": "a.json", "wibbledy": 3, "parameters": [{"path": "a", "values": [1, 2]}]})");
  ASSERT_FALSE(plan);
  for (const Issue& issue : plan.issues()) {
    const std::size_t first = issue.message.find("`scene`");
    EXPECT_TRUE(first == std::string::npos || issue.message.find("`scene`", first + 1) == std::string::npos);
  }
  EXPECT_TRUE(has_issue(plan.issues(), "wibbledy", "`scene`"));
}

}  // namespace
}  // namespace clearance::sweep
