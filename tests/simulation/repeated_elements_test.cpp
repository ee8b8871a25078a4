// Elements that a mesh lists more than once count once, wherever the mesh comes from.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/generators.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "clearance/simulation/hints/body_facts.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

class RepeatedBodies : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / (std::to_string(::getpid()) + "_repeated_" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  /// (A scene needs a body that is no obstacle.)
  Result<LoadedScene> scene(const std::string& body, const std::string& more = "") const {
    const std::string shape = more.find(R"("dimension": 2)") == std::string::npos ? "box" : "rectangle";
    const std::string other =
        R"(, {"generator": {"kind": ")" + shape + R"("}, "transform": {"translation": [9, 9, 0]}})";
    return load_scene_text("{" + more + R"("bodies": [{"name": "a", )" + body + "}" +
                               (body.find("obstacle") == std::string::npos ? "" : other) + "]}",
                           "scene", folder_);
  }
  /// Returns the messages of `load_bodies`, one line each.
  std::vector<std::string> told(const Result<LoadedScene>& loaded) const {
    std::vector<std::string> lines;
    for (const Issue& issue : loaded.issues()) lines.push_back(to_string(issue));
    if (!loaded) return lines;
    const auto bodies = load_bodies(loaded->scene);
    for (const Issue& issue : bodies ? bodies->warnings : bodies.issues()) lines.push_back(to_string(issue));
    return lines;
  }
  /// Expects one warning about copies, and no other.
  void expect_told(const Result<LoadedScene>& loaded, const std::string& phrase) const {
    const std::vector<std::string> lines = told(loaded);
    ASSERT_EQ(lines.size(), 1u) << testing::PrintToString(lines);
    EXPECT_NE(lines[0].find(phrase), std::string::npos) << lines[0];
  }
  static double mass(const RunningScene& scene) { return body_masses(scene.scene())[0]; }

  fs::path folder_;
};

/// Returns the mesh with every solid element twice, every second copy with two corners exchanged.
Mesh twice(Mesh mesh) {
  const std::size_t count = mesh.num_solid_cells();
  for (std::size_t c = 0; c < count; ++c) {
    const std::span<const int> of_cell = mesh.nodes_of_cell(c);
    std::vector<int> nodes(of_cell.begin(), of_cell.end());
    if (nodes.empty() && mesh.dim == 3) nodes.assign(mesh.tets[c].begin(), mesh.tets[c].end());
    if (nodes.empty()) nodes.assign(mesh.triangles[c].begin(), mesh.triangles[c].end());
    add_cell(mesh, nodes);
    if (c % 2 == 1) flip_cell(mesh, mesh.num_solid_cells() - 1);
  }
  return mesh;
}

TEST_F(RepeatedBodies, WeighOnceAndHaveAClosedSurfaceInEveryFormatOrderAndDimension) {
  struct Case {
    std::string name;
    Mesh mesh;
    double mass = 1000.0;
  };
  std::vector<Case> cases = {{"tets.msh", make_box({1, 1, 1}, {2, 2, 2})},
                             {"tets.vtu", make_box({1, 1, 1}, {1, 1, 1})},
                             {"plane.obj", make_rectangle(1, 1, 2, 2)},
                             {"plane.ply", make_rectangle(1, 1, 2, 2)},
                             {"plane.off", make_rectangle(1, 1, 2, 2)}};
  for (int order = 2; order <= 4; ++order) {
    Mesh solid = make_box({1, 1, 1}, {1, 1, 1}), plane = make_rectangle(1, 1, 2, 1);
    change_order(solid, order);
    change_order(plane, order);
    cases.push_back({fmt::format("order{}.msh", order), solid});
    cases.push_back({fmt::format("order{}.vtu", order), solid});
    cases.push_back({fmt::format("plane{}.msh", order), plane});
  }
  for (const Case& c : cases) {
    ASSERT_TRUE(write_mesh(folder_ / c.name, twice(c.mesh))) << c.name;
    const auto loaded = scene(fmt::format(R"("mesh": "{}")", c.name), fmt::format(R"("dimension": {}, )", c.mesh.dim));
    expect_told(loaded, fmt::format("{} {} of its mesh are listed again", c.mesh.num_solid_cells(),
                                    c.mesh.dim == 3 ? "tetrahedra" : "triangles"));
    const RunningScene running(loaded);
    EXPECT_NEAR(mass(running), c.mass, 1e-9) << c.name;
    const Mesh& mesh = running.scene().bodies[0].mesh;
    EXPECT_EQ(mesh.num_solid_cells(), c.mesh.num_solid_cells()) << c.name;
    EXPECT_EQ(running.model().surface.num_vertices > 0, true);
    if (c.mesh.dim == 3) {
      EXPECT_TRUE(is_closed_manifold(boundary_triangles(mesh))) << c.name;
    }
  }
}

constexpr const char* cube_nodes = "8\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n5 0 0 1\n6 1 0 1\n7 0 1 1\n8 1 1 1\n";

/// Returns a unit cube of six tetrahedra in group `all`, three of them again in group `steel`.
std::string cube_in_two_groups() {
  return std::string(
             "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"all\"\n3 2 \"steel\"\n"
             "$EndPhysicalNames\n$Nodes\n") +
         cube_nodes +
         "$EndNodes\n$Elements\n9\n1 4 2 1 1 1 2 4 8\n2 4 2 1 1 1 6 2 8\n3 4 2 1 1 1 4 3 8\n4 4 2 1 1 1 3 7 8\n"
         "5 4 2 1 1 1 5 6 8\n6 4 2 1 1 1 7 5 8\n7 4 2 2 1 1 4 2 8\n8 4 2 2 1 6 2 1 8\n9 4 2 2 1 1 4 3 8\n"
         "$EndElements\n";
}

TEST_F(RepeatedBodies, ElementOfTwoGroupsIsSelectedByEither) {
  write("cube.msh", cube_in_two_groups());
  for (const auto& [tag, expected] : {std::pair("steel", 4400.0), std::pair("all", 7800.0)}) {
    const RunningScene running(
        scene(fmt::format(R"("mesh": "cube.msh", "material": {{"density": 1000}}, "material_parts": [
            {{"region": {{"tags": ["{}"]}}, "material": {{"density": 7800}}}}])",
                          tag)));
    EXPECT_NEAR(running.total_mass(), expected, 1e-9) << tag;
  }
  for (const char* kind : {"affine", "rigid"}) {
    const RunningScene stiff(scene(fmt::format(R"("mesh": "cube.msh", "kind": "{}")", kind)));
    EXPECT_NEAR(mass(stiff), 1000.0, 1e-9) << kind;
    EXPECT_EQ(stiff.scene().bodies[0].mesh.triangles.size(), 12u);
  }
}

TEST_F(RepeatedBodies, NumbersOfElementsAreThoseOfTheFile) {
  write("cube.msh", cube_in_two_groups());
  const auto mass_with = [&](const std::string& more) {
    return RunningScene(scene(R"("mesh": "cube.msh", "material": {"density": 600}, )" + more)).total_mass();
  };
  const std::string part = R"("material_parts": [{"elements": )", heavy = R"(, "material": {"density": 6600}}])";
  // Element 8 is a copy of element 2.
  EXPECT_NEAR(mass_with(part + "[8]" + heavy), 1600.0, 1e-9);
  EXPECT_NEAR(mass_with(part + "[2, 8]" + heavy), 1600.0, 1e-9);
  EXPECT_NEAR(mass_with(part + "[5]" + heavy + R"(, "refinements": 1)"), 1600.0, 1e-9);
  EXPECT_NEAR(mass_with(R"("element_densities": [600, 1200, 1800, 2400, 3000, 3600, 1, 1, 1])"), 2100.0, 1e-9);
  EXPECT_NEAR(mass_with(R"("refinements": 1, "element_densities": [600, 1200, 1800, 2400, 3000, 3600, 1, 1, 1])"),
              2100.0, 1e-9);
  const std::vector<std::string> lines =
      told(scene(R"("mesh": "cube.msh", "material_parts": [{"elements": [9], "material": {}}])"));
  EXPECT_NE(testing::PrintToString(lines).find("the mesh has 9 tetrahedra"), std::string::npos);
}

TEST_F(RepeatedBodies, FallOnTheFloorAndStayThere) {
  const std::string world = R"("time": {"step": 0.02, "duration": 0.6}, "half_spaces": [{}], )";
  const std::string body = R"(, "transform": {"translation": [0, 0.05, 0]}, "material": {"youngs_modulus": 1e6})";
  const std::string corner = R"("geometry": {"vertices": [[0,0,0], [1,0,0], [0,1,0], [0,0,1]], "tets": )";
  ASSERT_TRUE(write_mesh(folder_ / "twice.msh", twice(make_box({1, 1, 1}, {1, 1, 1}))));
  for (const std::string& shape :
       {corner + "[[0,1,2,3], [0,1,2,3]]}", corner + "[[1,0,2,3], [2,1,0,3], [0,2,3,1]]}",
        std::string(R"("mesh": "twice.msh", "transform": {"translation": [0, 0.55, 0]})"),
        corner + "[[0,1,2,3], [0,3,1,2]]}, \"kind\": \"affine\"", corner + "[[0,1,2,3], [0,3,1,2]]}, \"order\": 2"}) {
    const bool is_placed = shape.find("transform") != std::string::npos;
    const bool is_stiff = shape.find("affine") != std::string::npos;
    RunningScene running(scene(shape + (is_placed  ? ""
                                        : is_stiff ? R"(, "transform": {"translation": [0, 0.05, 0]})"
                                                   : body),
                               world));
    running.steps(30);
    double lowest = infinity;
    const VecX x = running.model().surface_map.apply(running.state().x);
    for (int v = 0; v < running.model().surface.num_vertices; ++v) lowest = std::min(lowest, x[3 * v + 1]);
    EXPECT_GT(lowest, 0.0) << shape;
    EXPECT_LT(lowest, 0.03) << shape;
  }
}

TEST_F(RepeatedBodies, AdaptTheirElementsAsOthersDo) {
  ASSERT_TRUE(write_mesh(folder_ / "once.msh", make_box({1, 1, 1}, {1, 1, 1})));
  ASSERT_TRUE(write_mesh(folder_ / "twice.msh", twice(make_box({1, 1, 1}, {1, 1, 1}))));
  const auto moved = [&](const std::string& file) {
    RunningScene running(
        scene(R"("mesh": ")" + file + R"(", "transform": {"translation": [0, 0.55, 0]}, "remesh": {})",
              R"("time": {"step": 0.02, "mass": "consistent"}, "contact": {"formulation": "convergent"},
        "half_spaces": [{}], )"));
    running.steps(3);
    return running.state().x;
  };
  EXPECT_TRUE(moved("once.msh") == moved("twice.msh"));
}

TEST_F(RepeatedBodies, SurfacesWithTrianglesTwiceAreSolidWhateverHoldsThem) {
  const Mesh box = surface_of(make_box({1, 1, 1}, {2, 2, 2}));
  Mesh all = box, some = box;
  for (const auto& [a, b, c] : box.triangles) all.triangles.push_back({b, c, a});
  some.triangles.insert(some.triangles.end(), box.triangles.begin(), box.triangles.begin() + 7);
  for (const std::string name : {"box.obj", "box.stl", "box.ply", "box.off", "box.msh", "box.vtu"}) {
    for (const Mesh& mesh : {all, some}) {
      ASSERT_TRUE(write_mesh(folder_ / name, mesh));
      const auto loaded = scene(fmt::format(R"("mesh": "{}", "kind": "affine")", name));
      expect_told(loaded, fmt::format("{} triangles of its mesh are listed again", mesh.triangles.size() - 48));
      EXPECT_NEAR(mass(RunningScene(loaded)), 1000.0, 1e-6) << name;
      expect_told(scene(fmt::format(R"("mesh": "{}", "kind": "obstacle")", name)), "are listed again");
    }
  }
}

TEST_F(RepeatedBodies, DoubledSheetWeighsOnceAndIsTold) {
  const std::string sheet = R"("kind": "affine", "thickness": 0.01, "geometry": {
      "vertices": [[0,0,0], [1,0,0], [1,0,1], [0,0,1]], "triangles": )";
  expect_told(scene(sheet + "[[0,1,2], [0,2,3], [0,2,1], [0,3,2]]}"),
              "2 triangles of its mesh are the reverse of others");
  EXPECT_NEAR(mass(RunningScene(scene(sheet + "[[0,1,2], [0,2,3], [0,2,1], [0,3,2]]}"))),
              mass(RunningScene(scene(sheet + "[[0,1,2], [0,2,3]]}"))), 1e-12);
}

/// The unit cube, and its triangles in the formats that list nothing but surfaces.
constexpr std::array<std::array<int, 3>, 12> cube_triangles{{{0, 3, 1},
                                                             {1, 3, 7},
                                                             {0, 1, 5},
                                                             {5, 1, 7},
                                                             {0, 2, 3},
                                                             {3, 2, 7},
                                                             {0, 6, 2},
                                                             {2, 6, 7},
                                                             {0, 5, 4},
                                                             {4, 5, 7},
                                                             {0, 4, 6},
                                                             {6, 4, 7}}};
constexpr const char* cube_rows = "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n";

/// Returns `start` and the corners of each triangle, which begin with the corner `first`, on a line each.
std::string triangle_rows(const std::string& start, std::size_t first = 0) {
  std::string text;
  for (const auto& t : cube_triangles) {
    text += start + fmt::format("{} {} {}\n", t[first], t[(first + 1) % 3], t[(first + 2) % 3]);
  }
  return text;
}
std::string stl_of_cube(const std::string& name) {
  std::string text = "solid " + name + "\n";
  for (const auto& t : cube_triangles) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int v : t) text += fmt::format("vertex {} {} {}\n", v & 1, (v >> 1) & 1, (v >> 2) & 1);
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid " + name + "\n";
}

TEST_F(RepeatedBodies, SurfacesOutlinesAndRodsOfEveryFormatWeighOnce) {
  write("twice.off", std::string("OFF\n8 24 0\n") + cube_rows + triangle_rows("3 ") + triangle_rows("3 "));
  write("turned.ply", std::string("ply\nformat ascii 1.0\nelement vertex 8\nproperty double x\nproperty double y\n"
                                  "property double z\nelement face 24\nproperty list uchar int vertex_indices\n"
                                  "end_header\n") +
                          cube_rows + triangle_rows("3 ", 1) + triangle_rows("3 ", 2));
  write("solids.stl", stl_of_cube("a") + stl_of_cube("b"));
  write("box.node",
        std::string("8 3 0 0\n") + "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n5 0 0 1\n6 1 0 1\n7 0 1 1\n8 1 1 1\n");
  write("box.ele",
        "12 4 0\n1 1 2 4 8\n2 1 6 2 8\n3 1 4 3 8\n4 1 3 7 8\n5 1 5 6 8\n6 1 7 5 8\n7 1 4 2 8\n8 1 6 2 8\n"
        "9 8 4 3 1\n10 3 7 8 1\n11 1 5 6 8\n12 7 5 8 1\n");
  write("plane.vtk",
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 4 double\n0 0 0 1 0 0 1 1 0 0 1 0\n"
        "POLYGONS 4 16\n3 0 1 2\n3 0 2 3\n3 1 2 0\n3 3 0 2\n");
  write("rod.seg", "v 0 0 0\nv 1 0 0\ns 1 2\ns 2 1\ns 1 2\n");
  write("outline.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nl 1 2 3 4 1\nl 1 2\nl 4 1\n");
  struct Case {
    std::string body;
    int dim;
    std::string told;
    double mass;
  };
  const double rod = 1000.0 * 3.14159265358979323846 / 4.0 * 0.01;
  for (const Case& c : {Case{R"("mesh": "twice.off", "kind": "affine")", 3, "12 triangles", 1000.0},
                        Case{R"("mesh": "turned.ply", "kind": "rigid")", 3, "12 triangles", 1000.0},
                        Case{R"("mesh": "solids.stl", "kind": "affine", "units": "m")", 3, "12 triangles", 1000.0},
                        Case{R"("mesh": "box.node")", 3, "6 tetrahedra", 1000.0},
                        Case{R"("mesh": "box.node", "kind": "rigid")", 3, "6 tetrahedra", 1000.0},
                        Case{R"("mesh": "plane.vtk")", 2, "2 triangles", 1000.0},
                        Case{R"("mesh": "plane.vtk", "kind": "affine")", 2, "2 triangles", 1000.0},
                        Case{R"("mesh": "outline.obj", "kind": "affine")", 2, "2 edges", 1000.0},
                        Case{R"("mesh": "rod.seg", "kind": "affine", "thickness": 0.1)", 3, "2 edges", rod}}) {
    SCOPED_TRACE(c.body);
    const auto loaded = scene(c.body, fmt::format(R"("dimension": {}, )", c.dim));
    expect_told(loaded, c.told + " of its mesh are listed again");
    EXPECT_NEAR(mass(RunningScene(loaded)), c.mass, 1e-9 * c.mass);
  }
}

TEST_F(RepeatedBodies, CopiesThatAreDividedOtherwiseOrRoundedAreTold) {
  const std::string vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n";
  const std::string squares = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
  const std::string from_the_next_corner = "f 3 4 2 1\nf 6 8 7 5\nf 2 6 5 1\nf 7 8 4 3\nf 5 7 3 1\nf 4 8 6 2\n";
  write("squares.obj", vertices + squares + from_the_next_corner);
  std::string rounded = vertices + squares, copy;
  for (int v = 0; v < 8; ++v) rounded += fmt::format("v {:.17g} {} {}\n", (v & 1) + 1e-13, (v >> 1) & 1, (v >> 2) & 1);
  for (const auto& t : cube_triangles) copy += fmt::format("f {} {} {}\n", t[0] + 9, t[1] + 9, t[2] + 9);
  write("rounded.obj", rounded + copy);
  for (const std::string kind : {"affine", "rigid"}) {
    for (const std::string file : {"squares.obj", "rounded.obj"}) {
      const auto loaded = scene(fmt::format(R"("mesh": "{}", "kind": "{}")", file, kind));
      const Result<Simulation> simulation = Simulation::create(loaded->scene);
      ASSERT_TRUE(simulation) << file;
      std::string told;
      for (const Issue& issue : simulation->warnings()) told += to_string(issue);
      EXPECT_NE(told.find("its mass counts twice"), std::string::npos) << file << kind << told;
    }
  }
}

TEST_F(RepeatedBodies, FacesOfThreeElementsAreRefusedForEveryKindOfBody) {
  const std::string solid = R"("geometry": {"vertices": [[0,0,0], [1,0,0], [0,1,0], [0,0,1], [0,0,-1], [0.2,0.2,2]],
      "tets": [[0,1,2,3], [0,2,1,4], [0,1,2,5]]})";
  const std::string one_side = R"("geometry": {"vertices": [[0,0,0], [1,0,0], [0,1,0], [0,0,1], [0.2,0.2,2]],
      "tets": [[0,1,2,3], [0,1,2,4]]})";
  const std::string plane = R"("geometry": {"vertices": [[0,0,0], [1,0,0], [0,1,0], [0,-1,0], [0.2,2,0]],
      "triangles": [[0,1,2], [0,3,1], [0,1,4]]})";
  for (const char* kind : {"deformable", "affine", "rigid", "obstacle"}) {
    for (const auto& [shape, dim] : {std::pair(solid, 3), std::pair(one_side, 3), std::pair(plane, 2)}) {
      const auto loaded =
          scene(shape + fmt::format(R"(, "kind": "{}")", kind), fmt::format(R"("dimension": {}, )", dim));
      ASSERT_TRUE(loaded);
      const auto bodies = load_bodies(loaded->scene);
      ASSERT_FALSE(bodies) << kind << shape;
      EXPECT_NE(to_string(bodies.issues()[0]).find("the surface would have a hole there"), std::string::npos);
    }
  }
}

TEST_F(RepeatedBodies, DescriptionsOfTheBoundaryBesideElementsInCodeAreNoSurfaceOfTheirOwn) {
  const std::string both = R"("kind": "affine", "geometry": {"vertices": [[0,0,0], [1,0,0], [0,1,0], [0,0,1]],
      "tets": [[0,1,2,3]], "triangles": [[0,2,1], [0,1,3], [0,3,2], [1,2,3]]})";
  const RunningScene running(scene(both));
  EXPECT_NEAR(mass(running), 1000.0 / 6.0, 1e-9);
  EXPECT_EQ(running.scene().bodies[0].mesh.triangles.size(), 4u);
}

}  // namespace
}  // namespace clearance
