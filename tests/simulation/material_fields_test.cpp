// Numbers of materials that vary within a body, against closed forms.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numbers>

#include "clearance/io/mesh/mesh_arrays.h"
#include "io/mesh_test_support.h"
#include "simulation/probed_scene.h"

namespace clearance {
namespace {

constexpr const char* statics = R"("gravity": [0, 0, 0], "time": {"step": 1, "integrator": "quasi_static"},
  "solver": {"force_tolerance": 1e-9})";

/// Returns a bar or a strip of 1 m along x, held at one end and pulled by 100 N at the other.
std::string pulled(const std::string& kind, const std::string& fields) {
  const std::string shapes =
      kind == "solid"   ? R"("generator": {"kind": "box", "size": [1, 0.2, 0.2], "resolution": [10, 1, 1]})"
      : kind == "plane" ? R"("generator": {"kind": "rectangle", "size": [1, 0.2], "resolution": [10, 2]})"
                        : R"("kind": "shell", "thickness": 0.01, "shell": {"bending": "none"},
                            "generator": {"kind": "sheet", "size": [1, 0.2], "resolution": [10, 2]})";
  const bool is_shell = kind == "shell";
  return fmt::format(
      R"({{"dimension": {}, {}, "bodies": [{{"name": "bar", {},
        "material": {{"model": "{}", "poisson_ratio": 0, "youngs_modulus": 2e6}}, "material_fields": [{}],
        "motions": [{{"region": {{"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}}}{}],
        "loads": [{{"kind": "force", "region": {{"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}}, "value": {}}}]}}],
        "output": {{"probes": [{{"name": "end", "kind": "position", "body": "bar",
          "region": {{"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}}}}]}}}})",
      kind == "plane" ? 2 : 3, statics, shapes, is_shell ? "st_venant_kirchhoff" : "linear_elasticity", fields,
      is_shell ? R"(, {"components": [false, true, false]})" : "", kind == "plane" ? "[1, 0]" : "[1, 0, 0]");
}

double way_of_end(const std::string& scene) {
  ProbedScene running(scene);
  const double start = 0.5;
  EXPECT_EQ(running.simulation().step().status, StepStatus::converged);
  return running.probe("end.x [m]") - start;
}

TEST(MaterialFields, BarsOfTwoModuliGiveWayInSeries) {
  const std::string field = R"({"number": "youngs_modulus", "expression": "x < 0 ? 1e6 : 4e6"})";
  for (const std::string kind : {"solid", "plane", "shell"}) {
    SCOPED_TRACE(kind);
    const double section = kind == "solid" ? 0.04 : kind == "plane" ? 0.2 : 0.2 * 0.01;
    const double exact = 1.0 / section * (0.5 / 1e6 + 0.5 / 4e6);
    EXPECT_NEAR(way_of_end(pulled(kind, field)), exact, (kind == "shell" ? 2e-3 : 1e-6) * exact);
  }
}

TEST(MaterialFields, AGradedBarStretchesByTheLogarithm) {
  const std::string field = R"j({"number": "youngs_modulus", "expression": "1e6 * (1 + x)"})j";
  // Integral of 1 / (E0 (1 + x)) from -1/2 to 1/2.
  const double exact = 1.0 / (0.04 * 1e6) * std::log(3.0);
  EXPECT_NEAR(way_of_end(pulled("solid", field)), exact, 2e-3 * exact);
}

// The stress of a graded bar is uniform: it is recovered over its elements as that of one material.
TEST(MaterialFields, TheEstimateOfAGradedBarKnowsThatItsStressIsSmooth) {
  const std::string field = R"j({"number": "youngs_modulus", "expression": "1e6 * (1 + 20 * y * y)"})j";
  RunningScene scene(pulled("solid", field));
  scene.step();
  const std::vector<DiscretisationError> errors = scene.simulation().discretisation_errors();
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_GT(errors[0].displacement, 1e-6);
  EXPECT_LT(errors[0].displacement, 0.1);
}

TEST(MaterialFields, ListsAndFormulasGiveTheSameBits) {
  std::vector<double> of_elements(60);
  for (std::size_t e = 0; e < of_elements.size(); ++e) of_elements[e] = 1e6 + 1e4 * static_cast<double>(e % 7);
  RunningScene plain(pulled("solid", fmt::format(R"({{"number": "density", "values": [{}]}})",
                                                 fmt::join(std::vector<double>(60, 1000.0), ", "))));
  RunningScene listed(pulled("solid", R"({"number": "density", "expression": "1000"})"));
  plain.step();
  listed.step();
  EXPECT_EQ(plain.simulation().state_hash(), listed.simulation().state_hash());
  EXPECT_EQ(plain.total_mass(), listed.total_mass());
}

TEST(MaterialFields, ValuesOfVerticesAreMeansInElements) {
  RunningScene flat(pulled("solid", ""));
  std::vector<double> of_vertices;
  // The order of the elements is raised to 2; the list is of the 44 vertices of the mesh.
  for (int v = 0; v < 44; ++v) of_vertices.push_back(1000.0 * (1.0 + flat.rest(v)[0]));
  RunningScene listed(
      pulled("solid", fmt::format(R"({{"number": "density", "values": [{}]}})", fmt::join(of_vertices, ", "))));
  const std::string graded = R"j({"number": "density", "expression": "1000 * (1 + x)"})j";
  RunningScene formula(pulled("solid", graded));
  EXPECT_NEAR(listed.total_mass(), 40.0, 1e-12);
  EXPECT_NEAR(formula.total_mass(), 40.0, 1e-12);
  for (int v = 0; v < flat.num_nodes(); ++v) EXPECT_NEAR(listed.mass(v), formula.mass(v), 1e-12);
}

TEST(MaterialFields, ACantileverOfTwoModuliBendsAsTheirMoments) {
  const double length = 1.0, force = 1e-3, first = 0.5 * length / 50.0;
  ProbedScene scene(fmt::format(
      R"({{{}, "contact": {{"enabled": false}}, "bodies": [{{"name": "rod", "kind": "rod", "thickness": 0.01,
        "generator": {{"kind": "line", "size": [1], "resolution": [50]}},
        "material": {{"youngs_modulus": 1e9, "density": 1000}},
        "material_fields": [{{"number": "youngs_modulus", "expression": "x < 0 ? 1e9 : 2.5e8"}}],
        "motions": [{{"region": {{"nodes": [0, 1]}}, "clamp": true}}],
        "loads": [{{"kind": "force", "region": {{"nodes": [50]}}, "value": [0, -{}, 0]}}]}}],
        "output": {{"probes": [{{"name": "tip", "kind": "position", "body": "rod", "region": {{"nodes": [50]}}}}]}}}})",
      statics, force));
  scene.steps(1);
  // The clamp holds the middle of the first edge. Integral of F (L - x)^2 / EI.
  const double moment = std::numbers::pi * std::pow(0.005, 4) / 4.0;
  const auto part = [&](double from, double to, double modulus) {
    return force / (3.0 * modulus * moment) * (std::pow(length - from, 3) - std::pow(length - to, 3));
  };
  const double exact = part(first, 0.5, 1e9) + part(0.5, 1.0, 2.5e8);
  EXPECT_NEAR(-scene.probe("tip.y [m]"), exact, 2e-3 * exact);
}

TEST(MaterialFields, TellWhereAValueIsOutOfRange) {
  const auto problems = [](const std::string& fields) {
    const Result<LoadedScene> read = load_scene_text(pulled("solid", fields), "scene", ".");
    EXPECT_TRUE(read);
    const auto loaded = load_bodies(read->scene);
    return loaded ? std::string() : to_string(loaded.issues().front());
  };
  EXPECT_EQ(
      problems(R"({"number": "youngs_modulus", "expression": "1e6 * x"})"),
      "bodies[0].material_fields[0]: youngs_modulus is out of range in 30 of the 60 tetrahedra of 'bar', first in "
      "number 0, whose middle is at (-0.425, 0, -0.05); expected a positive number (got -425000)");
  EXPECT_EQ(
      problems(R"({"number": "density", "values": [1, 2, 3]})"),
      "bodies[0].material_fields[0].values: body 'bar' has 60 tetrahedra and 44 vertices; expected one number for "
      "each of either (got 3 numbers)");
}

TEST(MaterialFields, OfAllBodiesAreCheckedAtOnce) {
  const Result<LoadedScene> read = load_scene_text(R"({"bodies": [
      {"kind": "rod", "thickness": 0.01, "generator": {"kind": "line", "size": [1], "resolution": [10]},
       "material_fields": [{"number": "density", "values": [1, 2]}]},
      {"kind": "shell", "thickness": 0.01, "generator": {"kind": "sheet", "size": [1, 1], "resolution": [2, 2]},
       "material_fields": [{"number": "density", "expression": "-1"},
                           {"number": "poisson_ratio", "expression": "0.7"}]}]})",
                                                   "scene", ".");
  ASSERT_TRUE(read) << to_string(read.issues().front());
  const auto loaded = load_bodies(read->scene);
  std::vector<std::string> places;
  for (const Issue& issue : loaded.issues()) places.push_back(issue.place);
  EXPECT_EQ(places, (std::vector<std::string>{"bodies[0].material_fields[0].values", "bodies[1].material_fields[0]",
                                              "bodies[1].material_fields[1]"}));
}

Mesh mesh_of_bar() {
  Mesh mesh = load_bodies(load_scene_text(pulled("solid", ""), "scene", ".")->scene)->instances[0].mesh;
  mesh.vertices.resize(44);  // without the nodes of order 2
  return mesh;
}

/// Writes a bar of 1 m along x as a grid of tetrahedra with a number of each, `E`, and one of each vertex, `rho`, and
/// returns the text of a scene in which it is pulled.
std::string bar_of_file(const test::TemporaryFolder& folder, const std::string& extension, const std::string& fields) {
  const Mesh mesh = mesh_of_bar();
  std::string points, cells, types, offsets, moduli, densities;
  for (const Vec<3>& v : mesh.vertices) {
    points += fmt::format("{} {} {}\n", v[0], v[1], v[2]);
    densities += fmt::format("{}\n", 1000.0 + 100.0 * v[0]);
  }
  // A point stands before the tetrahedra in the file, and has a number, too.
  moduli = "-1\n";
  const bool is_xml = extension == ".vtu";
  cells = is_xml ? "0\n" : "1 0\n";
  types = "1\n";
  offsets = "1 ";
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const auto& [a, b, c, d] = mesh.tets[t];
    cells += fmt::format("{}{} {} {} {}\n", is_xml ? "" : "4 ", a, b, c, d);
    types += "10\n";
    offsets += fmt::format("{} ", 5 + 4 * t);
    moduli += fmt::format("{}\n", 1e6 + 1e4 * static_cast<double>(t % 7));
  }
  const std::size_t num_cells = mesh.tets.size() + 1;
  const std::string vtk = fmt::format(
      "# vtk DataFile Version 3.0\nbar\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n{}CELLS {} {}\n{}"
      "CELL_TYPES {}\n{}POINT_DATA {}\nVECTORS u double\n{}FIELD FieldData 1\nrho 1 {} double\n{}"
      "CELL_DATA {}\nSCALARS E double 1\nLOOKUP_TABLE default\n{}",
      mesh.vertices.size(), points, num_cells, 2 + 5 * mesh.tets.size(), cells, num_cells, types, mesh.vertices.size(),
      points, mesh.vertices.size(), densities, num_cells, moduli);
  const auto array = [](const char* type, const std::string& name, int size, const std::string& numbers) {
    return fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"ascii\">{}</DataArray>\n",
                       type, name, size, numbers);
  };
  const std::string vtu = fmt::format(
      "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\"><UnstructuredGrid><Piece NumberOfPoints=\"{}\" "
      "NumberOfCells=\"{}\"><Points>{}</Points><Cells>{}{}{}</Cells><PointData>{}{}</PointData><CellData>{}</CellData>"
      "</Piece></UnstructuredGrid></VTKFile>",
      mesh.vertices.size(), num_cells, array("Float64", "x", 3, points), array("Int64", "connectivity", 1, cells),
      array("Int64", "offsets", 1, offsets), array("UInt8", "types", 1, types), array("Float64", "u", 3, points),
      array("Float64", "rho", 1, densities), array("Float64", "E", 1, moduli));
  test::write_text(folder / ("bar" + extension), is_xml ? vtu : vtk);
  std::string scene = pulled("solid", fields);
  const std::string generator = R"("generator": {"kind": "box", "size": [1, 0.2, 0.2], "resolution": [10, 1, 1]})";
  return scene.replace(scene.find(generator), generator.size(), R"("units": "m", "mesh": "bar)" + extension + "\"");
}

TEST(MaterialFields, ArraysOfMeshFilesAreAsGoodAsLists) {
  std::vector<double> moduli(60), densities;
  for (std::size_t e = 0; e < moduli.size(); ++e) moduli[e] = 1e6 + 1e4 * static_cast<double>(e % 7);
  const Mesh mesh = mesh_of_bar();
  for (const Vec<3>& v : mesh.vertices) densities.push_back(1000.0 + 100.0 * v[0]);
  RunningScene listed(pulled("solid", fmt::format(R"({{"number": "youngs_modulus", "values": [{}]}},
    {{"number": "density", "values": [{}]}})",
                                                  fmt::join(moduli, ", "), fmt::join(densities, ", "))));
  listed.step();
  for (const std::string extension : {".vtk", ".vtu"}) {
    SCOPED_TRACE(extension);
    const test::TemporaryFolder folder;
    const std::string scene = bar_of_file(
        folder, extension, R"({"number": "youngs_modulus", "array": "E"}, {"number": "density", "array": "rho"})");
    RunningScene of_file(load_scene_text(scene, "scene", folder / ""));
    of_file.step();
    EXPECT_EQ(of_file.simulation().state_hash(), listed.simulation().state_hash());
  }
}

// Data of cells count through all sections: here a line stands before two triangles.
TEST(MeshArrays, CountCellsThroughAllSections) {
  const test::TemporaryFolder folder;
  test::write_text(folder / "surface.vtk",
                   "# vtk DataFile Version 3.0\nsurface\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0\n1 0 0\n0 1 0\n"
                   "1 1 0\nLINES 1 3\n2 0 3\nPOLYGONS 2 8\n3 0 1 2\n3 1 3 2\nCELL_DATA 3\nSCALARS E float\n"
                   "LOOKUP_TABLE own\n5\n6\n7\nLOOKUP_TABLE own 1\n0 0 0 1\nVECTORS n float\n0 0 1 0 0 1 0 0 1\n");
  const Result<std::vector<MeshArray>> arrays = read_mesh_arrays(folder / "surface.vtk", 3);
  ASSERT_TRUE(arrays);
  ASSERT_EQ(arrays->size(), 1u);
  EXPECT_EQ((*arrays)[0].name, "E");
  EXPECT_EQ((*arrays)[0].of_elements[1], std::vector<double>{5.0});
  EXPECT_EQ((*arrays)[0].of_elements[2], (std::vector<double>{6.0, 7.0}));
}

TEST(MaterialFields, TellWhichArraysThereAre) {
  const test::TemporaryFolder folder;
  const std::string scene = bar_of_file(folder, ".vtk", R"({"number": "youngs_modulus", "array": "modulus"})");
  const Result<LoadedScene> read = load_scene_text(scene, "scene", folder / "");
  ASSERT_TRUE(read);
  const auto loaded = load_bodies(read->scene);
  ASSERT_FALSE(loaded);
  EXPECT_NE(to_string(loaded.issues().front())
                .find("expected one of the arrays of single numbers of the mesh file: 'rho', 'E' (got modulus)"),
            std::string::npos)
      << to_string(loaded.issues().front());
}

}  // namespace
}  // namespace clearance
