#include "clearance/study/levels.h"

#include <gtest/gtest.h>

namespace clearance::study {
namespace {

SceneDesc scene_of(BodyDesc body) {
  SceneDesc scene;
  body.name = "body";
  scene.bodies.push_back(std::move(body));
  return scene;
}

BodyDesc generated(GeneratorDesc generator) {
  BodyDesc body;
  body.generator = std::move(generator);
  return body;
}

TEST(Levels, DoubleTheResolutionOfGenerators) {
  const SceneDesc scene = scene_of(generated({GeneratorKind::box, {1, 1, 1}, {2, 3, 4}}));
  const Result<Levels> levels = make_levels(scene, Refinement::mesh, 3);
  ASSERT_TRUE(levels);
  ASSERT_EQ(levels->scenes.size(), 3U);
  EXPECT_EQ(levels->scenes[0].bodies[0].generator->resolution, (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(levels->scenes[2].bodies[0].generator->resolution, (std::vector<int>{8, 12, 16}));
  EXPECT_EQ(levels->scenes[2].time.step, scene.time.step);
  EXPECT_TRUE(levels->warnings.empty());
}

TEST(Levels, KeepTheTeethOfGearsAndHalveTheCellsOfBlocks) {
  const Result<Levels> gear =
      make_levels(scene_of(generated({GeneratorKind::gear, {1, 1, 1}, {12}})), Refinement::mesh, 3);
  ASSERT_TRUE(gear);
  EXPECT_EQ(gear->scenes[1].bodies[0].generator->resolution, (std::vector<int>{12, 24}));
  const Result<Levels> blocks =
      make_levels(scene_of(generated({GeneratorKind::blocks, {0.4, 0.2, 0.2}, {}})), Refinement::mesh, 3);
  ASSERT_TRUE(blocks);
  EXPECT_EQ(blocks->scenes[2].bodies[0].generator->size, (std::vector<double>{0.1, 0.05, 0.05}));
}

TEST(Levels, SplitMeshesWhoseNodesHaveNumbers) {
  BodyDesc body;
  body.mesh = "part.msh";
  Result<Levels> levels = make_levels(scene_of(body), Refinement::mesh, 3);
  ASSERT_TRUE(levels);
  EXPECT_EQ(levels->scenes[2].bodies[0].refinements, 2);

  body = generated({GeneratorKind::box, {1, 1, 1}, {2, 2, 2}});
  body.loads.emplace_back().region.nodes = {3};
  levels = make_levels(scene_of(body), Refinement::mesh, 3);
  ASSERT_TRUE(levels);
  EXPECT_EQ(levels->scenes[2].bodies[0].refinements, 2);
  EXPECT_EQ(levels->scenes[2].bodies[0].generator->resolution, (std::vector<int>{2, 2, 2}));
  ASSERT_EQ(levels->warnings.size(), 1U);
  EXPECT_EQ(levels->warnings[0].place, "bodies[0].generator");
}

TEST(Levels, RefuseClampsWhoseNodesAreListed) {
  BodyDesc body = generated({GeneratorKind::line, {1}, {8}});
  body.kind = BodyKind::rod;
  body.motions.emplace_back().region.nodes = {0, 1};
  Result<Levels> levels = make_levels(scene_of(body), Refinement::mesh, 3);
  ASSERT_TRUE(levels);
  EXPECT_EQ(levels->warnings.back().place, "bodies[0].motions[0].region.nodes");
  body.motions[0].clamp = true;
  levels = make_levels(scene_of(body), Refinement::mesh, 3);
  ASSERT_EQ(levels.issues().size(), 1U);
  EXPECT_EQ(levels.issues()[0].place, "bodies[0].motions[0].region.nodes");
  EXPECT_TRUE(make_levels(scene_of(body), Refinement::step, 3));
}

TEST(Levels, HalveStepsAndKeepTheTimesOfFrames) {
  SceneDesc scene = scene_of(generated({}));
  scene.output.frame_interval = 3;
  const Result<Levels> levels = make_levels(scene, Refinement::both, 3);
  ASSERT_TRUE(levels);
  EXPECT_DOUBLE_EQ(levels->scenes[2].time.step, 0.25 * scene.time.step);
  EXPECT_EQ(levels->scenes[2].output.frame_interval, 12);
  EXPECT_EQ(levels->scenes[2].bodies[0].generator->resolution, (std::vector<int>{16, 16, 16}));
}

TEST(Levels, TellAllThatCannotBeRefined) {
  SceneDesc scene = scene_of(generated({}));
  scene.bodies[0].kind = BodyKind::rigid;
  scene.bodies[0].motions.emplace_back().poses.emplace_back();
  const Result<Levels> levels = make_levels(scene, Refinement::both, 3);
  ASSERT_EQ(levels.issues().size(), 2U);
  EXPECT_EQ(levels.issues()[0].place, "bodies");
  EXPECT_EQ(levels.issues()[1].place, "bodies[0].motions[0].poses");
}

TEST(Levels, KeepTheStepsOfQuasiStaticScenes) {
  SceneDesc scene = scene_of(generated({}));
  scene.time.integrator = TimeIntegrator::quasi_static;
  const Result<Levels> both = make_levels(scene, Refinement::both, 3);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->scenes[2].time.step, scene.time.step);
  ASSERT_EQ(both->warnings.size(), 1U);
  EXPECT_EQ(both->warnings[0].place, "time.integrator");
  EXPECT_FALSE(make_levels(scene, Refinement::step, 3));
}

}  // namespace
}  // namespace clearance::study
