// Every mesh of the peers' scenes loads.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "io/mesh_test_support.h"

namespace clearance::test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> find_files(const fs::path& folder, const std::set<std::string>& extensions) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && extensions.count(entry.path().extension().string()) > 0)
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

#define SKIP_WITHOUT(folder) \
  if (!fs::exists(folder)) GTEST_SKIP() << "peer data is missing: " << (folder)

TEST(PeerMeshes, AllTetMeshesOfIpcLoad) {
  const fs::path folder = peer_data() / "ipc/input";
  SKIP_WITHOUT(folder);
  const auto files = find_files(folder, {".msh"});
  EXPECT_GE(files.size(), 50u);
  for (const fs::path& file : files) {
    const auto mesh = read_mesh(file);
    ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
    EXPECT_EQ(find_fault(*mesh), "") << file;
    EXPECT_GE(mesh->vertices.size(), 4u) << file;
    EXPECT_GE(mesh->tets.size(), 1u) << file;
    EXPECT_TRUE(mesh->triangles.empty()) << file;  // boundaries are not bodies
  }
}

TEST(PeerMeshes, KnownCounts) {
  const fs::path folder = peer_data() / "ipc/input";
  SKIP_WITHOUT(folder);
  const auto cube = read_mesh(folder / "tetMeshes/cube.msh");
  ASSERT_TRUE(cube.has_value());
  EXPECT_EQ(cube->vertices.size(), 8u);
  EXPECT_EQ(cube->tets.size(), 6u);
  const auto utopia = read_mesh(folder / "paperExamples/supplementB/Utopia/utopiaComparison39K.msh");
  ASSERT_TRUE(utopia.has_value());
  EXPECT_EQ(utopia->vertices.size(), 7453u);
  EXPECT_EQ(utopia->tets.size(), 38962u);
  const auto point = read_mesh(folder / "triMeshes/point.pt");
  ASSERT_TRUE(point.has_value()) << all_issues(point.issues());
  EXPECT_EQ(point->points, std::vector<int>{0});
  const auto edge = read_mesh(folder / "segMeshes/edge.seg");
  ASSERT_TRUE(edge.has_value());
  EXPECT_EQ(edge->edges.size(), 1u);
}

TEST(PeerMeshes, AllSurfacesAndSegmentsOfIpcLoad) {
  const fs::path folder = peer_data() / "ipc/input";
  SKIP_WITHOUT(folder);
  for (const fs::path& file : find_files(folder, {".obj", ".seg"})) {
    const auto mesh = read_mesh(file);
    ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
    EXPECT_EQ(find_fault(*mesh), "") << file;
    const std::size_t num_elements = mesh->triangles.size() + mesh->edges.size() + mesh->points.size();
    EXPECT_GE(file.extension() == ".seg" ? mesh->edges.size() : num_elements, 1u) << file;
  }
}

TEST(PeerMeshes, AllMeshesOfRigidIpcLoad) {
  const fs::path folder = peer_data() / "rigid-ipc/meshes";
  SKIP_WITHOUT(folder);
  const auto files = find_files(folder, {".obj", ".stl", ".off", ".ply", ".vtk", ".msh"});
  EXPECT_GE(files.size(), 100u);
  for (const fs::path& file : files) {
    const auto mesh = read_mesh(file);
    ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
    EXPECT_EQ(find_fault(*mesh), "") << file;
    EXPECT_GE(mesh->triangles.size() + mesh->tets.size() + mesh->edges.size() + mesh->points.size(), 1u) << file;
  }
}

TEST(PeerMeshes, PolyfemMeshesLoadOrNameTheirElements) {
  const fs::path folder = peer_data() / "polyfem-data/contact";
  SKIP_WITHOUT(folder);
  for (const fs::path& file : find_files(folder, {".msh", ".obj", ".ply"})) {
    const auto mesh = read_mesh(file);
    if (mesh.has_value()) {
      EXPECT_EQ(find_fault(*mesh), "") << file;
    } else {
      // order 2 to 4 and hexahedra
      EXPECT_NE(mesh.issues()[0].message.find("order 1"), std::string::npos) << all_issues(mesh.issues());
    }
  }
}

}  // namespace
}  // namespace clearance::test
