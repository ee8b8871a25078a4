#include "clearance/model/surface_path.h"

#include "clearance/math/rotation.h"

namespace clearance {

Vec<3> SurfacePath::position(int vertex, double s) const {
  const Vec<3> start = block<3>(x_t0, vertex);
  const int index = screw_of_vertex.empty() ? -1 : screw_of_vertex[static_cast<std::size_t>(vertex)];
  if (index < 0) return start + s * (block<3>(x_t1, vertex) - start);
  const Screw& screw = screws[static_cast<std::size_t>(index)];
  return screw.center + s * screw.shift + rotation_from_vector(s * screw.turn) * (start - screw.center);
}

}  // namespace clearance
