#include "clearance/model/surface_path.h"

#include "clearance/math/rotation.h"

namespace clearance {

template <int dim>
Vec<dim> SurfacePath::position(int vertex, double s) const {
  const Vec<dim> start = block<dim>(x_t0, vertex);
  const int index = screw_of_vertex.empty() ? -1 : screw_of_vertex[static_cast<std::size_t>(vertex)];
  if (index < 0) return start + s * (block<dim>(x_t1, vertex) - start);
  const Screw& screw = screws[static_cast<std::size_t>(index)];
  const Vec<dim> center = screw.center.head<dim>(), shift = screw.shift.head<dim>();
  Mat<dim> rotation;
  if constexpr (dim == 2) {
    rotation = rotation_by<2>(s * screw.turn[2]);
  } else {
    rotation = rotation_by<3>(s * screw.turn);
  }
  return center + s * shift + rotation * (start - center);
}

template Vec<2> SurfacePath::position<2>(int, double) const;
template Vec<3> SurfacePath::position<3>(int, double) const;

}  // namespace clearance
