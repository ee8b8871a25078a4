#include "clearance/bodies/fem/point_radii.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "clearance/base/contract.h"

namespace clearance {

template <int dim>
PointRadii<dim>::PointRadii(const ElementMesh<dim>& mesh, std::span<const QuadraturePoint> points) : mesh_(mesh) {
  if (!mesh.is_axisymmetric) return;
  CLEARANCE_ASSERT(dim == 2 && mesh.higher_shape_order == 0);
  values_.resize(points.size() * mesh.num_nodes());
  for (std::size_t q = 0; q < points.size(); ++q) {
    lagrange_values(dim, mesh.order, points[q].at, std::span(values_).subspan(q * mesh.num_nodes(), mesh.num_nodes()));
  }
}

template <int dim>
double PointRadii<dim>::at(int q, std::size_t e, const VecX& x) const {
  const std::span<const int> nodes = mesh_.nodes_of(e);
  double radius = 0.0;
  for (std::size_t a = 0; a < nodes.size(); ++a) radius += shape(q, a) * x[dim * nodes[a]];
  return radius;
}

template <int dim>
double PointRadii<dim>::turn(int q, std::size_t e) const {
  return mesh_.is_axisymmetric ? 2.0 * std::numbers::pi * at(q, e, mesh_.x_rest) : 1.0;
}

template <int dim>
double PointRadii<dim>::hoop_stretch(int q, std::size_t e, const VecX& x, double radial_stretch) const {
  double size = 0.0;
  for (const int node : mesh_.nodes_of(e)) size = std::max(size, std::abs(mesh_.x_rest[dim * node]));
  const double at_rest = at(q, e, mesh_.x_rest);
  return at_rest > 1e-9 * size ? at(q, e, x) / at_rest : radial_stretch;
}

template class PointRadii<2>;
template class PointRadii<3>;

}  // namespace clearance
