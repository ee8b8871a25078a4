// Lagrange shape functions of order 1 to 4 on the reference simplex, in barycentric coordinates l_0 ... l_dim. Node a
// has the barycentrics index[i] / order. Its function is the product over i of the factors that vanish at smaller
// indices [Fer23, ch. 5].
//
// Nodes are numbered as in VTK's Lagrange cells: corners; edges, each from its first to its second corner; faces;
// inside. Readers of other formats translate their node orders.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace clearance {

inline constexpr int max_order = 4;

constexpr int num_lagrange_nodes(int dim, int order) {
  return dim == 1 ? order + 1 : dim == 2 ? (order + 1) * (order + 2) / 2 : (order + 1) * (order + 2) * (order + 3) / 6;
}

/// Returns the order with this number of nodes; 0 if there is none.
constexpr int order_of_nodes(int dim, std::size_t num_nodes) {
  for (int order = 1; order <= max_order; ++order) {
    if (std::cmp_equal(num_lagrange_nodes(dim, order), num_nodes)) return order;
  }
  return 0;
}

using Barycentrics = std::array<double, 4>;  ///< entries beyond dim are 0
using NodeIndex = std::array<int, 4>;        ///< sums up to the order; entries beyond dim are 0

/// Returns the indices of all nodes of an edge (dim 1), a triangle (dim 2) or a tetrahedron (dim 3).
const std::vector<NodeIndex>& lagrange_nodes(int dim, int order);

/// Returns the number of the node with an index.
int lagrange_node(int dim, int order, const NodeIndex& index);

/// Computes the shape functions of all nodes at a point.
void lagrange_values(int dim, int order, const Barycentrics& at, std::span<double> values);

/// Computes the Bernstein polynomials of the order. The polynomial of a node has its index as exponents. The
/// polynomials are non-negative, sum to 1, and span the same space as the shape functions.
void bernstein_values(int dim, int order, const Barycentrics& at, std::span<double> values);

/// Computes the derivatives with respect to the coordinates xi_i = l_i, i = 1 ... dim, where l_0 = 1 - sum xi_i: dim
/// numbers per node.
void lagrange_gradients(int dim, int order, const Barycentrics& at, std::span<double> gradients);

}  // namespace clearance
