// Surfaces with holes and bodies without a surface: each is refused or told, whatever its format, dimension and kind.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/surface.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

class OpenSurfaces : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::to_string(::getpid()) + "_open_" + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    Mesh box = surface_of(make_box({1, 1, 1}, {1, 1, 1}));
    box.triangles.pop_back();
    for (const char* name : {"box.obj", "box.off", "box.ply", "box.stl", "box.msh", "box.vtu"}) write(name, box);
    Mesh tube = box;
    std::erase_if(tube.triangles, [&](const std::array<int, 3>& t) {
      const auto y = [&](std::size_t i) { return tube.vertices[t[i]][1]; };
      return y(0) == y(1) && y(1) == y(2);
    });
    write("tube.off", tube);
    Mesh outline = surface_of(make_rectangle(1, 1, 2, 2));
    outline.edges.pop_back();
    write("outline.obj", outline);
    write("solid.msh", make_box({1, 1, 1}, {1, 1, 1}));
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const Mesh& mesh) const { ASSERT_TRUE(write_mesh(folder_ / name, mesh)) << name; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  /// Returns all messages about a scene with this body, and whether it can start.
  struct Told {
    bool starts = false;
    std::string text;
  };
  Told told(const std::string& body, int dim = 3) const {
    const auto loaded = load_scene_text(
        fmt::format(R"({{"dimension": {}, "bodies": [{{"name": "a", {}}}, {{"generator": {{"kind": "{}"}},
            "transform": {{"translation": [9, 9, 0]}}}}]}})",
                    dim, body, dim == 3 ? "box" : "rectangle"),
        "scene", folder_);
    Told told;
    const auto add = [&](const Issues& issues) {
      for (const Issue& issue : issues) told.text += to_string(issue) + "\n";
    };
    add(loaded.issues());
    if (!loaded) return told;
    const Result<Simulation> simulation = Simulation::create(loaded->scene);
    told.starts = static_cast<bool>(simulation);
    add(simulation ? simulation->warnings() : simulation.issues());
    return told;
  }

  fs::path folder_;
};

TEST_F(OpenSurfaces, OfStiffBodiesAreToldInEveryFormatAndDimension) {
  for (const std::string kind : {"affine", "rigid"}) {
    for (const auto& [file, dim, phrase] :
         {std::tuple("box.obj", 3, "3 edges are not closed"), std::tuple("box.off", 3, "3 edges are not closed"),
          std::tuple("box.ply", 3, "3 edges are not closed"), std::tuple("box.stl", 3, "3 edges are not closed"),
          std::tuple("box.msh", 3, "3 edges are not closed"), std::tuple("tube.off", 3, "8 edges are not closed"),
          std::tuple("outline.obj", 2, "2 vertices are not closed")}) {
      const Told all = told(fmt::format(R"("mesh": "{}", "units": "m", "kind": "{}")", file, kind), dim);
      EXPECT_TRUE(all.starts) << file << all.text;
      EXPECT_NE(all.text.find(phrase), std::string::npos) << file << kind << all.text;
    }
  }
  const Told inline_one =
      told(R"("kind": "affine", "geometry": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
      "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2]]})");
  EXPECT_NE(inline_one.text.find("3 edges are not closed"), std::string::npos) << inline_one.text;
}

TEST_F(OpenSurfaces, OfDeformableBodiesAreRefusedWithTheWayOut) {
  for (const auto& [file, dim] : {std::pair("box.obj", 3), std::pair("box.off", 3), std::pair("box.ply", 3),
                                  std::pair("box.msh", 3), std::pair("tube.off", 3), std::pair("outline.obj", 2)}) {
    const Told all = told(fmt::format(R"("mesh": "{}")", file), dim);
    EXPECT_FALSE(all.starts) << file;
    EXPECT_NE(all.text.find("a deformable body needs elements; fill its surface or outline by `\"volume_mesh\": {}`"),
              std::string::npos)
        << all.text;
  }
}

TEST_F(OpenSurfaces, OfCollisionAreTold) {
  for (const std::string file : {"box.obj", "box.off", "tube.off"}) {
    const Told all = told(fmt::format(R"("mesh": "solid.msh", "collision_surface": {{"mesh": "{}"}})", file));
    EXPECT_NE(all.text.find("is open, so that other bodies can enter through its holes"), std::string::npos)
        << file << all.text;
  }
  write("points.obj", std::string("v 0 0 0\nv 1 0 0\n"));
  write("empty.obj", std::string());
  EXPECT_FALSE(told(R"("mesh": "solid.msh", "collision_surface": {"mesh": "points.obj"})").starts);
  EXPECT_FALSE(told(R"("mesh": "solid.msh", "collision_surface": {"mesh": "empty.obj"})").starts);
}

TEST_F(OpenSurfaces, ThatAreMissingAreRefusedInEveryFormatForEveryKind) {
  write("empty.obj", std::string("# nothing\n"));
  write("empty.off", std::string("OFF\n0 0 0\n"));
  write("empty.stl", std::string("solid a\nendsolid a\n"));
  write("empty.ply",
        std::string("ply\nformat ascii 1.0\nelement vertex 0\nproperty double x\nproperty double y\n"
                    "property double z\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n"));
  write("empty.msh",
        std::string("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n0\n$EndNodes\n$Elements\n0\n$EndElements\n"));
  write("empty.vtk", std::string("# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 0 double\n"
                                 "POLYGONS 0 0\n"));
  write("empty.node", std::string("0 3 0 0\n"));
  write("empty.ele", std::string("0 4 0\n"));
  for (const std::string kind : {"deformable", "affine", "rigid", "obstacle"}) {
    for (const std::string end : {"obj", "off", "stl", "ply", "msh", "vtk", "node"}) {
      const Told all = told(fmt::format(R"("mesh": "empty.{}", "kind": "{}")", end, kind));
      EXPECT_FALSE(all.starts) << end << kind;
      EXPECT_NE(all.text.find("expected a mesh, found no vertices"), std::string::npos) << end << kind << all.text;
    }
  }
}

TEST_F(OpenSurfaces, OfElementsThatCrossOrTurnOverAreRefused) {
  for (const std::string shape :
       {// An element turned over into its neighbour.
        R"("vertices": [[0,0,0], [1,0,0], [0,1,0], [0,0,1], [0.2,0.2,0.2]], "tets": [[0,1,2,3], [0,2,1,4]])",
        // Flat.
        R"("vertices": [[0,0,0], [1,0,0], [0,1,0], [1,1,0]], "tets": [[0,1,2,3]])",
        // Two elements on one side of a face.
        R"("vertices": [[0,0,0], [1,0,0], [0,1,0], [0,0,1], [0.2,0.2,2]], "tets": [[0,1,2,3], [0,1,2,4]])"}) {
    const Told all = told(fmt::format(R"("geometry": {{{}}})", shape));
    EXPECT_FALSE(all.starts) << shape;
  }
}

}  // namespace
}  // namespace clearance
