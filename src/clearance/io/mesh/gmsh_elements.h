// Gmsh's numbers of element types, and the order of its nodes within an element.
#pragma once

#include <cstdint>
#include <vector>

namespace clearance {

struct GmshElement {
  int type;
  int dim;        ///< 0 point, 1 line, 2 triangle, 3 tetrahedron
  int order;      ///< 1 to 4; 0: an element that is not supported
  int num_nodes;  ///< 0 if it is not supported
  const char* name;
};

/// Returns the element of a type number, also for unknown numbers.
GmshElement gmsh_element(std::int64_t type);

/// Returns the type of a line, triangle or tetrahedron of the given order.
int gmsh_type(int dim, int order);

/// Returns our number (geometry/lagrange.h) of each of Gmsh's nodes of a triangle or tetrahedron.
const std::vector<int>& gmsh_nodes(int dim, int order);

}  // namespace clearance
