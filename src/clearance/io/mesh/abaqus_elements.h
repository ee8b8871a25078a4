// Elements of Abaqus and CalculiX: their types, their sides, and the simplices that they become. CalculiX' manual,
// chapter "Elements", numbers their nodes.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

enum class AbaqusShape { line, triangle, quadrilateral, tetrahedron, wedge, hexahedron };

/// A kind of elements, by the beginning of the names of its types.
struct AbaqusElementKind {
  const char* beginning;
  AbaqusShape shape;
  int order;  ///< 1 or 2
  int num_nodes;

  int dim() const;
  int num_corners() const;
  bool is_simplex() const;
  bool is_plane() const;  ///< its name is that of an element of a 2D problem
};

/// Returns the kind of a type in capital letters, such as `C3D10M` or `S4R`; null if it is not supported.
const AbaqusElementKind* find_abaqus_element(const std::string& type);

/// The types that can be read, for messages.
extern const char* const known_abaqus_elements;

/// Returns the triangles of a side of a solid with these corners, by its number from 1 (S1): three vertices, then -1.
/// None if it has no such side.
std::vector<std::array<int, 4>> triangles_of_side(std::span<const int> corners, int side);

/// Makes a node in the middle of a quadrilateral or hexahedron of order 2 with these nodes, or returns it if a
/// neighbour has made it.
using AbaqusMiddleNode = std::function<int(std::vector<int>)>;

/// Divides an element into simplices, and returns the nodes of each: corners first, then the middles of its edges in
/// the order of CalculiX. Quadrilaterals, also those between two solids, are divided at their smallest vertex, so that
/// neighbours fit.
std::vector<std::vector<int>> simplices_of(const AbaqusElementKind& kind, const std::vector<int>& nodes,
                                           const AbaqusMiddleNode& make_middle);

/// Divides a triangle, quadrilateral or line of order 2 into those of order 1 that have all its nodes as corners.
std::vector<std::vector<int>> linear_simplices_of(const AbaqusElementKind& kind, const std::vector<int>& nodes);

/// Returns the point in the middle of a quadrilateral (8 nodes) or a hexahedron (20 nodes) of order 2.
Vec<3> middle_of(std::span<const Vec<3>> nodes);

}  // namespace clearance
