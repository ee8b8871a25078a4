#include <gtest/gtest.h>

#include "clearance/scene/json_reader.h"
#include "clearance/scene/nearest_name.h"
#include "clearance/scene/overrides.h"

namespace clearance {
namespace {

std::vector<std::string> messages(const std::string& text) {
  Issues issues;
  scene_from_json(Json::parse(text), issues);
  std::vector<std::string> lines;
  for (const Issue& issue : issues) lines.push_back(to_string(issue));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(SceneMessages, MisspeltKeyNamesTheOneMeant) {
  EXPECT_EQ(messages(R"({"bodies": [{}, {"material": {"youngs_modulos": 1e5}}]})"),
            Lines{"bodies[1].material.youngs_modulos: unknown key; did you mean `youngs_modulus`?"});
  EXPECT_EQ(messages(R"({"time": {"dt": 0.1}})"), Lines{"time.dt: unknown key; did you mean `step`?"});
  EXPECT_EQ(messages(R"({"time": {"qqq": 0.1}})"),
            Lines{"time.qqq: unknown key; known here: `step`, `duration`, "
                  "`integrator`, `newmark_beta`, `newmark_gamma`, `mass`, `max_halvings`, `accuracy`"});
  EXPECT_EQ(messages(R"({"time": {"Step": 0.1}})"), Lines{"time.Step: unknown key; did you mean `step`?"});
  EXPECT_EQ(messages(R"({"contact": {"a b": 1}})")[0].substr(0, 29), R"(contact["a b"]: unknown key; )");
}

TEST(SceneMessages, WrongTypeSaysWhatWasExpectedAndFound) {
  EXPECT_EQ(messages(R"({"time": {"step": "fast"}})"),
            Lines{R"(time.step: expected a number, not a string (got "fast"))"});
  EXPECT_EQ(messages(R"({"contact": {"enabled": 1}})"),
            Lines{"contact.enabled: expected true or false, not a number (got 1)"});
  EXPECT_EQ(messages(R"({"solver": {"max_iterations": 2.5}})"),
            Lines{"solver.max_iterations: expected a whole number (got 2.5)"});
  EXPECT_EQ(messages(R"({"solver": {"max_iterations": 1e10}})"),
            Lines{"solver.max_iterations: expected at most 2147483647 (got 10000000000.0)"});
  EXPECT_EQ(messages(R"({"bodies": {}})"), Lines{"bodies: expected an array of objects, not an object (got {})"});
  EXPECT_EQ(messages(R"({"bodies": [3]})"), Lines{"bodies[0]: expected an object, not a number (got 3)"});
  EXPECT_EQ(messages(R"([1])"), Lines{"a scene is an object {...}, not an array (got [1])"});
}

TEST(SceneMessages, WrongLengthSaysHowMany) {
  EXPECT_EQ(messages(R"({"gravity": [0, -9.8]})"),
            Lines{"gravity: expected 3 numbers, not 2; a 2D scene has `\"dimension\": 2` (got [0,-9.8])"});
  EXPECT_EQ(messages(R"({"dimension": 2, "gravity": [1]})"),
            Lines{"gravity: expected 2 or 3 numbers, not 1 (got [1])"});
  EXPECT_EQ(
      messages(R"({"dimension": 2, "bodies": [{"kind": "rigid", "generator": {"kind": "disk", "size": [1]},
                      "angular_velocity": [180]}]})"),
      Lines{"bodies[0].angular_velocity: expected one number, the angle in the plane, not a list of 1 (got [180])"});
  EXPECT_EQ(messages(R"({"gravity": [0, "down", 0]})"),
            Lines{R"(gravity[1]: expected a number, not a string (got "down"))"});
}

TEST(SceneMessages, AListOfTheWrongKindIsOneProblem) {
  EXPECT_EQ(messages(R"({"bodies": [{"element_densities": [[1], [2], [3], [4], [5]]}]})"),
            Lines{"bodies[0].element_densities[0]: expected a number, not an array; 4 more problems in this list (got "
                  "[1])"});
}

TEST(SceneMessages, UnknownNameListsTheKnownOnes) {
  EXPECT_EQ(
      messages(R"({"bodies": [{"material": {"model": "neohookean"}}]})"),
      Lines{"bodies[0].material.model: expected one of `neo_hookean`, `fixed_corotational`, `st_venant_kirchhoff`, "
            "`linear_elasticity`; did you mean `neo_hookean`? (got \"neohookean\")"});
  EXPECT_EQ(messages(R"({"solver": {"ccd": 7}})"),
            Lines{"solver.ccd: expected one of `clearance`, `tight_inclusion` (got 7)"});
}

TEST(SceneMessages, AllProblemsAtOnce) {
  const Lines lines = messages(R"({
    "format": "clearance/9", "dimention": 3, "time": {"step": [], "integrator": "leapfrog"},
    "bodies": [{"mesh": 3, "motions": [{"end": "never"}]}, null]})");
  EXPECT_EQ(lines,
            (Lines{R"(format: expected "clearance/3" (got "clearance/9"))",
                   "time.step: expected a number, not an array (got [])",
                   "time.integrator: expected one of `implicit_euler`, `implicit_newmark`, `bdf2`, `bdf2_restarted`, "
                   "`bdf2_in_flight`, "
                   "`quasi_static` (got \"leapfrog\")",
                   "bodies[0].mesh: expected a string, not a number (got 3)",
                   R"(bodies[0].motions[0].end: expected a number, or null for never, not a string (got "never"))",
                   "bodies[1]: expected an object, not null (got null)",
                   "dimention: unknown key; did you mean `dimension`?"}));
}

TEST(SceneMessages, LongValuesAreShortened) {
  const Lines lines = messages(R"({"time": ")" + std::string(500, 'x') + R"("})");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_LT(lines[0].size(), 120U);
}

std::string problem_of(const std::string& override_text) {
  Json root = Json::parse(R"({"time": {"step": 0.1}, "bodies": [{"mesh": "a.msh"}]})");
  const Json before = root;
  Issues issues;
  apply_overrides(root, {override_text}, issues);
  if (!issues.empty()) {
    EXPECT_EQ(root, before) << "a failed override must not change the scene";
  }
  return issues.empty() ? root.dump() : to_string(issues[0]);
}

TEST(Overrides, ChangeAndAddValues) {
  EXPECT_EQ(problem_of("time.step=0.01"), R"({"time":{"step":0.01},"bodies":[{"mesh":"a.msh"}]})");
  EXPECT_EQ(problem_of("bodies[0].material.density=500"),
            R"({"time":{"step":0.1},"bodies":[{"mesh":"a.msh","material":{"density":500}}]})");
  EXPECT_EQ(problem_of("bodies[0].mesh=b=c.msh"), R"({"time":{"step":0.1},"bodies":[{"mesh":"b=c.msh"}]})");
  EXPECT_EQ(problem_of("gravity=[0, 1, 2]").substr(49), R"("gravity":[0,1,2]})");
}

TEST(Overrides, BodiesTypeSetsTheKindOfStiffBodiesOnly) {
  const auto kinds = [](const std::string& text) {
    Json root = Json::parse(R"({"bodies": [{"kind": "affine"}, {"kind": "rigid"}, {"kind": "obstacle"}, {}]})");
    Issues issues;
    apply_overrides(root, {text}, issues);
    return issues.empty() ? root["bodies"].dump() : to_string(issues[0]);
  };
  EXPECT_EQ(kinds("bodies.type=rigid"), R"([{"kind":"rigid"},{"kind":"rigid"},{"kind":"obstacle"},{}])");
  EXPECT_EQ(kinds("bodies.type=affine"), R"([{"kind":"affine"},{"kind":"affine"},{"kind":"obstacle"},{}])");
  EXPECT_EQ(kinds("bodies.type=soft"),
            "override `bodies.type=soft`: expected `affine` or `rigid`, the type of all stiff bodies");
}

TEST(Overrides, SayWhatIsWrong) {
  EXPECT_EQ(problem_of("time.step"), "override `time.step`: expected `path=value`, for example `time.step=0.01`");
  EXPECT_EQ(problem_of("bodies[x].mesh=1"),
            "override `bodies[x].mesh=1`: expected a path such as `bodies[0].material.density` before `=`");
  EXPECT_EQ(problem_of("bodies[1].mesh=1"), "override `bodies[1].mesh=1`: `bodies` has no entry 1: it has 1");
  EXPECT_EQ(problem_of("gravity[1]=0"),
            "override `gravity[1]=0`: the scene does not give `gravity`, so it has no entry 1; set it as a whole");
  EXPECT_EQ(problem_of("time.step.x=0"), "override `time.step.x=0`: `time.step` is a number, so it has no key `x`");
}

TEST(NearestName, FindsMisspellingsAndParts) {
  const std::vector<std::string_view> names = {"youngs_modulus", "density", "poisson_ratio", "model"};
  EXPECT_EQ(nearest_name("densty", names), "density");
  EXPECT_EQ(nearest_name("modle", names), "model");
  EXPECT_EQ(nearest_name("poisson", names), "poisson_ratio");
  EXPECT_EQ(nearest_name("modulus", names), "youngs_modulus");
  EXPECT_EQ(nearest_name("banana", names), "");
  EXPECT_EQ(nearest_name("gpc", {"ipc", "convergent", "gcp"}), "gcp");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name(std::string(1000000, 'x'), names), "");
}

TEST(NearestName, EditDistanceCountsSwapsOnce) {
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("model", "modle"), 1);
  EXPECT_EQ(edit_distance("Step", "step"), 0);
}

}  // namespace
}  // namespace clearance
