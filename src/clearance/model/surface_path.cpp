#include "clearance/model/surface_path.h"

#include "clearance/math/rotation.h"

namespace clearance {

template <int dim>
Vec<dim> SurfacePath::position(int vertex, double s) const {
  const Vec<dim> start = block<dim>(x_t0, vertex);
  const Screw* const screw = screw_at(vertex);
  if (screw == nullptr) return start + s * (block<dim>(x_t1, vertex) - start);
  const Vec<dim> center = screw->center.head<dim>(), shift = screw->shift.head<dim>();
  Mat<dim> rotation;
  if constexpr (dim == 2) {
    rotation = rotation_by<2>(s * screw->turn[2]);
  } else {
    rotation = rotation_by<3>(s * screw->turn);
  }
  return center + s * shift + rotation * (start - center);
}

template <int dim>
double SurfacePath::rounding(int vertex) const {
  constexpr double u = 0x1p-53;
  const Vec<dim> start = block<dim>(x_t0, vertex);
  const Screw* const screw = screw_at(vertex);
  if (screw == nullptr) return u * (8.0 * start.norm() + 8.0 * (block<dim>(x_t1, vertex) - start).norm());
  const double arm = (start - screw->center.head<dim>()).norm();
  return u * ((152.0 + 12.0 * screw->turn.norm()) * arm + 12.0 * screw->center.norm() + 13.0 * screw->shift.norm());
}

template Vec<2> SurfacePath::position<2>(int, double) const;
template Vec<3> SurfacePath::position<3>(int, double) const;
template double SurfacePath::rounding<2>(int) const;
template double SurfacePath::rounding<3>(int) const;

}  // namespace clearance
