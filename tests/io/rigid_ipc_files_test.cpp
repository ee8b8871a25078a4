// Rigid IPC scenes in files: where their meshes are, and native scenes made of them.
#include <filesystem>
#include <fstream>

#include "clearance/io/scene_reader.h"
#include "clearance/scene/json_writer.h"
#include "io/rigid_ipc_support.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;
using namespace rigid_ipc_test;

class RigidIpcFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::string("clearance_rigid_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "meshes" / "sub");
    fs::create_directories(folder_ / "fixtures" / "3D");
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  fs::path folder_;
};

constexpr const char* tet_stl = R"(solid
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 0 1 0
vertex 1 0 0
endloop
endfacet
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 0 1
endloop
endfacet
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 0 0 1
vertex 0 1 0
endloop
endfacet
facet normal 0 0 0
outer loop
vertex 1 0 0
vertex 0 1 0
vertex 0 0 1
endloop
endfacet
endsolid)";

TEST_F(RigidIpcFiles, MeshesAreFoundAboveTheSceneAndStlVerticesMerged) {
  write("meshes/sub/tet.stl", tet_stl);
  write("fixtures/3D/near.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const fs::path path =
      write("fixtures/3D/scene.json", scene_of(R"({"mesh": "sub/tet.stl"}, {"mesh": "near.obj", "type": "static"})"));
  const Result<LoadedScene> loaded = load_scene(path);
  for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->scene.bodies[0].mesh, (folder_ / "meshes/sub/tet.stl").string());
  EXPECT_EQ(loaded->scene.bodies[1].mesh, "near.obj");
  EXPECT_EQ(loaded->scene.bodies[0].name, "tet");
  // A soup of four triangles would be open.
  EXPECT_FALSE(loaded->scene.bodies[0].mass.has_value());
}

TEST_F(RigidIpcFiles, NativeSceneReadBackIsTheSame) {
  write("meshes/sub/tet.stl", tet_stl);
  const std::string bodies = R"({"mesh": "sub/tet.stl", "scale": [1, 2, 0.3], "rotation": [1, 2, 3], "group_id": 2},)" +
                             body_of(box, R"("type": "kinematic", "angular_velocity": [0, 0, 7])") + "," +
                             body_of(box, R"("is_dof_fixed": [true, true, true, true, true, false])");
  const Result<LoadedScene> loaded = load_scene(write("fixtures/3D/scene.json", scene_of(bodies)));
  ASSERT_TRUE(loaded.has_value());
  const fs::path native = folder_ / "native.json";
  ASSERT_TRUE(save_scene(native, loaded->scene));
  const Result<LoadedScene> again = load_scene(native);
  for (const Issue& issue : again.issues()) ADD_FAILURE() << to_string(issue);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(scene_to_json(again->scene), scene_to_json(loaded->scene));
}

TEST_F(RigidIpcFiles, OverridesNameTheNativeScene) {
  const fs::path path = write("scene.json", scene_of(body_of(box) + "," + body_of(box, R"("type": "static")")));
  const Result<LoadedScene> loaded =
      load_scene(path, SceneFormat::rigid_ipc, {"bodies.type=rigid", "time.step=0.5", "bodies[0].mass=3"});
  for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->scene.bodies[0].kind, BodyKind::rigid);
  EXPECT_EQ(loaded->scene.bodies[1].kind, BodyKind::obstacle);
  EXPECT_EQ(loaded->scene.time.step, 0.5);
  EXPECT_EQ(loaded->scene.bodies[0].mass, 3.0);
}

}  // namespace
}  // namespace clearance
