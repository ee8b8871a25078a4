// Elements as files have them, by their nodes; those of VTK grids (.vtu and legacy .vtk) as simplices.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "clearance/geometry/mesh.h"
#include "clearance/io/mesh/mesh_file.h"
#include "clearance/io/mesh/vtu.h"

namespace clearance {

/// VTK's numbers of the cell types that the writer uses.
inline constexpr int vtk_vertex = 1;
inline constexpr int vtk_line = 3;
inline constexpr int vtk_triangle = 5;
inline constexpr int vtk_tetra = 10;
inline constexpr int vtk_lagrange_triangle = 69;
inline constexpr int vtk_lagrange_tetra = 71;

/// Appends a point, line, triangle or tetrahedron (dim 0 to 3) of order 1 to 4, whose nodes are vertices of the mesh in
/// the order of geometry/lagrange.h. Curved ones become solid elements; lines, and triangles in 3D, have their corners
/// only: the numbers of such triangles are appended to `curved_faces`. Otherwise says what was expected.
std::string add_element_of_nodes(int dim, std::span<const int> nodes, Mesh& mesh, std::vector<int>& curved_faces);

/// Checks that triangles which are curved in the file are faces of tetrahedra, because surfaces have no curved
/// elements.
void check_curved_faces(MeshInput& input, const Mesh& mesh, std::span<const int> curved_faces);

/// The cell that each simplex of a mesh came from, in the order of the mesh's arrays.
struct SimplexCells {
  std::vector<int> tets;
  std::vector<int> triangles;
  std::vector<int> edges;
  std::vector<int> points;
  std::vector<int> curved_faces;  ///< in 3D: triangles of the mesh that are curved in the file
};

/// Moves the numbers of cells from the order of the file to that of the mesh: tets, triangles, edges, points.
void sort_cell_arrays(const SimplexCells& cells, std::vector<FrameArray>& arrays);

/// Appends a cell whose nodes are vertices of the mesh; polygons become fans. Otherwise says what was expected.
std::string add_vtk_cell(int type, std::span<const int> nodes, int cell, Mesh& mesh, SimplexCells& cells);

}  // namespace clearance
