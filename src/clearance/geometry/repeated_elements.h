// Elements that a mesh contains more than once. They are either listed again, in any order of their corners, as in
// files that list an element once per group, or belong to a part of the mesh that lies on another part and has vertices
// of its own.
#pragma once

#include <array>
#include <vector>

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Removed elements of one kind, by their former numbers.
struct ElementCopies {
  int count = 0;
  int first = -1;     ///< first removed element
  int original = -1;  ///< element that stays in place of `first`

  void add(int copy, int of);
};

struct MergedElements {
  std::array<ElementCopies, 4> listed_again;  ///< repeated elements by their dimension: points, edges, triangles, tets
  /// Facets of surfaces (3D: triangles; 2D: edges) that repeat another one in the opposite direction.
  ElementCopies opposite;
  ElementCopies coinciding;  ///< elements of parts that lie on another part
  int dim_of_coinciding = 0;
  /// The present number of each former solid element (tetrahedron; 2D: triangle). Empty if all numbers are unchanged.
  std::vector<int> solid_of_number;
  std::vector<int> number_of_solid;  ///< former number of each present solid element

  bool is_empty() const;
};

/// Keeps one of all equal elements: solids with the same corners (the first of the highest order, and among those one
/// of positive volume), facets of surfaces with the same corners in the same direction, segments and points. Two facets
/// in opposite directions both stay if the surface has fewer openings with both, as a wall between two closed parts
/// has. One of them stays if the surface has fewer openings with one, or if it consists of such pairs alone. Removes
/// parts of the mesh that share no vertex with others, if each of their elements lies exactly on an element of another
/// part. Groups name elements by their corners and stay; groups of a removed element refer to the one that remains. All
/// vertices stay.
MergedElements merge_repeated_elements(Mesh& mesh);

}  // namespace clearance
