// Units, up axis and volume meshes of bodies from files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/mesh_mass.h"
#include "clearance/geometry/surface.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "clearance/io/scene_reader.h"
#include "clearance/meshing/mesh_program.h"
#include "clearance/simulation/load/load_bodies.h"
#include "clearance/simulation/simulation.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

class MeshFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("clearance_mesh_file_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "cache");
    ::setenv("CLEARANCE_CACHE", (folder_ / "cache").c_str(), 1);
    // 1 x 2 x 3, its middle at the origin.
    Mesh box = surface_of(make_box({1, 2, 3}, {1, 1, 1}));
    ASSERT_TRUE(write_mesh(folder_ / "box.obj", box));
    box.triangles.pop_back();
    ASSERT_TRUE(write_mesh(folder_ / "open.obj", box));
  }
  void TearDown() override {
    ::unsetenv("CLEARANCE_CACHE");
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  SceneDesc scene_of(const std::string& body) const {
    const Result<LoadedScene> loaded = load_scene_text("{\"bodies\": [" + body + "]}", "scene", folder_);
    if (loaded) return loaded->scene;
    ADD_FAILURE() << to_string(loaded.issues().front());
    return {};
  }
  /// Returns the warnings and errors, one line each.
  std::vector<std::string> told(const std::string& body) const {
    const Result<Simulation> simulation = Simulation::create(scene_of(body));
    std::vector<std::string> lines;
    for (const Issue& issue : simulation ? simulation->warnings() : simulation.issues()) {
      lines.push_back(to_string(issue));
    }
    return lines;
  }

  fs::path folder_;
};

TEST_F(MeshFile, UnitsScaleTheFileAndUpTurnsItBeforeTheTransform) {
  const Result<LoadedBodies> plain = load_bodies(scene_of(R"({"kind": "rigid", "mesh": "box.obj"})"));
  const Result<LoadedBodies> turned = load_bodies(scene_of(
      R"({"kind": "rigid", "mesh": "box.obj", "units": "mm", "up": "z", "transform": {"translation": [0, 5, 0]}})"));
  ASSERT_TRUE(plain && turned);
  const Mesh &a = plain->instances[0].mesh, &b = turned->instances[0].mesh;
  ASSERT_EQ(a.vertices.size(), b.vertices.size());
  for (std::size_t v = 0; v < a.vertices.size(); ++v) {
    const Vec<3>& x = a.vertices[v];
    EXPECT_NEAR((b.vertices[v] - Vec<3>(1e-3 * x[0], 5.0 + 1e-3 * x[2], -1e-3 * x[1])).norm(), 0.0, 1e-15);
  }
  // The mesh is turned, not mirrored.
  EXPECT_EQ(a.triangles, b.triangles);
  EXPECT_GT(mass_properties_of_solid(b.vertices, b.triangles).measure, 0.0);
}

TEST_F(MeshFile, OddSizesAreToldOnlyWithoutAUnit) {
  const auto stiff = [](const std::string& more) {
    return R"({"name": "part", "kind": "rigid", "mesh": "box.obj")" + more + "}";
  };
  // Keeps only the messages about the size: such a small body also falls too far in a step.
  const auto sized = [&](const char* scale, const std::string& more) {
    std::vector<std::string> lines =
        told(stiff(R"(, "material": {"density": 1000}, "transform": {"scale": )" + std::string(scale) + "}" + more));
    std::erase_if(lines, [](const std::string& line) {
      return line.find("er than a") == std::string::npos && line.find("er than 1") == std::string::npos;
    });
    return lines;
  };
  EXPECT_EQ(sized("30", "").size(), 0U);
  const std::vector<std::string> large = sized("40", "");
  ASSERT_EQ(large.size(), 1U) << testing::PrintToString(large);
  EXPECT_NE(large[0].find("'part', with a size of 120 m at "), std::string::npos) << large[0];
  EXPECT_NE(large[0].find("is larger than 100 m"), std::string::npos) << large[0];
  EXPECT_NE(large[0].find(R"(`"units": "mm"`)"), std::string::npos) << large[0];
  EXPECT_EQ(sized("40", R"(, "units": "m")").size(), 0U);
  const std::vector<std::string> small = sized("2e-5", "");
  ASSERT_EQ(small.size(), 1U) << testing::PrintToString(small);
  EXPECT_NE(small[0].find("is smaller than a tenth of a millimetre"), std::string::npos) << small[0];
  EXPECT_EQ(sized("2e-5", R"(, "units": "m")").size(), 0U);
}

TEST_F(MeshFile, DeformableSurfaceIsToldTheWayOut) {
  const std::vector<std::string> lines = told(R"({"mesh": "box.obj"})");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find(R"(needs elements; fill its surface or outline by `"volume_mesh": {}` in the body)"),
            std::string::npos)
      << lines[0];
}

TEST_F(MeshFile, VolumeMeshFillsTheSurface) {
  if (find_mesh_program().empty()) GTEST_SKIP() << "clearance-mesh is not built: CGAL is missing";
  const SceneDesc scene = scene_of(R"({"mesh": "box.obj", "volume_mesh": {"edge_length": 1}})");
  const Result<LoadedBodies> first = load_bodies(scene), known = load_bodies(scene);
  ASSERT_TRUE(first && known);
  const Mesh& mesh = first->instances[0].mesh;
  EXPECT_TRUE(first->warnings.empty());
  EXPECT_NEAR(mass_properties_of_tets(mesh.vertices, mesh.tets).measure, 6.0, 6e-3);
  EXPECT_EQ(mesh.vertices, known->instances[0].mesh.vertices);
  EXPECT_EQ(mesh.tets, known->instances[0].mesh.tets);
}

TEST_F(MeshFile, BrokenSurfaceIsAWarningWithItsDeviation) {
  if (find_mesh_program().empty()) GTEST_SKIP() << "clearance-mesh is not built: CGAL is missing";
  const auto warned =
      load_bodies(scene_of(R"({"name": "part", "mesh": "open.obj", "volume_mesh": {"edge_length": 0.5}})"));
  ASSERT_TRUE(warned);
  ASSERT_EQ(warned->warnings.size(), 2U);
  EXPECT_EQ(to_string(warned->warnings[0]),
            "bodies[0].volume_mesh: warning: the surface of body 'part' was repaired: 1 hole closed");
  const std::string line = to_string(warned->warnings[1]);
  EXPECT_NE(
      line.find("bodies[0].volume_mesh: warning: the surface of body 'part' does not enclose a volume: 3 open edges"),
      std::string::npos)
      << line;
}

TEST_F(MeshFile, WhatHasElementsIsRefused) {
  ASSERT_TRUE(write_mesh(folder_ / "solid.msh", make_box({1, 1, 1}, {1, 1, 1})));
  const auto bodies = load_bodies(scene_of(R"({"name": "part", "mesh": "solid.msh", "volume_mesh": {}})"));
  ASSERT_FALSE(bodies);
  const std::string line = to_string(bodies.issues()[0]);
  EXPECT_NE(line.find("solid.msh: bodies[0].volume_mesh: mesh of body 'part': the mesh is not a bare surface, because "
                      "it already has elements"),
            std::string::npos)
      << line;
}

}  // namespace
}  // namespace clearance
