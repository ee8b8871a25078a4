// The edges of a surface of triangles with the triangles on both sides.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace clearance {

/// An edge of a surface.
struct SurfaceEdge {
  std::array<int, 2> vertices{};         ///< in the direction in which the first triangle runs through it
  std::array<int, 2> triangles{-1, -1};  ///< the second is -1 on the border
  std::array<int, 2> opposite{-1, -1};   ///< third vertex of each triangle
  /// True if the second triangle runs through the edge in the same direction.
  bool is_turned = false;
  /// Number of triangles beyond the second, which are not listed.
  int num_more = 0;
};

struct SurfaceEdges {
  std::vector<SurfaceEdge> edges;                ///< in the order in which the triangles name them
  std::vector<std::array<int, 3>> of_triangles;  ///< edge i of a triangle is opposite to its vertex i
};

/// Finds the edges of triangles.
SurfaceEdges find_surface_edges(std::span<const std::array<int, 3>> triangles);

}  // namespace clearance
