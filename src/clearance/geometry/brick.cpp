#include "clearance/geometry/brick.h"

namespace clearance {

void add_brick(Mesh& mesh, const std::array<int, 8>& corners) {
  // Kuhn's split has one tetrahedron for each order in which a path along the axes leads from corner 0 to corner 7. The
  // last three paths have the opposite orientation, so two of their vertices are exchanged.
  constexpr std::size_t paths[6][4] = {{0, 4, 6, 7}, {0, 2, 3, 7}, {0, 1, 5, 7},
                                       {0, 4, 7, 5}, {0, 1, 7, 3}, {0, 2, 7, 6}};
  for (const auto& [a, b, c, d] : paths) mesh.tets.push_back({corners[a], corners[b], corners[c], corners[d]});
}

}  // namespace clearance
