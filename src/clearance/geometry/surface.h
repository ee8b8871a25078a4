// What can collide: the vertices, edges and triangles of all surfaces of a scene.
#pragma once

#include <array>
#include <vector>

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Surface topology of the whole scene. Vertex indices are surface vertices, not mesh vertices.
struct SurfaceTopology {
  int num_vertices = 0;
  std::vector<std::array<int, 2>> edges;      ///< unique; 3D: edges of triangles and codimensional segments; 2D: boundary
  std::vector<std::array<int, 3>> triangles;  ///< outward orientation for closed surfaces; empty in 2D
  std::vector<int> vertex_body;               ///< body index of each vertex
  /// Two vertices with the same group >= 0 never touch (all obstacles share a group; a body without self-contact has its
  /// own). Group -1 touches everything.
  std::vector<int> vertex_group;

  bool can_touch(int a, int b) const { return vertex_group[a] < 0 || vertex_group[a] != vertex_group[b]; }
};

}  // namespace clearance
