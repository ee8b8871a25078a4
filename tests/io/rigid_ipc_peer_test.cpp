// Every published Rigid IPC scene is read; some results are checked in detail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "clearance/geometry/mass_properties.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/scene_reader.h"
#include "io/ipc_world.h"
#include "support/paths.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

class RigidIpcFixtures : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = peer_data() / "rigid-ipc" / "fixtures";
    if (!fs::is_directory(folder_)) GTEST_SKIP() << "no published scenes in " << folder_;
  }
  SceneDesc load(const std::string& name) const {
    const Result<LoadedScene> loaded = load_scene(folder_ / name);
    for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
    return loaded ? loaded->scene : SceneDesc{};
  }
  fs::path folder_;
};

TEST_F(RigidIpcFixtures, AreAllReadButThoseWithoutTheirMeshes) {
  int num_scenes = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_)) {
    if (entry.path().extension() != ".json") continue;
    ++num_scenes;
    const Result<LoadedScene> loaded = load_scene(entry.path());
    if (entry.path().filename() == "expanding-lock-box.json") {
      // Six of its meshes were never published.
      EXPECT_EQ(loaded.issues().size(), 6U);
      continue;
    }
    if (entry.path().filename() == "1_link.json" && entry.path().string().find("wire") != std::string::npos) {
      // Nothing in the scene can move.
      ASSERT_EQ(loaded.issues().size(), 1U);
      EXPECT_EQ(loaded.issues()[0].message, "a scene needs at least one body that is not an obstacle");
      continue;
    }
    for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
    if (!loaded) continue;
    const bool is_plane = entry.path().string().find("fixtures/2D") != std::string::npos;
    EXPECT_EQ(loaded->scene.dimension, is_plane ? 2 : 3) << entry.path();
    EXPECT_GT(loaded->scene.solver.tolerance, 0.0);
  }
  EXPECT_GT(num_scenes, 100);
}

TEST_F(RigidIpcFixtures, BoltHasTheValuesOfItsFile) {
  const SceneDesc scene = load("3D/mechanisms/bolt.json");
  EXPECT_EQ(scene.name, "bolt");
  EXPECT_EQ(scene.time.step, 0.01);
  EXPECT_EQ(scene.time.duration, 5.0);
  EXPECT_EQ(scene.contact.dhat, 1e-4);
  EXPECT_TRUE(scene.contact.dhat_is_absolute);
  EXPECT_EQ(scene.gravity, Vec<3>(0, -9.81, 0));
  EXPECT_EQ(scene.friction.coefficient, 0.0);
  ASSERT_EQ(scene.bodies.size(), 2U);
  EXPECT_EQ(scene.bodies[0].kind, BodyKind::obstacle);
  const BodyDesc& screw = scene.bodies[1];
  EXPECT_EQ(screw.name, "screw-big");
  EXPECT_EQ(screw.kind, BodyKind::affine);
  EXPECT_EQ(screw.material.density, 8050.0);
  EXPECT_EQ(screw.transform.scale, Vec<3>::Constant(0.01));
  // The tolerance is a fraction of the diagonal of the box around both.
  WorldBox box = world_box_of(scene, 0);
  const WorldBox other = world_box_of(scene, 1);
  box.min = box.min.cwiseMin(other.min);
  box.max = box.max.cwiseMax(other.max);
  EXPECT_NEAR(scene.solver.tolerance, 1e-2 * (box.max - box.min).norm(), 1e-12);
}

TEST_F(RigidIpcFixtures, OpenCardsHaveTheMassOfTheirArea) {
  const SceneDesc scene = load("3D/friction/card-house/card-tent.json");
  ASSERT_EQ(scene.bodies.size(), 3U);
  EXPECT_EQ(scene.bodies[0].kind, BodyKind::obstacle);
  EXPECT_FALSE(scene.bodies[0].mass.has_value());
  // A quad of 10 m by 10 m, scaled by 0.25 and 0.125, of 1000 kg/m^2.
  EXPECT_NEAR(scene.bodies[1].mass.value(), 2.5 * 1.25 * 1000.0, 1e-9);
  EXPECT_EQ(scene.friction.coefficient, 0.5);
  EXPECT_EQ(scene.friction.iterations, 0);
  EXPECT_EQ(scene.time.duration, 2.0);
  EXPECT_TRUE(scene.bodies[1].motions.empty());
}

TEST_F(RigidIpcFixtures, BatTurnsAboutItsCentreOnly) {
  const SceneDesc scene = load("3D/unit-tests/bat.json");
  const BodyDesc& bat = scene.bodies[0];
  EXPECT_EQ(bat.kind, BodyKind::affine);
  EXPECT_EQ(bat.fixed_translation, (std::array<bool, 3>{true, true, true}));
  EXPECT_EQ(bat.fixed_rotation, (std::array<bool, 3>{false, false, false}));
  EXPECT_EQ(bat.angular_velocity, Vec<3>(-500, 2000, 0));
  EXPECT_FALSE(bat.mass.has_value());
  EXPECT_TRUE(bat.loads.empty()) << "its torque is zero";
  // `dimensions`, then turned by a quarter about x: y becomes z.
  const WorldBox box = world_box_of(scene, 0);
  EXPECT_TRUE((box.max - box.min).isApprox(Vec<3>(0.0635, 0.0635, 0.8636), 1e-12));
}

TEST_F(RigidIpcFixtures, KinematicBodiesMoveAboutTheirCentresOfMass) {
  const SceneDesc scene = load("3D/mechanisms/507-movements/092-piston.json");
  const BodyDesc& crank = scene.bodies[0];
  ASSERT_EQ(crank.motions.size(), 1U);
  EXPECT_EQ(crank.motions[0].angular_velocity, Vec<3>(0, 0, -360));
  EXPECT_EQ(crank.motions[0].end, infinity);
  const Mesh mesh = read_mesh(fs::path(scene.base_directory) / crank.mesh).value();
  const Vec<3> center = mass_properties_of_solid(mesh.vertices, mesh.triangles).center;
  const Vec<3> placed = rotation_of(crank.transform.rotation) * (1e-3 * center) + crank.transform.translation;
  EXPECT_LT((crank.motions[0].center.value() - placed).norm(), 1e-9);

  const SceneDesc plane = load("2D/tumbler.json");
  ASSERT_EQ(plane.bodies[0].motions.size(), 1U);
  EXPECT_EQ(plane.bodies[0].motions[0].angular_velocity, Vec<3>(0, 0, 90));
  EXPECT_EQ(plane.bodies[0].motions[0].end, 7.5);
}

TEST_F(RigidIpcFixtures, PosesComeBeforeVelocities) {
  const SceneDesc scene = load("3D/examples/kinematically-scripted.json");
  const BodyDesc& cube = scene.bodies[3];
  ASSERT_EQ(cube.motions.size(), 2U);
  ASSERT_EQ(cube.motions[0].poses.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(cube.motions[0].poses[i].position, Vec<3>(0, 1.0 + static_cast<double>(i), 0));
    EXPECT_LT(cube.motions[0].poses[i].rotation.norm(), 1e-9);
  }
  EXPECT_DOUBLE_EQ(cube.motions[0].end, 0.03);
  EXPECT_EQ(cube.motions[1].start, cube.motions[0].end);
  EXPECT_EQ(cube.motions[1].angular_velocity, Vec<3>(1500, 0, 0));
  EXPECT_EQ(cube.motions[1].center, Vec<3>(0, 3, 0));
}

TEST_F(RigidIpcFixtures, TorquesAreConvertedLikeAngles) {
  const SceneDesc scene = load("3D/unit-tests/rotation/torque-test.json");
  ASSERT_EQ(scene.bodies[0].loads.size(), 1U);
  EXPECT_EQ(scene.bodies[0].loads[0].kind, LoadKind::torque);
  EXPECT_NEAR(scene.bodies[0].loads[0].value[1], 3.14159265358979 / 2, 1e-14);
}

TEST_F(RigidIpcFixtures, MinimumSeparationAndGroupsOfThePacking) {
  const SceneDesc scene = load("3D/minimum-separation/packing.json");
  EXPECT_EQ(scene.contact.min_separation, 1e-3);
  EXPECT_EQ(scene.time.step, 1.0);
  const BodyDesc& hopper = scene.bodies.front();
  const BodyDesc& press = scene.bodies.back();
  EXPECT_EQ(hopper.kind, BodyKind::obstacle);
  EXPECT_EQ(press.kind, BodyKind::affine);
  EXPECT_EQ(press.collision_group, hopper.collision_group);
  EXPECT_EQ(scene.bodies[1].collision_group, -1);
  EXPECT_EQ(press.fixed_translation, (std::array<bool, 3>{true, false, true}));
}

TEST_F(RigidIpcFixtures, OutlinesOfThePlaneAreWires) {
  const SceneDesc scene = load("2D/simple/square_falling_onto_floor.json");
  const BodyDesc& square = scene.bodies[0];
  ASSERT_TRUE(square.geometry.has_value());
  EXPECT_EQ(square.geometry->edges.size(), 4U);
  EXPECT_GT(square.mass.value(), 0.0);
  EXPECT_TRUE(square.geometry->triangles.empty());
}

TEST_F(RigidIpcFixtures, ScenesElsewhereFindThePublishedMeshes) {
  const fs::path scene = folder_ / "../../../baselines/scenes/wb-light.json";
  if (!fs::exists(scene)) GTEST_SKIP() << "no wrecking balls";
  const Result<LoadedScene> loaded = load_scene(scene);
  for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->scene.bodies.size(), 18U);
}

}  // namespace
}  // namespace clearance
