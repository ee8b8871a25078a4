#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "clearance/scene/json_reader.h"
#include "clearance/scene/json_writer.h"
#include "clearance/scene/validate.h"
#include "scene/full_scene.h"

namespace clearance {
namespace {

SceneDesc read_back(const SceneDesc& scene) {
  Issues issues;
  const SceneDesc read = scene_from_json(Json::parse(scene_to_json(scene)), issues);
  for (const Issue& issue : issues) ADD_FAILURE() << to_string(issue);
  return read;
}

TEST(SceneJson, RoundTripGivesTheSameScene) {
  const SceneDesc scene = full_scene();
  const SceneDesc read = read_back(scene);
  // Check some values themselves, then all of them through the text.
  EXPECT_EQ(read.time.step, 1.0 / 3.0);
  EXPECT_EQ(read.solver.tolerance, 0.1 + 0.2);
  EXPECT_EQ(read.contact.min_separation, 5e-324);
  EXPECT_EQ(read.gravity, scene.gravity);
  EXPECT_TRUE(std::signbit(read.bodies[0].transform.rotation[1]));
  EXPECT_EQ(read.bodies[0].array->counts, (std::array<int, 3>{2, 3, 4}));
  EXPECT_EQ((*read.bodies[0].motions[0].region.box)[1], Vec<3>(1, 1.1, 1.2));
  EXPECT_EQ(read.bodies[0].motions[0].release->above, 3.25);
  EXPECT_EQ(read.bodies[1].generator->size, (std::vector<double>{2.0, 0.5, 0.25}));
  EXPECT_EQ(read.bodies[1].generator->blocks[0][1], Vec<3>(1, 1, 1.0 / 3.0));
  EXPECT_EQ(read.bodies[1].kind, BodyKind::obstacle);
  EXPECT_EQ(read.bodies[2].geometry->vertices[2], Vec<3>(0, 1, 1.0 / 3.0));
  EXPECT_EQ(read.bodies[2].geometry->triangles, (std::vector<std::array<int, 3>>{{2, 0, 1}}));
  EXPECT_EQ(read.bodies[2].fixed_translation, (std::array<bool, 3>{true, false, true}));
  EXPECT_EQ(read.joints[0].bodies, (std::array<std::string, 2>{"link[1]", ""}));
  EXPECT_EQ(scene_to_json(read), scene_to_json(scene));
  const SceneDesc gcp = full_scene(full_gcp);
  EXPECT_EQ(scene_to_json(read_back(gcp)), scene_to_json(gcp));
  const SceneDesc round = full_scene(ContactOptions{});
  ASSERT_EQ(round.bodies[4].capsules.size(), 2U);
  ASSERT_EQ(round.bodies.back().kind, BodyKind::rod);
  EXPECT_EQ(scene_to_json(read_back(round)), scene_to_json(round));
}

TEST(SceneJson, EveryValueOfTheFullSceneDiffersFromItsDefault) {
  // This must hold: otherwise the round trip would not notice a field that is written but not read.
  const Json full = scene_to_json_value(full_scene());
  const Json plain = scene_to_json_value({});
  for (const char* key : {"time", "static", "solver", "output"}) {
    for (const auto& [name, value] : full[key].items()) EXPECT_NE(value, plain[key][name]) << key << "." << name;
  }
  // A scene has the options of one formulation.
  const Json gcp = scene_to_json_value(full_scene(full_gcp));
  for (const auto& [name, value] : plain["contact"].items()) {
    EXPECT_TRUE(full["contact"][name] != value || gcp["contact"][name] != value) << "contact." << name;
  }
  SceneDesc with_remesh;
  with_remesh.remesh.emplace();
  for (const auto& [name, value] : scene_to_json_value(with_remesh)["remesh"].items()) {
    EXPECT_NE(full["remesh"][name], value) << "remesh." << name;
  }
  // Bodies and joints of one kind cannot have every field: one of them is enough.
  SceneDesc one;
  one.bodies.resize(1);
  one.joints.resize(1);
  const Json defaults = scene_to_json_value(one), round = scene_to_json_value(full_scene(ContactOptions{}));
  for (const char* list : {"bodies", "joints"}) {
    for (const auto& [name, value] : defaults[list][0].items()) {
      const auto differs = [&, key = name, usual = value](const Json& entry) { return entry[key] != usual; };
      EXPECT_TRUE(std::any_of(full[list].begin(), full[list].end(), differs) ||
                  std::any_of(round[list].begin(), round[list].end(), differs))
          << list << " " << name;
    }
  }
}

TEST(SceneJson, InfinityIsWrittenAsNullAndComesBack) {
  SceneDesc scene;
  scene.bodies.resize(1);
  scene.bodies[0].motions.resize(1);
  EXPECT_TRUE(scene_to_json_value(scene)["bodies"][0]["motions"][0]["end"].is_null());
  EXPECT_EQ(read_back(scene).bodies[0].motions[0].end, infinity);
}

TEST(SceneJson, EveryDoubleComesBackExactly) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t bits = random();
    double value = 0.0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    SceneDesc scene;
    scene.gravity[0] = value;
    const SceneDesc read = read_back(scene);
    ASSERT_EQ(std::memcmp(&read.gravity[0], &value, sizeof value), 0) << value;
  }
}

TEST(SceneJson, EmptyObjectGivesAllDefaults) {
  Issues issues;
  const SceneDesc read = scene_from_json(Json::object(), issues);
  EXPECT_TRUE(issues.empty());
  EXPECT_EQ(scene_to_json(read), scene_to_json(SceneDesc{}));
}

TEST(SceneJson, ShorthandsAreAccepted) {
  Issues issues;
  const SceneDesc solid = scene_from_json(Json::parse(R"({"bodies": [{"transform": {"scale": 2.5}}]})"), issues);
  EXPECT_EQ(solid.bodies[0].transform.scale, Vec<3>::Constant(2.5));
  const SceneDesc plane =
      scene_from_json(Json::parse(R"({"bodies": [{"transform": {"rotation": 30, "translation": [1, 2], "scale": [3, 4]},
                                  "array": {"counts": [5, 6]}, "angular_velocity": 7}],
                      "gravity": [0, -5], "dimension": 2})"),
                      issues);
  for (const Issue& issue : issues) ADD_FAILURE() << to_string(issue);
  EXPECT_EQ(plane.bodies[0].transform.rotation, Vec<3>(0, 0, 30));
  EXPECT_EQ(plane.bodies[0].transform.translation, Vec<3>(1, 2, 0));
  EXPECT_EQ(plane.bodies[0].transform.scale, Vec<3>(3, 4, 1));
  EXPECT_EQ(plane.bodies[0].angular_velocity, Vec<3>(0, 0, 7));
  EXPECT_EQ(plane.bodies[0].array->counts, (std::array<int, 3>{5, 6, 1}));
  EXPECT_EQ(plane.gravity, Vec<3>(0, -5, 0));
}

TEST(SceneJson, OneFlagAndPlainNumbersAreAccepted) {
  Issues issues;
  const SceneDesc solid =
      scene_from_json(Json::parse(R"({"bodies": [{"fixed_translation": true, "fixed_rotation": true}],
                                      "joints": [{"drive": 90, "effort": "t"}]})"),
                      issues);
  EXPECT_EQ(solid.bodies[0].fixed_translation, (std::array<bool, 3>{true, true, true}));
  EXPECT_EQ(solid.bodies[0].fixed_rotation, (std::array<bool, 3>{true, true, true}));
  EXPECT_EQ(solid.joints[0].drive, "90");
  const SceneDesc plane = scene_from_json(
      Json::parse(R"({"dimension": 2, "bodies": [{"fixed_translation": [true, false], "fixed_rotation": true,
                      "geometry": {"vertices": [[0, 1], [2, 3]], "edges": [[0, 1]], "triangles": []}}]})"),
      issues);
  for (const Issue& issue : issues) ADD_FAILURE() << to_string(issue);
  EXPECT_EQ(plane.bodies[0].fixed_translation, (std::array<bool, 3>{true, false, false}));
  EXPECT_EQ(plane.bodies[0].fixed_rotation, (std::array<bool, 3>{false, false, true}));
  EXPECT_EQ(plane.bodies[0].geometry->vertices[1], Vec<3>(2, 3, 0));
  // Corners of triangles are three in the plane, too.
  scene_from_json(Json::parse(R"({"dimension": 2, "bodies": [{"geometry": {"triangles": [[0, 1]]}}]})"), issues);
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(to_string(issues[0]), "bodies[0].geometry.triangles[0]: expected 3 vertices, not 2 (got [0,1])");
}

TEST(SceneJson, UnnamedBodiesGetNamesOfTheirOwn) {
  SceneDesc scene;
  scene.bodies.resize(6);
  scene.bodies[0].mesh = "a/rod.msh";
  scene.bodies[1].mesh = "b/rod.msh";
  scene.bodies[2].name = "rod 2";
  scene.bodies[3].generator = GeneratorDesc{};
  scene.bodies[5].mesh = "rod.obj";
  name_bodies(scene);
  std::vector<std::string> names;
  for (const BodyDesc& body : scene.bodies) names.push_back(body.name);
  EXPECT_EQ(names, (std::vector<std::string>{"rod", "rod 3", "rod 2", "box", "body 4", "rod 4"}));
}

TEST(TimeDesc, NumStepsDoesNotFeelRounding) {
  const auto steps = [](double duration, double step) { return num_steps({.step = step, .duration = duration}); };
  EXPECT_EQ(steps(6, 0.025), 240);
  EXPECT_EQ(steps(10, 5e-3), 2000);
  EXPECT_EQ(steps(8, 0.04), 200);
  EXPECT_EQ(steps(1, 0.3), 4);
  EXPECT_EQ(steps(0.1, 0.3), 1);
  EXPECT_EQ(steps(0.3, 0.1), 3);
  for (int n = 1; n < 5000; ++n) {
    EXPECT_EQ(steps(n * 0.07, 0.07), n);
    EXPECT_EQ(steps(n / 7.0, 1.0 / 7.0), n);
  }
}

}  // namespace
}  // namespace clearance
