// Measures of single elements and facets of an adapting body.
#pragma once

#include <Eigen/LU>

#include "clearance/geometry/distance.h"
#include "clearance/remesh/adapting_body.h"

namespace clearance {

/// Returns the area [m^2] of a facet at rest; 2D: its length [m].
template <int dim>
double rest_area(const SimplexMesh<dim>& mesh, int facet) {
  const auto& corners = mesh.facet(facet);
  const Vec<dim> a = mesh.rest(corners[0]), along = mesh.rest(corners[1]) - a;
  if constexpr (dim == 3) {
    return 0.5 * cross_product(along, Vec<3>(mesh.rest(corners[2]) - a)).norm();
  } else {
    return along.norm();
  }
}

/// Returns F of a cell at x1: it maps the sides at rest to those at x1.
template <int dim>
Mat<dim> deformation_gradient(const AdaptingBody<dim>& body, int cell) {
  const auto& nodes = body.mesh.cell(cell);
  Mat<dim> rest, now;
  for (int k = 0; k < dim; ++k) {
    const int v = nodes[k + 1];
    rest.col(k) = body.mesh.rest(v) - body.mesh.rest(nodes[0]);
    now.col(k) = body.fields[v].x1 - body.fields[nodes[0]].x1;
  }
  return now * rest.inverse();
}

}  // namespace clearance
