// Vertices that no element of a body uses count in nothing, and a body that consists of points alone is reported.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "clearance/simulation/hints/body_facts.h"
#include "clearance/simulation/load/region.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

class UnusedVertices : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::to_string(::getpid()) + "_unused_" + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    write("point.msh", cube("9\n", "9 0.5 -3 0.5\n", "7\n", "7 15 2 0 1 9\n"));
    write("orphan.msh", cube("9\n", "9 0.5 -3 0.5\n", "6\n", ""));
    write("clean.msh", cube("8\n", "", "6\n", ""));
    const std::string surface = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    write("clean.obj", surface);
    write("point.obj", surface + "v 0.5 -3 0.5\np 5\n");
    write("orphan.obj", surface + "v 0.5 -3 0.5\n");
    write("orphan.off", "OFF\n5 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n.5 -3 .5\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n");
    write(
        "point.vtk",
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1 .5 "
        "-3 .5\nCELLS 2 7\n4 0 1 2 3\n1 4\nCELL_TYPES 2\n10\n1\n");
    write("plane.msh",
          "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 .5 -3 0\n$EndNodes\n"
          "$Elements\n3\n1 2 2 0 1 1 2 3\n2 2 2 0 1 1 3 4\n3 15 2 0 1 5\n$EndElements\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string cube(const std::string& num_nodes, const std::string& node, const std::string& num_elements,
                          const std::string& element) {
    return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + num_nodes +
           "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n5 0 0 1\n6 1 0 1\n7 0 1 1\n8 1 1 1\n" + node +
           "$EndNodes\n$Elements\n" + num_elements +
           "1 4 2 0 1 1 2 4 8\n2 4 2 0 1 1 6 2 8\n3 4 2 0 1 1 4 3 8\n4 4 2 0 1 1 3 7 8\n5 4 2 0 1 1 5 6 8\n"
           "6 4 2 0 1 1 7 5 8\n" +
           element + "$EndElements\n";
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  /// (A scene needs a body that is no obstacle.)
  Result<LoadedScene> scene(const std::string& body, int dim = 3) const {
    const std::string other =
        fmt::format(R"(, {{"generator": {{"kind": "{}"}}, "transform": {{"translation": [9, 9, 0]}}}})",
                    dim == 3 ? "box" : "rectangle");
    return load_scene_text(fmt::format(R"({{"dimension": {}, "bodies": [{{"name": "a", {}}}{}]}})", dim, body,
                                       body.find("obstacle") == std::string::npos ? "" : other),
                           "scene", folder_);
  }
  std::vector<std::string> told(const std::string& body, int dim = 3) const {
    const auto bodies = load_bodies(scene(body, dim)->scene);
    std::vector<std::string> lines;
    for (const Issue& issue : bodies ? bodies->warnings : bodies.issues()) lines.push_back(to_string(issue));
    return lines;
  }
  fs::path folder_;
};

TEST_F(UnusedVertices, DoNotWidenTheBoxesOfRegions) {
  const std::string upper = R"(, "motions": [{"region": {"box": [[0, 0.5, 0], [1, 1, 1]], "frame": "body"}}])";
  for (const auto& [file, kind, dim, count] :
       {std::tuple("clean.msh", "deformable", 3, 4), std::tuple("point.msh", "deformable", 3, 4),
        std::tuple("orphan.msh", "deformable", 3, 4), std::tuple("point.vtk", "deformable", 3, 1),
        std::tuple("plane.msh", "deformable", 2, 2), std::tuple("point.msh", "obstacle", 3, 4),
        std::tuple("point.obj", "obstacle", 3, 1), std::tuple("orphan.obj", "obstacle", 3, 1),
        std::tuple("orphan.off", "obstacle", 3, 1), std::tuple("plane.msh", "obstacle", 2, 2)}) {
    const auto loaded = scene(fmt::format(R"("mesh": "{}", "kind": "{}")", file, kind) + upper, dim);
    ASSERT_TRUE(loaded) << to_string(loaded.issues().front());
    const auto bodies = load_bodies(loaded->scene);
    ASSERT_TRUE(bodies) << to_string(bodies.issues().front());
    const BodyDesc& desc = loaded->scene.bodies[0];
    EXPECT_EQ(std::ssize(select_nodes(bodies->instances[0], desc.transform, desc.motions[0].region, dim)), count)
        << file << " " << kind;
  }
}

TEST_F(UnusedVertices, AreNoPartOfBodiesOfAnyKindAndAreTold) {
  for (const auto& [file, kind, dim] :
       {std::tuple("point.msh", "affine", 3), std::tuple("point.msh", "rigid", 3), std::tuple("point.obj", "affine", 3),
        std::tuple("orphan.obj", "affine", 3), std::tuple("orphan.off", "rigid", 3),
        std::tuple("point.vtk", "affine", 3), std::tuple("point.obj", "obstacle", 3),
        std::tuple("point.msh", "deformable", 3), std::tuple("plane.msh", "affine", 2),
        std::tuple("plane.msh", "deformable", 2)}) {
    const std::string body = fmt::format(R"("mesh": "{}", "kind": "{}")", file, kind);
    const std::vector<std::string> lines = told(body, dim);
    ASSERT_EQ(lines.size(), 1u) << file << kind << testing::PrintToString(lines);
    EXPECT_NE(lines[0].find("belongs to no element and is left out"), std::string::npos) << lines[0];
    const auto bodies = load_bodies(scene(body, dim)->scene);
    const BoundingBox box = bounding_box(bodies->instances[0].mesh.vertices);
    EXPECT_EQ(box.min[1], 0.0) << file << kind;
    EXPECT_TRUE(bodies->instances[0].mesh.points.empty());
  }
}

TEST_F(UnusedVertices, DoNotChangeTheMassOfStiffBodies) {
  for (const auto& [file, clean] :
       {std::pair("point.msh", "clean.msh"), std::pair("orphan.msh", "clean.msh"), std::pair("point.obj", "clean.obj"),
        std::pair("orphan.obj", "clean.obj"), std::pair("orphan.off", "clean.obj")}) {
    const auto frame = [&](const std::string& name) {
      return RunningScene(scene(fmt::format(R"("mesh": "{}", "kind": "affine")", name))).scene().stiff_units[0].frame;
    };
    EXPECT_EQ(frame(file).mass, frame(clean).mass) << file;
    EXPECT_EQ(frame(file).radius, frame(clean).radius) << file;
  }
}

TEST_F(UnusedVertices, OfFurtherFormatsOrdersAndPlacesInTheFileAreLeftOut) {
  const std::string rows = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n0.5 -3 0.5\n", faces = "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
  write("last.ply",
        "ply\nformat ascii 1.0\nelement vertex 5\nproperty double x\nproperty double y\nproperty double z\n"
        "element face 4\nproperty list uchar int vertex_indices\nend_header\n" +
            rows + faces);
  write("first.obj", "v 0.5 -3 0.5\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 2 4 3\nf 2 3 5\nf 2 5 4\nf 3 4 5\n");
  write("tets.node", "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0.5 -3 0.5\n4 0 1 0\n5 0 0 1\n");
  write("tets.ele", "1 4 0\n1 1 2 4 5\n");
  write("plane.off", "OFF\n5 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n.5 -3 0\n3 0 1 2\n3 0 2 3\n");
  write(
      "grid.vtu",
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\">\n<UnstructuredGrid>\n"
      "<Piece NumberOfPoints=\"5\" NumberOfCells=\"1\">\n<Points><DataArray type=\"Float64\" "
      "NumberOfComponents=\"3\" format=\"ascii\">" +
          rows +
          "</DataArray></Points>\n<Cells><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 2 3"
          "</DataArray><DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">4</DataArray><DataArray "
          "type=\"UInt8\" Name=\"types\" format=\"ascii\">10</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>");
  const std::string points = R"("vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, -3, 0.5]])";
  const double tet = 1000.0 / 6.0;
  for (const auto& [body, dim, mass] :
       {std::tuple(R"("mesh": "last.ply", "kind": "affine")", 3, tet),
        std::tuple(R"("mesh": "first.obj", "kind": "rigid", "transform": {"rotation": [0, 0, 90]})", 3, tet),
        std::tuple(R"("mesh": "tets.node")", 3, tet), std::tuple(R"("mesh": "tets.node", "kind": "rigid")", 3, tet),
        std::tuple(R"("mesh": "tets.node", "order": 3)", 3, tet),
        std::tuple(R"("mesh": "tets.node", "refinements": 2, "transform": {"scale": [-1, 1, 1]})", 3, tet),
        std::tuple(R"("mesh": "plane.off")", 2, 1000.0),
        std::tuple(R"("mesh": "plane.off", "kind": "affine")", 2, 1000.0), std::tuple(R"("mesh": "grid.vtu")", 3, tet),
        std::tuple(R"("mesh": "grid.vtu", "kind": "affine")", 3, tet)}) {
    SCOPED_TRACE(body);
    const RunningScene running(scene(body, dim));
    EXPECT_NEAR(body_masses(running.scene())[0], mass, 1e-9 * mass);
    const BoundingBox box = bounding_box(running.scene().bodies[0].mesh.vertices);
    EXPECT_GT(box.min[1], -0.01);
    EXPECT_EQ(told(body, dim).size(), 1u);
  }
  for (const std::string shape : {R"("triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}, "kind": "affine")",
                                  R"("tets": [[0, 1, 2, 3]]})"}) {
    const std::string body = R"("geometry": {)" + points + ", " + shape;
    EXPECT_NEAR(body_masses(RunningScene(scene(body)).scene())[0], tet, 1e-9 * tet) << body;
    EXPECT_EQ(told(body).size(), 1u) << body;
  }
}

TEST_F(UnusedVertices, TouchNothing) {
  // The floor lies 1 mm below the elements and far above the vertex.
  for (const std::string file : {"orphan.obj", "point.obj", "orphan.off", "point.msh", "orphan.msh"}) {
    for (const std::string kind : {"affine", "rigid"}) {
      RunningScene running(
          load_scene_text(fmt::format(R"({{"time": {{"step": 0.01}}, "half_spaces": [{{"point": [0, -0.001, 0]}}],
              "bodies": [{{"mesh": "{}", "kind": "{}"}}]}})",
                                      file, kind),
                          "scene", folder_));
      running.steps(10);
      EXPECT_NEAR(running.simulation().pose(0)->coeff(1, 3), -0.001, 0.002) << file << kind;
    }
  }
}

TEST_F(UnusedVertices, BodiesOfPointsAloneAreToldUnlessPointsAreMeant) {
  write("cloud.obj", "v 0 0 0\nv 1 0 0\n");
  write("one.obj", "v 0 0 0\n");
  write("named.obj", "g f 1 2 3\nv 0 0 0\n");
  write("cloud.ply",
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty double x\nproperty double y\nproperty double z\n"
        "end_header\n0 0 0\n");
  write("cloud.pt", "v 0 0 0\nv 1 0 0\n");
  for (const std::string kind : {"affine", "rigid", "obstacle"}) {
    for (const std::string file : {"cloud.obj", "one.obj", "named.obj", "cloud.ply"}) {
      const auto lines = told(fmt::format(R"("mesh": "{}", "kind": "{}")", file, kind));
      ASSERT_EQ(lines.size(), 1u) << file << kind;
      EXPECT_NE(lines[0].find(" and nothing else: number 0 "), std::string::npos) << lines[0];
    }
    EXPECT_TRUE(told(fmt::format(R"("mesh": "cloud.pt", "kind": "{}")", kind)).empty());
    if (kind != "obstacle") {
      EXPECT_TRUE(told(fmt::format(R"("mesh": "cloud.obj", "thickness": 0.1, "kind": "{}")", kind)).empty());
    }
  }
  EXPECT_EQ(told(R"("kind": "affine", "geometry": {"vertices": [[0, 0, 0]]})").size(), 1u);
}

TEST_F(UnusedVertices, BesideTheEdgesOfARodAreLeftOutAndTold) {
  write("wire.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 9 9 9\nl 1 2 3\n");
  EXPECT_EQ(told(R"("kind": "rod", "thickness": 0.01, "mesh": "wire.obj")"),
            std::vector<std::string>{"bodies[0].mesh: warning: body 'a': vertex 3 (counted from 0) of its mesh, at "
                                     "(9, 9, 9), belongs to no edge and is left out; check whether the file is "
                                     "complete, or remove it"});
  write("cloth.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nv 6 5 5\nf 1 2 3\nl 4 5\n");
  EXPECT_EQ(told(R"("kind": "shell", "thickness": 0.01, "mesh": "cloth.obj")"),
            std::vector<std::string>{"bodies[0].mesh: warning: body 'a': 2 of the 5 vertices of its mesh belong to no "
                                     "triangle and are left out: number 3 (counted from 0) is the first, at (5, 5, 5); "
                                     "check whether the file is complete, or remove them"});
}

TEST_F(UnusedVertices, ThinBodiesSayWhichElementsTheyNeed) {
  write("lines.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nl 1 2 3\n");
  write("cloud.obj", "v 0 0 0\nv 1 0 0\n");
  for (const auto& [kind, file, text] :
       {std::tuple("rod", "clean.obj", "rod 'a' needs edges; its mesh has 4 triangles and no edge"),
        std::tuple("rod", "clean.msh", "rod 'a' needs edges; its mesh has 6 tetrahedra and no edge"),
        std::tuple("shell", "lines.obj", "shell 'a' needs triangles; its mesh has 2 edges and no triangle"),
        std::tuple("shell", "cloud.obj", "shell 'a' needs triangles; its mesh has 2 vertices and no triangle"),
        std::tuple("rod", "cloud.obj", "rod 'a' needs edges; its mesh has 2 vertices and no edge")}) {
    const auto lines = told(fmt::format(R"("mesh": "{}", "kind": "{}", "thickness": 0.01)", file, kind));
    ASSERT_EQ(lines.size(), 1u) << file << kind;
    EXPECT_TRUE(lines[0].ends_with(text)) << lines[0];
  }
}

}  // namespace
}  // namespace clearance
