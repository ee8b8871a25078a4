// Defects of a mesh as lists of the elements concerned, for the validation of input. Vertex indices must be in range.
// Volumes are plain doubles here; exact predicates are in math/predicates.h.
#pragma once

#include "clearance/geometry/surface.h"

namespace clearance {

/// Ways in which triangles fail to be a closed, consistently oriented surface that divides space in two. Edges have the
/// smaller vertex first; all lists are sorted.
struct SurfaceDefects {
  Edges open_edges;                      ///< edges of one triangle only
  Edges crowded_edges;                   ///< edges of more than two triangles
  Edges inconsistent_edges;              ///< edges that two triangles run along in the same direction
  std::vector<int> pinched_vertices;     ///< vertices whose triangles form more than one fan
  std::vector<int> collapsed_triangles;  ///< triangles that name a vertex twice

  bool is_manifold() const { return crowded_edges.empty() && pinched_vertices.empty() && collapsed_triangles.empty(); }
  bool is_closed_manifold() const { return is_manifold() && open_edges.empty() && inconsistent_edges.empty(); }
};

SurfaceDefects find_surface_defects(const Triangles& triangles);

/// True if every edge has two triangles that run along it in opposite directions, and every vertex has one fan.
bool is_closed_manifold(const Triangles& triangles);
/// True if as many edges end in every vertex as start there.
bool is_closed_outline(const Edges& edges);

/// Returns vertices - edges + triangles, counting the vertices in use: 2 for each sphere, 0 for each torus.
int euler_characteristic(const Triangles& triangles);

/// Returns the connected component of each vertex through tets, triangles (with their nodes) and edges. Components are
/// numbered in the order of their first vertices.
std::vector<int> connected_components(const Mesh& mesh);

/// Elements without a usable volume. A curved element is inverted if it is inverted anywhere, decided exactly
/// (curved_volume.h).
struct ElementDefects {
  std::vector<int> inverted_tets;
  std::vector<int> flat_tets;
  std::vector<int> inverted_triangles;  ///< clockwise triangles, in 2D
  std::vector<int> flat_triangles;
  std::vector<int> zero_edges;

  bool empty() const {
    return inverted_tets.empty() && flat_tets.empty() && inverted_triangles.empty() && flat_triangles.empty() &&
           zero_edges.empty();
  }
};

/// Finds elements without a usable volume. An element is flat if its volume is less than `relative_volume` times the
/// volume of the cube (area of the square) over its longest edge, where the rounding of the positions decides the sign.
ElementDefects find_element_defects(const Mesh& mesh, double relative_volume = 1e-14);

/// Returns the signed volume [m^3], positive for (v1-v0) x (v2-v0) . (v3-v0) > 0.
double tet_volume(const Vec<3>& v0, const Vec<3>& v1, const Vec<3>& v2, const Vec<3>& v3);

/// Exchanges two vertices of each tetrahedron that is inverted by its corners (for meshes whose vertex order is
/// unknown).
void orient_positively(Mesh& mesh);

}  // namespace clearance
