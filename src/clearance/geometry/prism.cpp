#include "clearance/geometry/prism.h"

#include <algorithm>

namespace clearance {

void add_prism(Mesh& mesh, std::array<int, 3> triangle, int bottom, int top) {
  std::sort(triangle.begin(), triangle.end());
  const auto& [a, b, c] = triangle;
  mesh.tets.push_back({bottom + a, bottom + b, bottom + c, top + c});
  mesh.tets.push_back({bottom + a, bottom + b, top + b, top + c});
  mesh.tets.push_back({bottom + a, top + a, top + b, top + c});
}

}  // namespace clearance
