#include "clearance/geometry/edge_length.h"

namespace clearance {

double mean_edge_length(const Mesh& mesh) {
  double sum = 0.0;
  long count = 0;
  const auto add = [&](const auto& element) {
    for (std::size_t i = 0; i < element.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j, ++count)
        sum += (mesh.vertices[element[i]] - mesh.vertices[element[j]]).norm();
    }
  };
  if (mesh.dim == 2) {
    for (const auto& triangle : mesh.triangles) add(triangle);
  } else {
    for (const auto& tet : mesh.tets) add(tet);
  }
  return count > 0 ? sum / static_cast<double>(count) : 0.0;
}

}  // namespace clearance
