// The primitives that can collide: the vertices, edges and triangles of all surfaces of a scene.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "clearance/geometry/mesh.h"
#include "clearance/geometry/simplex_boundary.h"

namespace clearance {

/// Share of the distance at the start that parts of one body keep if they start nearer than their radii. Neighbours
/// along a sheet or a rod that bends to a circle of its own thickness keep 2 / pi of theirs.
inline constexpr double own_share_of_start = 0.6;

/// Surface topology of the whole scene. Vertex indices are surface vertices, not mesh vertices.
struct SurfaceTopology {
  int num_vertices = 0;
  std::vector<std::array<int, 2>> edges;  ///< unique; 3D: edges of triangles and codimensional segments; 2D: boundary
  std::vector<std::array<int, 3>> triangles;  ///< outward orientation for closed surfaces; empty in 2D
  std::vector<int> vertex_body;               ///< body index of each vertex
  /// Two vertices with the same group >= 0 never touch (all obstacles share a group; a body without self-contact has
  /// its own). Group -1 touches everything.
  std::vector<int> vertex_group;
  /// Pairs of bodies that never touch, regardless of their groups; the smaller one first, in ascending order.
  std::vector<std::array<int, 2>> ignored_pairs;
  std::vector<std::string> body_names;  ///< per body, for reports; may be empty
  /// [m] per vertex: the surface lies this far from the vertex, and from an edge or triangle with such vertices, which
  /// all have the same radius. A lone vertex is a sphere, a lone edge a capsule. Empty: zero everywhere.
  std::vector<double> radius;

  /// Returns the number of bodies, at least one.
  int num_bodies() const;
  /// Returns the label of a vertex's body, such as `'cube'`, or `body 3` if it has no name.
  std::string body_label(int vertex) const;

  /// [m] per vertex: where bodies start that may touch themselves and have a radius. Their parts may come nearer to
  /// each other than their radii, but not nearer than `own_share_of_start` of their distance there. Empty: there are
  /// none.
  std::vector<Vec<3>> start;

  double radius_at(int vertex) const { return radius.empty() ? 0.0 : radius[vertex]; }
  /// Returns the smallest distance [m] that two primitives may have: the sum of their radii, or less between parts of
  /// one body that start nearer. The first `num_first` vertices are those of the first primitive.
  double thickness_of(std::span<const int> vertices, std::size_t num_first) const;

  bool can_touch(int a, int b) const {
    if (vertex_group[a] >= 0 && vertex_group[a] == vertex_group[b]) return false;
    return !is_ignored(vertex_body[a], vertex_body[b]);
  }
  /// True if the pair of bodies, in any order, is among the ignored ones.
  bool is_ignored(int body_a, int body_b) const {
    if (ignored_pairs.empty()) return false;
    const std::array<int, 2> pair = {std::min(body_a, body_b), std::max(body_a, body_b)};
    return std::binary_search(ignored_pairs.begin(), ignored_pairs.end(), pair);
  }
};

/// Reverses the orientation of all triangles.
void turn_around(Triangles& triangles);

/// Removes the vertices that no element uses, and renumbers the corners and nodes of elements, but not those in groups.
/// Returns the former number of each vertex that stays.
std::vector<int> drop_unused_vertices(Mesh& mesh);

/// Returns the mesh with its boundary instead of its solid elements: triangles instead of tetrahedra, in 2D edges
/// instead of triangles. The boundary of curved elements runs between their nodes (curved_cells.h). All vertices stay.
Mesh with_boundary_only(const Mesh& mesh);

/// Returns the boundary alone, with the vertices that it uses in their order: the triangles of a mesh of tetrahedra; in
/// 2D the edges of a mesh of triangles. Surface triangles, segments and points of the mesh stay.
Mesh surface_of(const Mesh& mesh);

}  // namespace clearance
