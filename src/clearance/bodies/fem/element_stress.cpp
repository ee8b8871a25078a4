#include "clearance/bodies/fem/element_stress.h"

#include <Eigen/LU>
#include <algorithm>

#include "clearance/base/parallel.h"
#include "clearance/bodies/fem/element_state.h"
#include "clearance/bodies/fem/point_radii.h"

namespace clearance {

const std::vector<QuadraturePoint>& stress_points(int dim, int order, int extra_degree) {
  return symmetric_quadrature(dim, std::min(2 * (order - 1) + extra_degree, max_symmetric_degree));
}

template <int dim>
void append_stresses(const ElementMesh<dim>& mesh, const VecX& x, int extra_degree, ElementStresses& stresses) {
  const std::vector<QuadraturePoint>& points = stress_points(dim, mesh.order, extra_degree);
  const ShapeGradients<dim> gradients(mesh.order, points);
  const RestMap<dim> rest(mesh, points);
  const PointRadii<dim> radii(mesh, points);
  const std::size_t first = stresses.stress.size(), num_points = points.size();
  stresses.stress.resize(first + num_points * mesh.num_elements());
  stresses.volume.resize(stresses.stress.size());
  parallel_for(static_cast<int>(mesh.num_elements()), 32, [&](int e) {
    for (std::size_t q = 0; q < num_points; ++q) {
      const Mat<dim> at_rest = rest.derivative(static_cast<int>(q), e);
      Mat<dim> derivative = gradients.map_derivative(static_cast<int>(q), mesh.nodes_of(e), x);
      if (mesh.higher_shape_order > 0) derivative += rest.offset(static_cast<int>(q), e);
      const MaterialParameters& material = mesh.material_of(e);
      Mat<3> f = gradient_in_space<dim>(material, derivative * at_rest.inverse());
      if (mesh.is_axisymmetric) f(2, 2) = radii.hoop_stretch(static_cast<int>(q), e, x, f(0, 0));
      const Mat<3> s = cauchy_stress(material, f);
      const std::size_t at = first + num_points * e + q;
      stresses.stress[at] << s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(1, 2), s(0, 2);
      stresses.volume[at] =
          points[q].weight * simplex_volume<dim> * at_rest.determinant() * radii.turn(static_cast<int>(q), e);
    }
  });
  for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
    stresses.first_point.push_back(stresses.first_point.back() + static_cast<int>(num_points));
  }
}

template void append_stresses<2>(const ElementMesh<2>&, const VecX&, int, ElementStresses&);
template void append_stresses<3>(const ElementMesh<3>&, const VecX&, int, ElementStresses&);

}  // namespace clearance
