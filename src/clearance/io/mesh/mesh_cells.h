// Cells of VTK grids as simplices: shared by .vtu and legacy .vtk.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "clearance/geometry/mesh.h"

namespace clearance {

/// VTK's numbers of the cell types that are written
inline constexpr int vtk_vertex = 1;
inline constexpr int vtk_line = 3;
inline constexpr int vtk_triangle = 5;
inline constexpr int vtk_tetra = 10;

/// For each simplex of a mesh the cell it came from, in the order of the mesh's arrays
struct SimplexCells {
  std::vector<int> tets;
  std::vector<int> triangles;
  std::vector<int> edges;
  std::vector<int> points;
};

/// Appends a cell whose corners are vertices of the mesh; polygons become fans. Otherwise says what was expected.
std::string add_vtk_cell(int type, std::span<const int> corners, int cell, Mesh& mesh, SimplexCells& cells);

}  // namespace clearance
