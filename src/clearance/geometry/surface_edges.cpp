#include "clearance/geometry/surface_edges.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace clearance {

SurfaceEdges find_surface_edges(std::span<const std::array<int, 3>> triangles) {
  SurfaceEdges found;
  std::unordered_map<std::uint64_t, int> known;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    std::array<int, 3>& of_triangle = found.of_triangles.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) {
      const int a = triangles[t][(i + 1) % 3], b = triangles[t][(i + 2) % 3];
      const auto [low, high] = std::minmax(a, b);
      const auto key = static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint32_t>(high);
      const auto [at, is_new] = known.emplace(key, static_cast<int>(found.edges.size()));
      of_triangle[i] = at->second;
      if (is_new) found.edges.emplace_back().vertices = {a, b};
      SurfaceEdge& edge = found.edges[at->second];
      const std::size_t side = is_new ? 0 : 1;
      if (!is_new && edge.triangles[1] >= 0) {
        ++edge.num_more;
        continue;
      }
      edge.triangles[side] = static_cast<int>(t);
      edge.opposite[side] = triangles[t][i];
      if (!is_new) edge.is_turned = edge.vertices[0] == a;
    }
  }
  return found;
}

}  // namespace clearance
