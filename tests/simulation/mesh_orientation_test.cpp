// Meshes whose elements list their vertices in the opposite order.
#include <unistd.h>

#include <filesystem>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

Result<LoadedBodies> load(Mesh mesh, const std::string& name) {
  const fs::path file = fs::temp_directory_path() / (std::to_string(::getpid()) + name);
  EXPECT_TRUE(write_mesh(file, mesh));
  SceneDesc scene;
  scene.dimension = mesh.dim;
  scene.bodies.resize(1);
  scene.bodies[0].name = "body";
  scene.bodies[0].mesh = file.string();
  Result<LoadedBodies> loaded = load_bodies(scene);
  fs::remove(file);
  return loaded;
}

TEST(MeshOrientation, MeshThatIsTurnedAsAWholeIsTurnedBack) {
  Mesh plane = make_rectangle(2, 1, 3, 2), solid = make_box({1, 1, 1}, {2, 1, 1});
  for (auto& triangle : plane.triangles) std::swap(triangle[1], triangle[2]);
  for (auto& tet : solid.tets) std::swap(tet[2], tet[3]);
  for (const auto& [mesh, name] : {std::pair(plane, "plane.obj"), std::pair(solid, "solid.msh")}) {
    const auto loaded = load(mesh, name);
    for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
    ASSERT_TRUE(loaded);
    EXPECT_TRUE(find_element_defects(loaded->instances[0].mesh).empty());
  }
}

TEST(MeshOrientation, SingleTurnedElementIsAnError) {
  Mesh plane = make_rectangle(2, 1, 3, 2);
  std::swap(plane.triangles[4][1], plane.triangles[4][2]);
  const auto loaded = load(plane, "twisted.obj");
  ASSERT_EQ(loaded.issues().size(), 1u);
  EXPECT_NE(loaded.issues()[0].message.find("has 1 inverted triangle: number 4"), std::string::npos);
}

}  // namespace
}  // namespace clearance
