#include "clearance/bodies/fem/element_shapes.h"

#include <algorithm>

#include "clearance/base/contract.h"

namespace clearance {

std::vector<double> shape_weights(int dim, int order, int shape_order) {
  const std::size_t num_nodes = num_lagrange_nodes(dim, order);
  std::vector<double> weights;
  std::vector<double> values(num_nodes);
  for (const NodeIndex& index : lagrange_nodes(dim, shape_order)) {
    // Evaluate the displacements' shape functions at each node of the shape.
    Barycentrics at{};
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<double>(index[i]) / shape_order;
    lagrange_values(dim, order, at, values);
    weights.insert(weights.end(), values.begin(), values.end());
  }
  return weights;
}

template <int dim>
ElementShapes<dim>::ElementShapes(int order, int shape_order, std::span<const int> nodes, const VecX& x_rest,
                                  const std::vector<double>& places_at_rest)
    : num_nodes_(num_lagrange_nodes(dim, order)),
      num_shape_nodes_(num_lagrange_nodes(dim, shape_order)),
      shape_order_(shape_order),
      nodes_(nodes.begin(), nodes.end()) {
  if (order == shape_order) return;
  CLEARANCE_ASSERT(places_at_rest.size() == num_elements() * num_shape_nodes_ * dim);
  weights_ = shape_weights(dim, order, shape_order);
  // The offset c is the rest place minus W x_rest.
  std::vector<double> followed;
  for (std::size_t e = 0; e < num_elements(); ++e) {
    motions(static_cast<int>(e), x_rest, followed);
    const double* rest = places_at_rest.data() + e * followed.size();
    for (std::size_t i = 0; i < followed.size(); ++i) offsets_.push_back(rest[i] - followed[i]);
  }
}

template <int dim>
void ElementShapes<dim>::places(int e, const VecX& x, std::vector<double>& of_shape) const {
  // The nodes of the shape are at x_s = W x + c.
  motions(e, x, of_shape);
  if (is_of_nodes()) return;
  const double* offset = offsets_.data() + e * of_shape.size();
  for (double& entry : of_shape) entry += *offset++;
}

template <int dim>
void ElementShapes<dim>::motions(int e, const VecX& dx, std::vector<double>& of_shape) const {
  const std::span<const int> nodes = nodes_of(e);
  of_shape.clear();
  // For equal orders the shape's nodes are those of the displacements.
  if (is_of_nodes()) {
    for (const int node : nodes) of_shape.insert(of_shape.end(), dx.data() + dim * node, dx.data() + dim * (node + 1));
    return;
  }
  // Multiply by W.
  const double* weight = weights_.data();
  for (std::size_t s = 0; s < num_shape_nodes_; ++s) {
    Vec<dim> sum = Vec<dim>::Zero();
    for (const int node : nodes) sum += *weight++ * block<dim>(dx, node);
    of_shape.insert(of_shape.end(), sum.data(), sum.data() + dim);
  }
}

template <int dim>
void ElementShapes<dim>::pull_back(std::span<const double> of_shape, std::span<double> of_nodes) const {
  if (is_of_nodes()) {
    for (std::size_t i = 0; i < of_shape.size(); ++i) of_nodes[i] += of_shape[i];
    return;
  }
  // Multiply by W^T.
  const double* weight = weights_.data();
  for (std::size_t s = 0; s < num_shape_nodes_; ++s) {
    for (std::size_t a = 0; a < num_nodes_; ++a, ++weight) {
      for (std::size_t r = 0; r < dim; ++r) of_nodes[a * dim + r] += *weight * of_shape[s * dim + r];
    }
  }
}

template <int dim>
void ElementShapes<dim>::pull_back_hessian(std::vector<double>& hessian) const {
  if (is_of_nodes()) return;
  const std::size_t from = num_shape_nodes_ * dim, to = num_nodes_ * dim;
  // Pull back each column, then each row: W^T H W.
  std::vector<double> half(from * to, 0.0), columns(to * to, 0.0);
  for (std::size_t row = 0; row < from; ++row) {
    std::vector<double> of_nodes(to, 0.0);
    pull_back(std::span(hessian).subspan(row * from, from), of_nodes);
    std::copy(of_nodes.begin(), of_nodes.end(), half.begin() + static_cast<std::ptrdiff_t>(row * to));
  }
  std::vector<double> of_shape(from);
  for (std::size_t column = 0; column < to; ++column) {
    for (std::size_t row = 0; row < from; ++row) of_shape[row] = half[row * to + column];
    pull_back(of_shape, std::span(columns).subspan(column * to, to));
  }
  hessian = std::move(columns);
}

template class ElementShapes<2>;
template class ElementShapes<3>;

}  // namespace clearance
