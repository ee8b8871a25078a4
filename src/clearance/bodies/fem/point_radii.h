// Radii of points of elements that are turned about the y axis.
#pragma once

#include <span>
#include <vector>

#include "clearance/bodies/fem/element_mesh.h"

namespace clearance {

/// Radii of points of the reference simplex in the elements of a mesh.
template <int dim>
class PointRadii {
 public:
  /// The mesh must outlive this object. The shapes of axisymmetric elements have the order of their displacements.
  PointRadii(const ElementMesh<dim>& mesh, std::span<const QuadraturePoint> points);

  /// Returns the length [m] of the circle that the point at rest turns on; 1 if the mesh is not axisymmetric.
  double turn(int q, std::size_t e) const;
  /// Returns the radius [m] of the point where the nodes are at x.
  double at(int q, std::size_t e, const VecX& x) const;
  /// Returns the stretch r / R of the circle. On the axis it is its limit, the radial stretch of the meridian.
  double hoop_stretch(int q, std::size_t e, const VecX& x, double radial_stretch) const;
  /// Returns the value of the shape function of a node.
  double shape(int q, std::size_t node) const { return values_[q * mesh_.num_nodes() + node]; }

 private:
  const ElementMesh<dim>& mesh_;
  std::vector<double> values_;
};

extern template class PointRadii<2>;
extern template class PointRadii<3>;

}  // namespace clearance
