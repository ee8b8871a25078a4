// Every published PolyFEM scene is read, or refused for a reason; some results are checked in detail.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "clearance/io/scene_reader.h"
#include "support/paths.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

class PolyfemScenes : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = peer_data();
    if (!fs::is_directory(folder_ / "polyfem-data")) GTEST_SKIP() << "no published scenes in " << folder_;
  }
  SceneDesc load(const std::string& name) const {
    const Result<LoadedScene> loaded = load_scene(folder_ / name);
    for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
    return loaded ? loaded->scene : SceneDesc{};
  }
  Issues problems(const std::string& name) const { return load_scene(folder_ / name, SceneFormat::polyfem).issues(); }
  fs::path folder_;
};

TEST_F(PolyfemScenes, AreReadOrRefusedWithTheReason) {
  int num_files = 0, num_read = 0;
  for (const char* part : {"polyfem-data", "gcp", "remeshing", "high-order-ipc", "diff-ipc"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_ / part)) {
      // Meshes refined twice and more have millions of elements.
      const std::string name = entry.path().stem().string();
      if (entry.path().extension() != ".json" || name.ends_with("nref2") || name.ends_with("nref3")) continue;
      ++num_files;
      const Result<LoadedScene> loaded = load_scene(entry.path(), SceneFormat::polyfem);
      num_read += loaded.has_value() ? 1 : 0;
      if (loaded) continue;
      EXPECT_FALSE(loaded.issues().front().message.empty()) << entry.path();
    }
  }
  EXPECT_GT(num_files, 240);
  EXPECT_GT(num_read, 140);
}

TEST_F(PolyfemScenes, CubesHaveTheValuesOfTheirFile) {
  const SceneDesc scene = load("polyfem-data/contact/examples/3D/unit-tests/5-cubes.json");
  ASSERT_EQ(scene.bodies.size(), 6U);
  EXPECT_EQ(scene.time.step, 0.025);
  EXPECT_EQ(scene.time.mass, MassKind::lumped) << "of the file that it names";
  EXPECT_EQ(scene.gravity, Vec<3>(0, -9.81, 0));
  EXPECT_TRUE(scene.contact.enabled);
  EXPECT_EQ(scene.bodies[4].transform.translation, Vec<3>(0, 0.82, 0));
  EXPECT_EQ(scene.bodies[5].kind, BodyKind::obstacle);
  EXPECT_EQ(scene.bodies[5].transform.scale, Vec<3>(0.2, 1, 0.2));
}

TEST_F(PolyfemScenes, OfRemeshingAreReadButForFragments) {
  int num_adapting = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_ / "remeshing/scripts")) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".json" || name.ends_with("nref2") || name.ends_with("nref3")) continue;
    // These are parts of scenes, scenes without a mesh, and a patch of another list of meshes.
    const bool is_without_mesh = entry.path().parent_path().filename() == "masticator" && name.starts_with("2D");
    if (name == "common" || is_without_mesh || name == "drop-ball-noremesh-nref1") continue;
    const Result<LoadedScene> loaded = load_scene(entry.path(), SceneFormat::polyfem);
    ASSERT_TRUE(loaded.has_value()) << entry.path() << ": " << to_string(loaded.issues().front());
    const SceneDesc& scene = loaded->scene;
    EXPECT_EQ(scene.time.mass, MassKind::consistent) << entry.path();
    EXPECT_EQ(scene.contact.formulation(), ContactFormulation::convergent) << entry.path();
    EXPECT_GT(scene.contact.kappa, 0.0) << entry.path();
    num_adapting += scene.remesh ? 1 : 0;
  }
  EXPECT_EQ(num_adapting, 32);
  EXPECT_EQ(load("remeshing/scripts/cantilever/convergence/tol=1e1.json").remesh.value().gain, 1000.0);
  EXPECT_EQ(load("remeshing/scripts/ball-wall/3D.json").remesh.value().gain, 2.5e-5) << "1e-14 J s^2 over h^2";
  EXPECT_EQ(load("remeshing/scripts/masticator/h=0.1-sizing-field.json").remesh.value().criterion,
            RemeshCriterion::size);
}

TEST_F(PolyfemScenes, RollersAreOfTwoMaterials) {
  const SceneDesc scene = load("remeshing/scripts/rollers/monkey-soft-hard-noremesh-nref0.json");
  ASSERT_EQ(scene.bodies.size(), 3U);
  EXPECT_TRUE(scene.bodies[0].material_parts.empty());
  for (const std::size_t roller : {1U, 2U}) {
    ASSERT_EQ(scene.bodies[roller].material_parts.size(), 1U);
    EXPECT_NE(scene.bodies[roller].material.youngs_modulus,
              scene.bodies[roller].material_parts[0].material.youngs_modulus);
    EXPECT_EQ(scene.bodies[roller].motions.size(), 1U);
  }
}

TEST_F(PolyfemScenes, DolphinIsPulledAlongOneAxisOnly) {
  const SceneDesc scene = load("polyfem-data/contact/examples/3D/stress-tests/dolphin-funnel.json");
  ASSERT_EQ(scene.bodies[0].motions.size(), 1U);
  EXPECT_EQ(scene.bodies[0].motions[0].components, (std::array<bool, 3>{true, false, false}));
  EXPECT_EQ(scene.bodies[0].motions[0].displacement.value()[0], "min((0.5 * t), (10))");
}

TEST_F(PolyfemScenes, OfHigherOrderHaveTheOrderOfTheirFile) {
  const std::string examples = "polyfem-data/contact/examples/3D/";
  for (const int order : {2, 3, 4}) {
    const std::string ball = fmt::format("{}higher-order/ball-bounce/P{}.json", examples, order);
    EXPECT_EQ(load(ball).bodies.at(0).order, order);
    EXPECT_EQ(load(ball).time.mass, MassKind::consistent);
  }
  EXPECT_EQ(load(examples + "stress-tests/spheres_collide-P3.json").bodies.at(1).order, 3);
  EXPECT_EQ(load(examples + "higher-order/golf-ball-P2.json").bodies.at(0).order, 0) << "only the wall is of order 2";
}

TEST_F(PolyfemScenes, WithCurvedMeshesHaveTheirSurfaceAroundElementsOfLowerOrder) {
  const Result<LoadedScene> ball = load_scene(folder_ / "high-order-ipc/scripts/bounce/bounce-P4.json");
  ASSERT_TRUE(ball.has_value());
  EXPECT_EQ(ball->scene.bodies.at(0).order, 2);
  EXPECT_NE(ball->scene.bodies[0].collision_surface.value().mesh, "");
  EXPECT_EQ(ball->warnings.size(), 2U) << "of the order, and of weights for nodes of order 2";
}

TEST_F(PolyfemScenes, WithOtherSurfacesForCollisionMoveThemWithTheirElements) {
  for (const char* name : {"higher-order/coarse-golf-ball-3D-P3", "bounce/bounce-P1", "higher-order/sphere-P2",
                           "stress-tests/trash-compactor-octocat-P2-wCM-r2", "baseline/fine_fem+coarse_collision"}) {
    const Result<LoadedScene> loaded = load_scene(folder_ / fmt::format("high-order-ipc/scripts/{}.json", name));
    ASSERT_TRUE(loaded.has_value()) << name << ": " << to_string(loaded.issues().at(0));
    const BodyDesc& body = loaded->scene.bodies.at(0);
    ASSERT_TRUE(body.collision_surface) << name;
    EXPECT_NE(body.collision_surface->mesh, "") << name;
  }
}

TEST_F(PolyfemScenes, HaveWeightsForNodesOfTheirMeshFiles) {
  const auto has_weights = [&](const std::string& name) {
    const Result<LoadedScene> loaded = load_scene(folder_ / ("high-order-ipc/scripts/" + name + ".json"));
    if (!loaded) ADD_FAILURE() << name << ": " << to_string(loaded.issues().at(0));
    if (!loaded) return false;
    const bool is_warned = std::any_of(loaded->warnings.begin(), loaded->warnings.end(), [](const Issue& issue) {
      return issue.place == "contact.collision_mesh.linear_map";
    });
    const bool is_set = loaded->scene.bodies.at(0).collision_surface.value().weights != "";
    EXPECT_NE(is_set, is_warned) << name;
    return is_set;
  };
  for (const char* name : {"baseline/coarse_fem+fine_collision", "baseline/fine_fem+coarse_collision",
                           "bounce/bounce-P1", "friction/armadillo-roller", "higher-order/coarse-golf-ball-3D-P1",
                           "stress-tests/trash-compactor-octocat", "tests/bc-coarse-coll"}) {
    EXPECT_TRUE(has_weights(name)) << name;
  }
  // These weights belong to nodes of order 2 and 3, which PolyFEM numbers itself; they are not read.
  for (const char* name : {"bounce/bounce-P4", "higher-order/coarse-golf-ball-3D-P3", "higher-order/sphere-P2",
                           "stress-tests/trash-compactor-octocat-P2-wCM-r2"}) {
    EXPECT_FALSE(has_weights(name)) << name;
  }
}

}  // namespace
}  // namespace clearance
