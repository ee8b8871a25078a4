// Elements that a mesh has more than once: listed again, in whatever order of their corners, as files do that list an
// element once per group; or as a part of the mesh that lies on another one, with vertices of its own.
#pragma once

#include <array>
#include <vector>

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Elements of one kind that have been removed, by their numbers before.
struct ElementCopies {
  int count = 0;
  int first = -1;     ///< of those removed
  int original = -1;  ///< which stays in place of `first`

  void add(int copy, int of);
};

struct MergedElements {
  std::array<ElementCopies, 4> listed_again;  ///< by the dimension of the elements: points, edges, triangles, tets
  /// Facets of surfaces (3D: triangles; 2D: edges) that are another one turned over.
  ElementCopies opposite;
  ElementCopies coinciding;  ///< elements of parts that lie on another part
  int dim_of_coinciding = 0;
  /// Per solid element (tetrahedron; 2D: triangle) before: its number now. Empty: all have kept theirs.
  std::vector<int> solid_of_number;
  std::vector<int> number_of_solid;  ///< per solid element now: its number before

  bool is_empty() const;
};

/// Keeps one of all elements that are the same: solids with the same corners (the first of the highest order, of those
/// one of positive volume), facets of surfaces with the same corners in the same direction, segments and points. Of
/// facets in opposite directions both stay if the surface has fewer openings with both, as a wall between two closed
/// parts has, and one if it has fewer with one, or nothing but such pairs.
/// Parts of the mesh that share no vertex with others, and each of whose elements lies exactly on an element of another
/// part, are removed. Groups name elements by their corners, and stay: those of a copy mean what is left of it. All
/// vertices stay.
MergedElements merge_repeated_elements(Mesh& mesh);

}  // namespace clearance
