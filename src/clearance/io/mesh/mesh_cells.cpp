#include "clearance/io/mesh/mesh_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "clearance/io/mesh/mesh_formats.h"

namespace clearance {
namespace {

void add_strip(std::span<const int> corners, Mesh& mesh) {
  // Every second triangle of a strip turns the other way round.
  for (std::size_t k = 2; k < corners.size(); ++k) {
    const bool is_odd = k % 2 == 1;
    mesh.triangles.push_back({corners[k - 2], corners[is_odd ? k : k - 1], corners[is_odd ? k - 1 : k]});
  }
}

/// Number of corners of a cell type; 0 if it has at least one; -1 if it is not supported
int num_corners_of(int type) {
  switch (type) {
    case vtk_vertex:
      return 1;
    case vtk_line:
      return 2;
    case vtk_triangle:
      return 3;
    case 8:  // pixel
    case 9:  // quad
    case vtk_tetra:
      return 4;
    case 2:  // several vertices
    case 4:  // several lines
    case 6:  // strip of triangles
    case 7:
      return 0;  // polygon
    default:
      return -1;
  }
}

}  // namespace

std::string add_vtk_cell(int type, std::span<const int> corners, int cell, Mesh& mesh, SimplexCells& cells) {
  const int num_corners = num_corners_of(type);
  if (num_corners < 0) {
    return fmt::format("expected vertices, lines, triangles or tetrahedra of order 1, found VTK cell type {}", type);
  }
  if (num_corners > 0 && corners.size() != static_cast<std::size_t>(num_corners)) {
    return fmt::format("expected {} corners for VTK cell type {}, found {}", num_corners, type, corners.size());
  }
  if (type == vtk_vertex || type == 2) {
    mesh.points.insert(mesh.points.end(), corners.begin(), corners.end());
  } else if (type == vtk_line || type == 4) {
    for (std::size_t k = 1; k < corners.size(); ++k) mesh.edges.push_back({corners[k - 1], corners[k]});
  } else if (type == vtk_tetra) {
    mesh.tets.push_back({corners[0], corners[1], corners[2], corners[3]});
  } else if (type == 6 || type == 8) {
    add_strip(corners, mesh);
  } else {
    add_polygon(corners, mesh);
  }
  cells.tets.resize(mesh.tets.size(), cell);
  cells.triangles.resize(mesh.triangles.size(), cell);
  cells.edges.resize(mesh.edges.size(), cell);
  cells.points.resize(mesh.points.size(), cell);
  return {};
}

void add_polygon(std::span<const int> corners, Mesh& mesh) {
  if (corners.size() == 1) mesh.points.push_back(corners[0]);
  if (corners.size() == 2) mesh.edges.push_back({corners[0], corners[1]});
  for (std::size_t k = 2; k < corners.size(); ++k) {
    mesh.triangles.push_back({corners[0], corners[k - 1], corners[k]});
  }
}

bool is_plausible_count(std::uint64_t count, std::size_t min_bytes, std::size_t num_bytes_left) {
  return count <= static_cast<std::uint64_t>(std::numeric_limits<int>::max()) &&
         count <= (num_bytes_left + 1) / std::max<std::size_t>(min_bytes, 1);
}

}  // namespace clearance
