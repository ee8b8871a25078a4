#include "clearance/io/ipc/ipc_script_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/scene_reader.h"
#include "clearance/scene/json_writer.h"
#include "clearance/scene/validate.h"
#include "io/ipc_world.h"
#include "support/paths.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

class IpcScripts : public testing::Test {
 protected:
  void SetUp() override {
    root_ = peer_data() / "ipc/input";
    if (!fs::exists(root_)) GTEST_SKIP() << "no peer data at " << root_;
  }
  LoadedScene load(const std::string& script) const {
    const Result<LoadedScene> loaded = read_ipc_script(root_ / script);
    for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
    return loaded ? *loaded : LoadedScene{};
  }
  fs::path root_;
};

TEST_F(IpcScripts, RodsTwistIsFourRodsOfLengthOne) {
  const LoadedScene loaded = load("paperExamples/tb1_diffDt/rodsTwist_E1e4_dt0.025.txt");
  const SceneDesc& scene = loaded.scene;
  EXPECT_TRUE(loaded.warnings.empty());
  ASSERT_EQ(scene.bodies.size(), 4U);
  EXPECT_EQ(scene.bodies[0].name, "rod");
  EXPECT_EQ(scene.bodies[3].name, "rod 4");
  EXPECT_EQ(scene.gravity, Vec<3>(0, 0, 0));
  EXPECT_EQ(scene.time.step, 0.025);
  EXPECT_EQ(num_steps(scene.time), 240);
  EXPECT_EQ(scene.solver.tolerance, 1e-2);
  EXPECT_EQ(scene.contact.dhat, 1e-3);
  EXPECT_EQ(scene.bodies[2].material.model, ElasticModel::fixed_corotational);
  EXPECT_EQ(scene.bodies[2].material.youngs_modulus, 1e4);
  const WorldBox box = world_box(scene, BodyKind::deformable);
  EXPECT_NEAR(box.max[0] - box.min[0], 1.0, 1e-15);
  EXPECT_NEAR(box.min.norm(), 0.0, 1e-16);
  for (const BodyDesc& body : scene.bodies) {
    ASSERT_EQ(body.motions.size(), 2U);
    EXPECT_EQ(body.motions[0].angular_velocity, Vec<3>(-72, 0, 0));
    EXPECT_EQ(body.motions[1].angular_velocity, Vec<3>(72, 0, 0));
    EXPECT_NEAR((*body.motions[0].center - 0.5 * (box.min + box.max)).norm(), 0.0, 1e-15);
    EXPECT_EQ(body.transform.rotation, Vec<3>(0, 0, 0));
  }
  // Handles: nodes with x < 0.01 and x > 0.99, the same on each rod.
  const std::size_t left = nodes_in(scene, 0, (*scene.bodies[0].motions[0].region.box));
  EXPECT_GT(left, 0U);
  EXPECT_EQ(left, count_nodes(scene, 0, [](const Vec<3>& x) { return x[0] < 0.01; }));
  EXPECT_EQ(nodes_in(scene, 3, *scene.bodies[3].motions[1].region.box),
            count_nodes(scene, 3, [](const Vec<3>& x) { return x[0] > 0.99; }));
}

TEST_F(IpcScripts, MatTwistIsTurnedAndHeldAtBothEnds) {
  const LoadedScene loaded = load("otherExamples/typical/mat40x40Twist.txt");
  ASSERT_EQ(loaded.scene.bodies.size(), 1U);
  const BodyDesc& mat = loaded.scene.bodies[0];
  EXPECT_EQ(mat.transform.rotation, Vec<3>(90, 0, 0));
  EXPECT_EQ(mat.material.model, ElasticModel::neo_hookean);
  EXPECT_EQ(num_steps(loaded.scene.time), 250);
  const WorldBox box = world_box(loaded.scene, BodyKind::deformable);
  EXPECT_NEAR((box.max - box.min).maxCoeff(), 1.0, 1e-15);
  EXPECT_NEAR(box.min.norm(), 0.0, 1e-16);
  ASSERT_EQ(mat.motions.size(), 2U);
  // Two layers of 40 nodes at each end.
  EXPECT_EQ(nodes_in(loaded.scene, 0, *mat.motions[0].region.box), 80U);
  EXPECT_EQ(nodes_in(loaded.scene, 0, *mat.motions[1].region.box), 80U);
}

TEST_F(IpcScripts, FallLiftsTheWholeModelByHalfItsDiagonal) {
  const LoadedScene loaded = load("paperExamples/10_cubeStack.txt");
  const SceneDesc& scene = loaded.scene;
  ASSERT_EQ(scene.bodies.size(), 5U);
  ASSERT_EQ(scene.half_spaces.size(), 1U);
  EXPECT_EQ(scene.half_spaces[0].point, Vec<3>(0, 0.5, 0));
  // The unit cubes are 1.01 apart: 5.04 high, scaled to 1.
  const double side = 1.0 / 5.04;
  const double lift = 0.5 * std::sqrt(1.0 + 2.0 * side * side);
  const WorldBox box = world_box(scene, BodyKind::deformable);
  EXPECT_NEAR(box.min[1], lift, 1e-14);
  EXPECT_NEAR(box.max[1], 1.0 + lift, 1e-14);
  EXPECT_EQ(scene.gravity, Vec<3>(0, -9.80665, 0));
}

TEST_F(IpcScripts, MeshObstaclesAreCentredAndScaled) {
  const LoadedScene loaded = load("paperExamples/10_tetSlots.txt");
  const SceneDesc& scene = loaded.scene;
  ASSERT_EQ(scene.bodies.size(), 5U);
  EXPECT_EQ(scene.contact.dhat, 1e-6);
  const WorldBox cube = world_box_of(scene, 1);
  EXPECT_NEAR((cube.min - Vec<3>(-1.0000005, -0.5, 0)).norm(), 0.0, 1e-15);
  EXPECT_NEAR((cube.max - Vec<3>(-0.0000005, 0.5, 1)).norm(), 0.0, 1e-15);
  const WorldBox plane = world_box_of(scene, 4);
  EXPECT_NEAR((plane.max - plane.min).maxCoeff(), 10.0, 1e-14);
}

TEST_F(IpcScripts, DragRightPullsUntilPastTheObstacle) {
  const LoadedScene loaded = load("paperExamples/11_erleben/spikePlaneCO.txt");
  const BodyDesc& spike = loaded.scene.bodies.at(0);
  ASSERT_EQ(spike.motions.size(), 1U);
  EXPECT_EQ(spike.motions[0].linear_velocity, Vec<3>(0.5, 0, 0));
  ASSERT_TRUE(spike.motions[0].release.has_value());
  EXPECT_EQ(spike.motions[0].release->axis, 0);
  EXPECT_NEAR(spike.motions[0].release->above, world_box_of(loaded.scene, 1).max[0], 1e-14);
  // The collider's mu is reported once.
  ASSERT_EQ(loaded.warnings.size(), 1U);
  EXPECT_EQ(loaded.warnings[0].place, "line 12");
  EXPECT_EQ(loaded.scene.bodies.at(1).friction, 1.0);
  EXPECT_EQ(loaded.scene.friction.pairs.size(), 1U);
}

TEST_F(IpcScripts, LargeMassRatioHasItsOwnMaterials) {
  const SceneDesc scene = load("paperExamples/12_largeMassRatio.txt").scene;
  ASSERT_EQ(scene.bodies.size(), 3U);
  EXPECT_EQ(scene.bodies[0].material.density, 1e4);
  EXPECT_EQ(scene.bodies[0].material.youngs_modulus, 1e8);
  EXPECT_EQ(scene.bodies[1].material.density, 1000);
  EXPECT_EQ(scene.bodies[1].material.youngs_modulus, 1e6);
  EXPECT_EQ(scene.bodies[2].kind, BodyKind::obstacle);
}

TEST_F(IpcScripts, TunnelHasStartVelocityAndRestingPlanes) {
  const SceneDesc scene = load("otherExamples/tunnel.txt").scene;
  ASSERT_EQ(scene.bodies.size(), 3U);
  EXPECT_EQ(scene.bodies[0].linear_velocity, Vec<3>(0, 0, 10));
  EXPECT_EQ(scene.bodies[0].material.youngs_modulus, 1e11);
  EXPECT_EQ(scene.bodies[0].transform.rotation, Vec<3>(0, 90, 0));
  EXPECT_TRUE(scene.bodies[1].motions.empty());
  EXPECT_EQ(scene.contact.dhat, 1e-2);
  EXPECT_EQ(scene.bodies[1].transform.translation, Vec<3>(-5, -0.0001, -5));
}

TEST_F(IpcScripts, PinCushionComesDownUntilATenthIsLeft) {
  const SceneDesc scene = load("paperExamples/17_pinCushionBall.txt").scene;
  ASSERT_EQ(scene.bodies.size(), 3U);
  EXPECT_EQ(scene.bodies[1].array->counts, (std::array<int, 3>{21, 1, 21}));
  EXPECT_TRUE(scene.bodies[1].motions.empty());
  ASSERT_EQ(scene.bodies[2].motions.size(), 1U);
  const double gap = world_box_of(scene, 2).min[1] - world_box_of(scene, 1).max[1];
  const MotionDesc& motion = scene.bodies[2].motions[0];
  EXPECT_EQ(motion.linear_velocity, Vec<3>(0, -1, 0));
  EXPECT_LE(gap - motion.end, 0.1 + 1e-12);
  EXPECT_GT(gap - motion.end, 0.1 - 0.04);
}

TEST_F(IpcScripts, PointsAreAnArrayOfObstacles) {
  const SceneDesc scene = load("paperExamples/2_spherePoints.txt").scene;
  ASSERT_EQ(scene.bodies.size(), 2U);
  EXPECT_EQ(scene.bodies[1].kind, BodyKind::obstacle);
  EXPECT_EQ(fs::path(scene.bodies[1].mesh).extension(), ".pt");
  // The two bodies together are 4 m long: 20 points at distance 1 are 20 wide along z.
  EXPECT_NEAR(scene.bodies[1].array->spacing[0], 0.2, 1e-15);
  const WorldBox box = world_box(scene, std::nullopt);
  EXPECT_NEAR((box.max - box.min).maxCoeff(), 4.0, 1e-14);
}

TEST_F(IpcScripts, AllOfTheAcceptanceListLoad) {
  std::vector<std::string> scripts = {"paperExamples/2_matKnives.txt", "paperExamples/10_tetTet.txt",
                                      "otherExamples/coDimUnitTests/mat40x40_pointPlaneDrop.txt",
                                      "otherExamples/coDimUnitTests/mat40x40_segPlaneDrop.txt",
                                      "otherExamples/coDimUnitTests/mat40x40_squarePlaneDrop.txt"};
  for (const auto& entry : fs::directory_iterator(root_ / "paperExamples/11_erleben")) {
    scripts.push_back("paperExamples/11_erleben/" + entry.path().filename().string());
  }
  EXPECT_EQ(scripts.size(), 15U);
  for (const std::string& script : scripts) {
    SCOPED_TRACE(script);
    EXPECT_GE(load(script).scene.bodies.size(), 2U);
  }
}

// With CLEARANCE_SHOW_ISSUES the test prints the list of all scripts.
TEST_F(IpcScripts, EveryScriptLoadsIfItsMeshesArePresent) {
  int num_loaded = 0, num_without_mesh = 0, num_compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root_)) {
    if (entry.path().extension() != ".txt") continue;
    SCOPED_TRACE(entry.path());
    const Result<LoadedScene> loaded = read_ipc_script(entry.path());
    const auto says = [&](const char* what) {
      for (const Issue& issue : loaded.issues()) {
        if (issue.message.find(what) != std::string::npos) return true;
      }
      return false;
    };
    const bool has_no_mesh = !loaded && says("mesh file was found neither");
    const bool compares = !loaded && says("QP and SQP");
    EXPECT_TRUE(loaded || has_no_mesh || compares) << (loaded ? "" : to_string(loaded.issues()[0]));
    num_loaded += loaded ? 1 : 0;
    num_without_mesh += has_no_mesh ? 1 : 0;
    num_compared += compares ? 1 : 0;
    // `convert` writes the same scene.
    if (loaded) {
      const std::string json = scene_to_json(loaded->scene);
      const Result<LoadedScene> again = load_scene_text(json, "scene.json", loaded->scene.base_directory);
      ASSERT_TRUE(again) << to_string(again.issues()[0]);
      EXPECT_EQ(scene_to_json(again->scene), json);
    }
    if (std::getenv("CLEARANCE_SHOW_ISSUES") == nullptr) continue;
    std::printf("%-10s %s\n",
                loaded     ? "loads"
                : compares ? "QP or SQP"
                           : "no mesh",
                fs::relative(entry.path(), root_).string().c_str());
    for (const Issue& issue : loaded ? loaded->warnings : loaded.issues()) {
      std::printf("           %s: %s\n", issue.place.c_str(), issue.message.c_str());
    }
  }
  EXPECT_EQ(num_loaded + num_without_mesh + num_compared, 136);
  EXPECT_EQ(num_compared, 2);
  EXPECT_EQ(num_without_mesh, 10);
}

}  // namespace
}  // namespace clearance
