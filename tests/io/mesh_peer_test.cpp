// Every mesh of the peers' scenes loads.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "clearance/geometry/mesh_checks.h"
#include "geometry/curved_cell_support.h"
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
      EXPECT_EQ(mesh.issues()[0].value, "type 5: hexahedron") << all_issues(mesh.issues());
    }
  }
}

TEST(PeerMeshes, CurvedMeshesOfHighOrderIpcFitTogether) {
  const fs::path folder = peer_data() / "high-order-ipc/meshes";
  SKIP_WITHOUT(folder);
  const auto files = find_files(folder, {".msh"});
  EXPECT_GE(files.size(), 50u);
  int num_curved = 0;
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    const bool is_plane = file.string().find("/2D/") != std::string::npos;
    const auto mesh = read_mesh(file, {is_plane ? 2 : 3});
    ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
    EXPECT_EQ(find_fault(*mesh), "");
    EXPECT_GE(mesh->num_solid_cells(), 1u);
    EXPECT_EQ(mesh->edges.size() + mesh->points.size() + (is_plane ? 0 : mesh->triangles.size()), 0u);
    if (!mesh->has_curved_cells()) continue;
    ++num_curved;
    int num_shared = 0;
    EXPECT_EQ(find_unshared_node(*mesh, &num_shared), "");
    EXPECT_GT(num_shared, 0);
    const SurfaceDefects defects = find_surface_defects(boundary_triangles(*mesh));
    EXPECT_TRUE(defects.open_edges.empty());
    EXPECT_TRUE(defects.inconsistent_edges.empty());
  }
  EXPECT_EQ(num_curved, 7);
}

TEST(PeerMeshes, UnitBallsOfAllOrdersHaveTheirVolumes) {
  const fs::path folder = peer_data() / "high-order-ipc/meshes/sphere";
  SKIP_WITHOUT(folder);
  const std::array<double, 4> volumes = {2.86209, 4.11457, 4.19075, 4.18886};
  for (int order = 1; order <= 4; ++order) {
    auto mesh = read_mesh(folder / ("P" + std::to_string(order) + "-coarse.msh"));
    ASSERT_TRUE(mesh.has_value()) << all_issues(mesh.issues());
    ASSERT_EQ(mesh->tets.size(), 30u);
    EXPECT_EQ(mesh->order_of_cell(0), order);
    EXPECT_NEAR(volume_of_cells(*mesh), volumes[order - 1], 1e-5) << order;
    // The same shape at any higher order.
    for (int higher = order; higher <= 4; ++higher) {
      Mesh raised = *mesh;
      change_order(raised, higher);
      EXPECT_EQ(find_unshared_node(raised), "");
      EXPECT_NEAR(volume_of_cells(raised), volume_of_cells(*mesh), 1e-12) << order << " to " << higher;
      EXPECT_TRUE(is_closed_manifold(boundary_triangles(raised)));
    }
  }
}

}  // namespace
}  // namespace clearance::test
