#include "clearance/bodies/fem/element_mesh.h"

#include <Eigen/LU>
#include <algorithm>

namespace clearance {

template <int dim>
std::vector<double> compute_volumes(const ElementMesh<dim>& mesh, const VecX& x) {
  std::vector<double> volumes;
  volumes.reserve(mesh.num_elements());
  for (std::size_t e = 0; e < mesh.num_elements(); ++e) {
    volumes.push_back(edge_matrix<dim>(x, mesh.nodes_of(e)).determinant() / (dim == 2 ? 2 : 6));
  }
  return volumes;
}

template <int dim>
ShapeGradients<dim>::ShapeGradients(int order, std::span<const QuadraturePoint> points)
    : num_points_(static_cast<int>(points.size())),
      num_nodes_(num_lagrange_nodes(dim, order)),
      values_(points.size() * num_nodes_ * dim) {
  for (std::size_t q = 0; q < points.size(); ++q) {
    lagrange_gradients(dim, order, points[q].at, std::span(values_).subspan(q * num_nodes_ * dim, num_nodes_ * dim));
  }
}

template <int dim>
Mat<dim> ShapeGradients<dim>::map_derivative(int q, std::span<const int> nodes, const VecX& x) const {
  Mat<dim> derivative = Mat<dim>::Zero();
  const double* gradients = of_point(q);
  for (std::size_t a = 0; a < num_nodes_; ++a) {
    derivative += block<dim>(x, nodes[a]) * Eigen::Map<const Vec<dim>>(gradients + a * dim).transpose();
  }
  return derivative;
}

template <int dim>
RestMap<dim>::RestMap(const ElementMesh<dim>& mesh, std::span<const QuadraturePoint> points)
    : mesh_(mesh), of_nodes_(mesh.order, points), of_shape_(mesh.shape_order(), points) {}

template <int dim>
Mat<dim> RestMap<dim>::derivative(int q, std::size_t e) const {
  // A shape of higher order has its own nodes and shape functions.
  if (mesh_.higher_shape_order == 0) return of_nodes_.map_derivative(q, mesh_.nodes_of(e), mesh_.x_rest);
  const std::size_t num_nodes = num_lagrange_nodes(dim, mesh_.shape_order());
  const double* place = mesh_.shapes_at_rest.data() + e * num_nodes * dim;
  const double* gradient = of_shape_.of_point(q);
  Mat<dim> derivative = Mat<dim>::Zero();
  for (std::size_t s = 0; s < num_nodes; ++s, place += dim, gradient += dim) {
    derivative += Eigen::Map<const Vec<dim>>(place) * Eigen::Map<const Vec<dim>>(gradient).transpose();
  }
  return derivative;
}

template <int dim>
Mat<dim> RestMap<dim>::offset(int q, std::size_t e) const {
  return derivative(q, e) - of_nodes_.map_derivative(q, mesh_.nodes_of(e), mesh_.x_rest);
}

template <int dim>
bool is_straight(int order, std::span<const double> places) {
  const std::vector<NodeIndex>& indices = lagrange_nodes(dim, order);
  const auto place = [&](std::size_t a) { return Eigen::Map<const Vec<dim>>(places.data() + a * dim); };
  // Compare each node with its place in the straight element of the same corners.
  double size = 0.0, largest = 0.0;
  for (std::size_t i = 1; i <= dim; ++i) size = std::max(size, (place(i) - place(0)).norm());
  for (std::size_t a = 0; a < indices.size(); ++a) {
    Vec<dim> straight = Vec<dim>::Zero();
    for (std::size_t i = 0; i <= dim; ++i) straight += static_cast<double>(indices[a][i]) / order * place(i);
    largest = std::max(largest, (place(a) - straight).norm());
  }
  return largest <= 1e-12 * size;
}

template std::vector<double> compute_volumes(const ElementMesh<2>&, const VecX&);
template std::vector<double> compute_volumes(const ElementMesh<3>&, const VecX&);
template class ShapeGradients<2>;
template class ShapeGradients<3>;
template class RestMap<2>;
template class RestMap<3>;
template bool is_straight<2>(int, std::span<const double>);
template bool is_straight<3>(int, std::span<const double>);

}  // namespace clearance
