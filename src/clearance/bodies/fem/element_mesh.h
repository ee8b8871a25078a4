// Simplex elements with Lagrange shape functions of order 1 to 4, straight or curved, and their maps from the reference
// simplex. Positions and geometry have the same shape functions. A geometry of lower order is raised to that of the
// displacements, which represents it exactly, so that rigid and affine motions are exact as well. A geometry of higher
// order is possible (element_shapes.h).
//
// With D = dx/dxi and D0 = dX/dxi on the reference simplex, F = D D0^-1 at every quadrature point. The integral over
// the element at rest is the sum over the points of their weights times det D0. A shape of higher order adds to D the
// part of D0 that the displacements do not represent.
#pragma once

#include <span>
#include <vector>

#include "clearance/bodies/fem/element_shapes.h"
#include "clearance/bodies/fem/materials.h"
#include "clearance/bodies/fem/simplex_quadrature.h"
#include "clearance/math/types.h"

namespace clearance {

/// The elements of all deformable bodies of a scene with one order of displacements and one of their shapes.
template <int dim>
struct ElementMesh {
  int order = 1;
  int higher_shape_order = 0;  ///< 0: the shapes are of the same order as the displacements
  /// Shapes of higher order have the places [m] of the nodes of every shape here, dim numbers each.
  std::vector<double> shapes_at_rest;
  VecX x_rest;                           ///< [m] flat, dim numbers per block of unknowns
  std::vector<int> nodes;                ///< blocks, element by element, in the order of lagrange_nodes
  std::vector<int> material_of_element;  ///< per element, into materials
  std::vector<MaterialParameters> materials;
  /// 2D: the elements are the meridian section of bodies of revolution about the y axis (axisymmetric_potential.h).
  bool is_axisymmetric = false;

  std::size_t num_nodes() const { return num_lagrange_nodes(dim, order); }
  std::size_t num_elements() const { return nodes.size() / num_nodes(); }
  std::span<const int> nodes_of(std::size_t e) const { return {nodes.data() + e * num_nodes(), num_nodes()}; }
  const MaterialParameters& material_of(std::size_t e) const { return materials[material_of_element[e]]; }
  /// Appends an element of this material.
  void add(std::span<const int> element, int material) {
    nodes.insert(nodes.end(), element.begin(), element.end());
    material_of_element.push_back(material);
  }
  int shape_order() const { return higher_shape_order > 0 ? higher_shape_order : order; }
  /// True if F is constant in each element, so that one point integrates it.
  bool is_linear() const { return order == 1 && higher_shape_order == 0; }
  ElementShapes<dim> shapes() const { return {order, shape_order(), nodes, x_rest, shapes_at_rest}; }
};

template <int dim>
inline constexpr double simplex_volume = dim == 2 ? 0.5 : 1.0 / 6.0;

/// Returns the matrix with columns x1 - x0, x2 - x0, ... [m] of a simplex.
template <int dim>
Mat<dim> edge_matrix(const VecX& x, std::span<const int> corners) {
  Mat<dim> edges;
  const Vec<dim> origin = block<dim>(x, corners[0]);
  for (int a = 0; a < dim; ++a) {
    edges.col(a) = block<dim>(x, corners[a + 1]) - origin;
  }
  return edges;
}

/// Returns the signed volume [m^dim] of every linear element at x.
template <int dim>
std::vector<double> compute_volumes(const ElementMesh<dim>& mesh, const VecX& x);

/// Shape gradients at points of the reference simplex: dim numbers per node and point.
template <int dim>
class ShapeGradients {
 public:
  ShapeGradients(int order, std::span<const QuadraturePoint> points);

  int num_points() const { return num_points_; }
  const double* of_point(int q) const { return values_.data() + q * num_nodes_ * dim; }
  /// Returns dx/dxi of the element with these nodes.
  Mat<dim> map_derivative(int q, std::span<const int> nodes, const VecX& x) const;

 private:
  int num_points_;
  std::size_t num_nodes_;
  std::vector<double> values_;
};

/// The maps of the elements of a mesh at rest, at points of the reference simplex.
template <int dim>
class RestMap {
 public:
  RestMap(const ElementMesh<dim>& mesh, std::span<const QuadraturePoint> points);

  /// Returns D0 = dX/dxi.
  Mat<dim> derivative(int q, std::size_t e) const;
  /// Returns what a shape of higher order adds to dx/dxi of the displacements' nodes, independent of their positions.
  Mat<dim> offset(int q, std::size_t e) const;

 private:
  const ElementMesh<dim>& mesh_;
  ShapeGradients<dim> of_nodes_, of_shape_;
};

/// True if the map of an element with these places of its nodes is affine, to rounding.
template <int dim>
bool is_straight(int order, std::span<const double> places);

extern template class ShapeGradients<2>;
extern template class ShapeGradients<3>;
extern template class RestMap<2>;
extern template class RestMap<3>;

}  // namespace clearance
