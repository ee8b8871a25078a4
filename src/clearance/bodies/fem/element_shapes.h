// The shape of Lagrange elements, whose order may be higher than that of their displacements [Fer23, sec. 5.4]: its
// nodes are at x_s = W x + c, where W takes displacements at the shape's nodes and c is such that the element at rest
// has the shape of the mesh. Elements of equal orders have the same nodes for both.
//
// With c constant a rotation of the nodes does not turn the shape: it strains an element whose displacements are of a
// lower order than its shape.
#pragma once

#include <span>
#include <vector>

#include "clearance/geometry/lagrange.h"
#include "clearance/math/types.h"

namespace clearance {

/// Of an order of displacements, per node of the shape the values of all shape functions of the displacements there:
/// row by row.
std::vector<double> shape_weights(int dim, int order, int shape_order);

/// Elements of one order of displacements and one of the shape.
template <int dim>
class ElementShapes {
 public:
  /// `nodes` element by element; `places` [m] of the nodes of the shapes at rest, dim numbers each, empty for equal
  /// orders.
  ElementShapes(int order, int shape_order, std::span<const int> nodes, const VecX& x_rest,
                const std::vector<double>& places);

  int order() const { return shape_order_; }
  /// Is the shape's order that of the displacements?
  bool is_of_nodes() const { return weights_.empty(); }
  int num_nodes() const { return static_cast<int>(num_nodes_); }
  std::span<const int> nodes_of(std::size_t e) const { return {nodes_.data() + e * num_nodes_, num_nodes_}; }
  std::size_t num_elements() const { return nodes_.size() / num_nodes_; }

  /// Of the shape's nodes where x has those of the displacements: dim numbers each.
  void places(int e, const VecX& x, std::vector<double>& of_shape) const;
  /// Likewise of a motion.
  void motions(int e, const VecX& dx, std::vector<double>& of_shape) const;
  /// of_nodes += what a gradient by the places is by the nodes.
  void pull_back(std::span<const double> of_shape, std::span<double> of_nodes) const;
  /// A symmetric matrix by the places, column-major, becomes one by the nodes.
  void pull_back_hessian(std::vector<double>& hessian) const;

 private:
  std::size_t num_nodes_, num_shape_nodes_;
  int shape_order_;
  std::vector<int> nodes_;
  std::vector<double> weights_;  // of shape_weights; none for equal orders
  std::vector<double> offsets_;  // [m] c, element by element
};

extern template class ElementShapes<2>;
extern template class ElementShapes<3>;

}  // namespace clearance
