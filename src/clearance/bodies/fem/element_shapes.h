// The shape of Lagrange elements, whose order may be higher than that of their displacements [Fer23, sec. 5.4]. The
// shape's nodes are at x_s = W x + c: W evaluates the displacements at the shape's nodes, and c gives the element at
// rest the shape of the mesh. For equal orders both have the same nodes.
//
// Since c is constant, a rotation of the nodes does not rotate the shape: it strains an element whose displacements are
// of a lower order than its shape.
#pragma once

#include <span>
#include <vector>

#include "clearance/geometry/lagrange.h"
#include "clearance/math/types.h"

namespace clearance {

/// Returns the values of all shape functions of the displacements at each node of the shape, row by row.
std::vector<double> shape_weights(int dim, int order, int shape_order);

/// Elements with one order of displacements and one order of the shape.
template <int dim>
class ElementShapes {
 public:
  /// `nodes` lists the nodes element by element. `places` [m] holds the nodes of the shapes at rest, dim numbers each,
  /// and is empty for equal orders.
  ElementShapes(int order, int shape_order, std::span<const int> nodes, const VecX& x_rest,
                const std::vector<double>& places);

  int order() const { return shape_order_; }
  /// True if the shape has the order of the displacements.
  bool is_of_nodes() const { return weights_.empty(); }
  int num_nodes() const { return static_cast<int>(num_nodes_); }
  std::span<const int> nodes_of(std::size_t e) const { return {nodes_.data() + e * num_nodes_, num_nodes_}; }
  std::size_t num_elements() const { return nodes_.size() / num_nodes_; }

  /// Computes the positions of the shape's nodes from the positions x of the displacements' nodes: dim numbers each.
  void places(int e, const VecX& x, std::vector<double>& of_shape) const;
  /// Computes the motions of the shape's nodes from the motions dx of the displacements' nodes.
  void motions(int e, const VecX& dx, std::vector<double>& of_shape) const;
  /// Adds to `of_nodes` the gradient by the nodes that a gradient by the places gives.
  void pull_back(std::span<const double> of_shape, std::span<double> of_nodes) const;
  /// Transforms a symmetric matrix by the places, column-major, to one by the nodes.
  void pull_back_hessian(std::vector<double>& hessian) const;

 private:
  std::size_t num_nodes_, num_shape_nodes_;
  int shape_order_;
  std::vector<int> nodes_;
  std::vector<double> weights_;  // of shape_weights; empty for equal orders
  std::vector<double> offsets_;  // [m] c, element by element
};

extern template class ElementShapes<2>;
extern template class ElementShapes<3>;

}  // namespace clearance
