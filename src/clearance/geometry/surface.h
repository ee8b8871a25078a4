// What can collide: the vertices, edges and triangles of all surfaces of a scene.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Surface topology of the whole scene. Vertex indices are surface vertices, not mesh vertices.
struct SurfaceTopology {
  int num_vertices = 0;
  std::vector<std::array<int, 2>> edges;  ///< unique; 3D: edges of triangles and codimensional segments; 2D: boundary
  std::vector<std::array<int, 3>> triangles;  ///< outward orientation for closed surfaces; empty in 2D
  std::vector<int> vertex_body;               ///< body index of each vertex
  /// Two vertices with the same group >= 0 never touch (all obstacles share a group; a body without self-contact has
  /// its own). Group -1 touches everything.
  std::vector<int> vertex_group;
  /// Bodies that never touch whatever their groups are, smaller one first, in ascending order.
  std::vector<std::array<int, 2>> ignored_pairs;
  std::vector<std::string> body_names;  ///< per body, for reports; may be empty

  /// At least one.
  int num_bodies() const;
  /// `'cube'`, or `body 3` without names.
  std::string body_label(int vertex) const;

  bool can_touch(int a, int b) const {
    if (vertex_group[a] >= 0 && vertex_group[a] == vertex_group[b]) return false;
    return !is_ignored(vertex_body[a], vertex_body[b]);
  }
  /// Is the pair of bodies, in any order, among the ignored ones?
  bool is_ignored(int body_a, int body_b) const {
    if (ignored_pairs.empty()) return false;
    const std::array<int, 2> pair = {std::min(body_a, body_b), std::max(body_a, body_b)};
    return std::binary_search(ignored_pairs.begin(), ignored_pairs.end(), pair);
  }
};

using Triangles = std::vector<std::array<int, 3>>;
using Edges = std::vector<std::array<int, 2>>;

/// Corners of the outward faces of a tetrahedron of positive volume.
inline constexpr std::array<std::array<std::size_t, 3>, 4> outward_faces = {
    {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};

/// Faces that belong to one tetrahedron only, pointing outwards (for tetrahedra of positive volume), in the order of
/// the tetrahedra.
Triangles boundary_triangles(const std::vector<std::array<int, 4>>& tets);

/// Sides that belong to one triangle only, with its direction: counter-clockwise triangles are to the left. In the
/// order of the triangles.
Edges boundary_edges(const Triangles& triangles);

/// Every edge of the triangles once, smaller vertex first, in lexicographic order.
Edges unique_edges(const Triangles& triangles);

/// Exchanges the sides of all triangles.
void turn_around(Triangles& triangles);

/// Removes the vertices that no element uses, and renumbers the corners and nodes of elements, though not those in
/// groups. Gives the former number of each vertex that stays.
std::vector<int> drop_unused_vertices(Mesh& mesh);

/// The boundary in place of the solid elements: triangles for tetrahedra, in 2D edges for triangles; between the nodes
/// of curved ones (curved_cells.h). All vertices stay.
Mesh with_boundary_only(const Mesh& mesh);

/// The boundary alone, with the vertices that it uses in their order: the triangles of a mesh of tetrahedra; in 2D the
/// edges of a mesh of triangles. Surface triangles, segments and points of the mesh stay.
Mesh surface_of(const Mesh& mesh);

}  // namespace clearance
