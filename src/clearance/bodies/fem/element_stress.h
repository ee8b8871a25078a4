// The Cauchy stress at points within elements, as their displacements give it.
#pragma once

#include <vector>

#include "clearance/bodies/fem/element_mesh.h"

namespace clearance {

/// A symmetric tensor by its components xx, yy, zz, xy, yz, xz, in VTK's order.
using StressVector = Vec<6>;

/// Properties of an element that its stress depends on.
struct ElementKind {
  int order = 1;  ///< order of the displacements
  ElasticModel model = ElasticModel::neo_hookean;
  double mu = 0.0, lambda = 0.0;         ///< [Pa]
  const Hardening* hardening = nullptr;  ///< null: elastic
};

/// Stresses at the points of stress_points, element by element.
struct ElementStresses {
  std::vector<int> first_point = {0};  ///< per element, followed by the number of all points
  std::vector<StressVector> stress;    ///< [Pa] per point
  std::vector<double> volume;          ///< [m^dim] (turned elements: [m^3]) per point: its share in the volume at rest
};

/// Returns the points of an element with displacements of this order. Their rule is exact for polynomials of degree
/// 2 (order - 1) + extra_degree. Without an extra degree they are the points at which stresses are most accurate: the
/// centre of linear elements, 3 points of quadratic triangles and 4 of quadratic tetrahedra.
const std::vector<QuadraturePoint>& stress_points(int dim, int order, int extra_degree = 0);

/// Appends the stresses of all elements of a mesh at the positions x.
template <int dim>
void append_stresses(const ElementMesh<dim>& mesh, const VecX& x, int extra_degree, ElementStresses& stresses);

}  // namespace clearance
