// One small mesh as text in every format, with its ends of lines and its start as other systems write them.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "clearance/io/mesh/mesh_formats.h"
#include "io/mesh_test_support.h"
#include "io_mesh/text_changes.h"

namespace clearance::test {

struct TextSample {
  std::string name;  ///< for messages
  std::string file;
  std::string text;
};

inline const std::array<std::array<int, 3>, 8> cube_vertices{
    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}};
inline const std::array<std::array<int, 3>, 12> cube_triangles{{{0, 3, 1},
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

using Row = std::array<int, 3>;

inline std::string row_text(const Row& row, const std::string& start, int add = 0) {
  std::string text = start;
  for (const int value : row) text += std::to_string(value + add) + " ";
  text.back() = '\n';
  return text;
}

/// Returns rows of `start` and three numbers, on a line each.
inline std::string rows(const auto& all, const std::string& start, int add = 0) {
  std::string text;
  for (const Row& row : all) text += row_text(row, start, add);
  return text;
}

/// Returns the same rows, each after its number.
inline std::string numbered_rows(const auto& all, const std::string& behind_number, int add = 0) {
  std::string text;
  int number = 1;
  for (const Row& row : all) text += row_text(row, std::to_string(number++) + " " + behind_number, add);
  return text;
}

inline std::string stl_facets() {
  std::string text;
  for (const auto& triangle : cube_triangles) {
    text += " facet normal 0 0 0\n  outer loop\n";
    for (const int v : triangle) text += row_text(cube_vertices[v], "   vertex ");
    text += "  endloop\n endfacet\n";
  }
  return text;
}

inline const std::string& tet_cells() {
  static const std::string cells = "0 1 2 4\n7 2 1 4\n";
  return cells;
}

inline std::vector<TextSample> text_samples() {
  const std::string vertices = rows(cube_vertices, "");
  const std::string vtk = "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET ";
  std::vector<TextSample> samples;
  samples.push_back({"obj", "a.obj",
                     "# cube\no cube\nmtllib a.mtl\n" + rows(cube_vertices, "v ") + "vn 0 0 1\ng sides\n" +
                         rows(cube_triangles, "f ", 1) + "l 1 2 4\n"});
  samples.push_back({"off", "a.off", "OFF\n# cube\n8 12 18\n" + vertices + rows(cube_triangles, "3 ")});
  samples.push_back({"ply", "a.ply",
                     "ply\nformat ascii 1.0\ncomment cube\nelement vertex 8\nproperty float x\nproperty float y\n"
                     "property float z\nelement face 12\nproperty list uchar int vertex_indices\nend_header\n" +
                         vertices + rows(cube_triangles, "3 ")});
  samples.push_back({"stl", "a.stl", "solid a cube\n" + stl_facets() + "endsolid a cube\n"});
  samples.push_back({"msh 2.2", "a.msh",
                     "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 7 \"skin\"\n$EndPhysicalNames\n"
                     "$Nodes\n8\n" +
                         numbered_rows(cube_vertices, "") + "$EndNodes\n$Elements\n12\n" +
                         numbered_rows(cube_triangles, "2 2 7 1 ", 1) + "$EndElements\n"});
  samples.push_back({"msh 4.1", "a.msh",
                     "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 8 1 8\n2 1 0 8\n1\n2\n3\n4\n5\n6\n7\n8\n" +
                         vertices + "$EndNodes\n$Elements\n1 12 1 12\n2 1 2 12\n" +
                         numbered_rows(cube_triangles, "", 1) + "$EndElements\n"});
  samples.push_back({"vtk grid", "a.vtk",
                     vtk + "UNSTRUCTURED_GRID\nPOINTS 8 float\n" + vertices + "CELLS 2 10\n4 0 1 2 4\n4 7 2 1 4\n" +
                         "CELL_TYPES 2\n10\n10\nPOINT_DATA 8\nSCALARS s float\n"});
  samples.push_back({"vtk polygons", "a.vtk",
                     vtk + "POLYDATA\nPOINTS 8 float\n" + vertices + "METADATA\nINFORMATION 0\n\nPOLYGONS 12 48\n" +
                         rows(cube_triangles, "3 ")});
  samples.push_back({"vtu", "a.vtu",
                     "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n"
                     "<Piece NumberOfPoints=\"8\" NumberOfCells=\"2\">\n<Points>\n"
                     "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">\n" +
                         vertices +
                         "</DataArray>\n</Points>\n<Cells>\n<DataArray type=\"Int32\" Name=\"connectivity\">\n" +
                         tet_cells() + "</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\">4 8</DataArray>\n" +
                         "<DataArray type=\"UInt8\" Name=\"types\">10 10</DataArray>\n</Cells>\n</Piece>\n" +
                         "</UnstructuredGrid>\n</VTKFile>\n"});
  samples.push_back({"seg", "a.seg", rows(cube_vertices, "v ") + "s 1 2\ns 2 4\ns 4 3\n"});
  samples.push_back({"pt", "a.pt", "# points\n" + rows(cube_vertices, "v ")});
  samples.push_back({"node", "a.node", "8 3 0 0\n" + numbered_rows(cube_vertices, "") + "# made by hand\n"});
  return samples;
}

inline Result<Mesh> read_text_mesh(const std::string& file, std::string_view text, int dim = 3) {
  const TemporaryFolder folder;
  write_text(folder / file, text);
  return read_mesh(folder / file, {dim});
}

/// Returns the mesh; the test fails if there is none.
inline Mesh expect_mesh(const std::string& file, std::string_view text, int dim = 3) {
  const auto mesh = read_text_mesh(file, text, dim);
  EXPECT_TRUE(mesh.has_value()) << all_issues(mesh.issues()) << text.substr(0, 300);
  return mesh.has_value() ? *mesh : Mesh{};
}

/// Expects that the text is refused with a message that contains `part`.
inline void expect_refused(const std::string& file, std::string_view text, const std::string& part) {
  const auto mesh = read_text_mesh(file, text);
  ASSERT_FALSE(mesh.has_value()) << text.substr(0, 300);
  EXPECT_NE(all_issues(mesh.issues()).find(part), std::string::npos) << all_issues(mesh.issues());
}

/// Expects all twelve triangles of the cube, by their places, because readers may renumber the vertices.
inline void expect_cube(const Mesh& mesh) {
  ASSERT_EQ(mesh.vertices.size(), 8u);
  ASSERT_EQ(mesh.triangles.size(), 12u);
  for (std::size_t t = 0; t < 12; ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto& place = cube_vertices[cube_triangles[t][k]];
      EXPECT_EQ(mesh.vertices[mesh.triangles[t][k]], Vec<3>(place[0], place[1], place[2]));
    }
  }
}

}  // namespace clearance::test
