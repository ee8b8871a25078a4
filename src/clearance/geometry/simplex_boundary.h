// The boundary of tetrahedra and of triangles by their corners: the faces and sides that belong to one element only.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace clearance {

using Triangles = std::vector<std::array<int, 3>>;
using Edges = std::vector<std::array<int, 2>>;

/// The corners of the outward faces of a tetrahedron of positive volume.
inline constexpr std::array<std::array<std::size_t, 3>, 4> outward_faces = {
    {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};

/// Returns the faces that belong to one tetrahedron only, oriented outwards (for tetrahedra of positive volume), in the
/// order of the tetrahedra.
Triangles boundary_triangles(const std::vector<std::array<int, 4>>& tets);

/// Returns the sides that belong to one triangle only, in the direction of the triangle: counter-clockwise triangles
/// are to the left. Sides are in the order of the triangles.
Edges boundary_edges(const Triangles& triangles);

/// Returns every edge of the triangles once, the smaller vertex first, in lexicographic order.
Edges unique_edges(const Triangles& triangles);

}  // namespace clearance
