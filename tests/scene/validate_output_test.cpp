// Validation of a run's output: every mistake is named with its place and what was probably meant.
#include <gtest/gtest.h>

#include "clearance/scene/json_reader.h"
#include "clearance/scene/validate.h"

namespace clearance {
namespace {

Issues issues_of(const std::string& output) {
  Issues issues;
  SceneDesc scene = scene_from_json(Json::parse(R"({
    "half_spaces": [{}],
    "bodies": [
      {"name": "bar", "generator": {"kind": "box"}, "motions": [{}]},
      {"name": "arm", "kind": "rigid", "generator": {"kind": "box"}, "array": {"counts": [2, 1, 1]}},
      {"name": "floor", "kind": "obstacle", "generator": {"kind": "box"}}],
    "joints": [{"name": "elbow", "bodies": ["arm[0]", "arm[1]"]}],
    "output": )" + output + "}"),
                                    issues);
  const Issues found = validate(scene);
  issues.insert(issues.end(), found.begin(), found.end());
  return issues;
}

std::string only_issue(const std::string& probe) {
  const Issues issues = issues_of(R"({"probes": [)" + probe + "]}");
  EXPECT_EQ(issues.size(), 1u) << probe;
  return issues.empty() ? "" : to_string(issues.front());
}
void expect_says(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks " << part;
}

TEST(ValidateOutput, AcceptsEveryKindOfProbe) {
  const Issues issues = issues_of(R"({"fields": ["von_mises", "strain", "stress"], "probes": [
    {"name": "a", "body": "bar"}, {"name": "b", "kind": "velocity", "body": "arm", "point": [0, 0, 0]},
    {"name": "c", "kind": "reaction", "body": "bar", "region": {"box": [[0, 0, 0], [1, 1, 1]]}, "point": [0, 0, 0]},
    {"name": "d", "kind": "reaction", "body": "floor"}, {"name": "e", "kind": "contact", "bodies": ["bar", ""]},
    {"name": "f", "kind": "contact", "bodies": ["arm[1]", "half_spaces[0]"]},
    {"name": "g", "kind": "gap", "bodies": ["arm[1]", "floor"]}, {"name": "h", "kind": "joint", "joint": "elbow"},
    {"name": "i", "kind": "stress", "body": "bar"},
    {"name": "j", "kind": "stress", "body": "bar", "region": {"box": [[0, 0, 0], [1, 1, 1]]}}]})");
  for (const Issue& issue : issues) ADD_FAILURE() << to_string(issue);
}

TEST(ValidateOutput, UnknownNamesComeWithWhatWasMeant) {
  expect_says(only_issue(R"({"name": "a", "body": "bra"})"),
              {"output.probes[0].body", "no body", "did you mean `bar`"});
  expect_says(only_issue(R"({"name": "a", "kind": "joint", "joint": "elbo"})"), {"probes[0].joint", "`elbow`"});
  expect_says(only_issue(R"({"name": "a", "kind": "gap", "bodies": ["bar", "flor"]})"), {"bodies[1]", "`floor`"});
  expect_says(only_issue(R"({"name": "a", "kind": "contact", "bodies": ["bar", "half_space[0]"]})"),
              {"bodies[1]", "`half_spaces[0]`"});
  expect_says(only_issue(R"({"name": "a", "kind": "contact", "bodies": ["bar", "half_spaces[1]"]})"), {"bodies[1]"});
  expect_says(only_issue(R"({"name": "a", "kind": "positon", "body": "bar"})"), {"probes[0].kind", "`position`"});
  expect_says(only_issue(R"({"name": "a", "body": "arm[2]"})"), {"this copy does not exist", "`arm` is 2"});
  const Issues issues = issues_of(R"({"fields": ["von_misses", "strain"]})");
  ASSERT_EQ(issues.size(), 1u);
  expect_says(to_string(issues[0]), {"output.fields[0]", "did you mean `von_mises`"});
}

TEST(ValidateOutput, NameOfAHalfSpaceIsToldHowHalfSpacesAreNamed) {
  expect_says(only_issue(R"({"name": "a", "kind": "contact", "bodies": ["bar", "ground"]})"),
              {"output.probes[0].bodies[1]", "half-spaces have no names: write `half_spaces[0]`", "ground"});
}

TEST(ValidateOutput, PressureIsToldTheFieldsThatItMayMean) {
  const Issues issues = issues_of(R"({"fields": ["stress", "pressure"]})");
  ASSERT_EQ(issues.size(), 1u);
  expect_says(to_string(issues[0]), {"output.fields[1]", "did you mean `contact_pressure`?"});
  expect_says(only_issue(R"({"name": "a", "kind": "force", "body": "bar"})"),
              {"did you mean `reaction` or `contact`?"});
}

TEST(ValidateOutput, NamesHeadColumnsAndAreUnique) {
  expect_says(only_issue(R"({"body": "bar"})"), {"probes[0].name", "needs a name"});
  expect_says(only_issue(R"({"name": "a,b", "body": "bar"})"), {"probes[0].name", "cannot contain commas"});
  expect_says(only_issue(R"({"name": "a", "body": "bar"}, {"name": "a", "body": "arm"})"),
              {"probes[1].name", "unique", "output.probes[0]"});
}

TEST(ValidateOutput, WhatAKindDoesNotHaveIsRefused) {
  expect_says(only_issue(R"({"name": "a", "kind": "gap", "bodies": ["bar", "arm"], "body": "bar"})"),
              {"probes[0].body", "of kind `gap` does not have this key"});
  expect_says(only_issue(R"({"name": "a", "body": "bar", "joint": "elbow"})"),
              {"probes[0].joint", "belongs to `joint`"});
  expect_says(only_issue(R"({"name": "a", "kind": "reaction", "body": "arm[0]"})"), {"nothing holds or moves"});
  expect_says(only_issue(R"({"name": "a", "kind": "gap", "bodies": ["bar", "bar"]})"), {"two different bodies"});
  expect_says(only_issue(R"({"name": "a", "body": "bar", "point": [0, 0, 0], "region": {}})"), {"exclude each other"});
}

TEST(ValidateOutput, EveryProblemAtOnce) {
  EXPECT_EQ(issues_of(R"({"fields": ["x", "strain"], "probes": [{"name": "a"}, {"name": "a", "kind": "joint"},
                          {"name": "b", "kind": "gap", "bodies": ["bar", "nobody"]}]})")
                .size(),
            5u);
}

}  // namespace
}  // namespace clearance
