// Named numbers of the vertices and the elements of a mesh file: .vtk and .vtu.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"

namespace clearance {

/// An array of a mesh file with one number for each vertex, or one for each element; or two arrays of one name.
struct MeshArray {
  std::string name;
  std::vector<double> of_vertices;  ///< empty: the array is of elements
  /// Numbers of the points, edges, triangles and tetrahedra of the mesh, in the order in which it has them.
  std::array<std::vector<double>, 4> of_elements;
};

/// Reads the arrays of a file that read_mesh reads. Arrays of vectors and tensors are left out.
Result<std::vector<MeshArray>> read_mesh_arrays(const std::filesystem::path& path, int dim);

}  // namespace clearance
