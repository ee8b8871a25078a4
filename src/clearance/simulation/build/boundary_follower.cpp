#include "clearance/simulation/build/boundary_follower.h"

#include <Eigen/LU>
#include <cmath>

#include "clearance/math/dimension.h"

namespace clearance {

namespace {

constexpr int pieces_per_order = 2;

/// Returns the weights of the tangent map of an element at a point, taken on to x, and how far x is from the point in
/// the element's own coordinates.
template <int dim>
BoundaryFollower::Followed follow_tangents(const Mesh& mesh, std::size_t cell, const Barycentrics& at,
                                           const Vec<3>& x) {
  const std::vector<int> nodes = nodes_of_solid(mesh, cell);
  std::vector<double> values(nodes.size()), gradients(nodes.size() * dim);
  lagrange_values(dim, mesh.order_of_cell(cell), at, values);
  lagrange_gradients(dim, mesh.order_of_cell(cell), at, gradients);
  const auto gradient = [&](std::size_t a) { return Eigen::Map<const Vec<dim>>(gradients.data() + a * dim); };
  Vec<dim> way = x.head<dim>();
  Mat<dim> tangents = Mat<dim>::Zero();
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    const Vec<dim> node = mesh.vertices[nodes[a]].template head<dim>();
    way -= values[a] * node;
    tangents += node * gradient(a).transpose();
  }
  const Vec<dim> step = tangents.inverse() * way;
  BoundaryFollower::Followed followed;
  followed.outside = 0.5 * (step.cwiseAbs().sum() + std::abs(step.sum()));
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    const double weight = values[a] + gradient(a).dot(step);
    if (std::abs(weight) > 1e-14) followed.weights.push_back({nodes[a], weight});
  }
  return followed;
}

}  // namespace

BoundaryFollower::BoundaryFollower(const Mesh& mesh)
    : mesh_(mesh),
      pieces_(cut_boundary_faces(mesh,
                                 [&](std::size_t cell) {
                                   const int order = mesh.order_of_cell(cell);
                                   return order == 1 ? 1 : pieces_per_order * order;
                                 })),
      tree_(pieces_.places(mesh), pieces_.triangles) {}

BoundaryFollower::Followed BoundaryFollower::follow(const Vec<3>& x) const {
  const int piece = tree_.nearest(x).triangle;
  const std::array<double, 3> shares = tree_.nearest_shares(x, piece);
  Barycentrics at{};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < 4; ++i) at[i] += shares[k] * pieces_.points[pieces_.triangles[piece][k]].at[i];
  }
  const std::size_t cell = pieces_.points[pieces_.triangles[piece][0]].cell;
  return mesh_.dim == 2 ? follow_tangents<2>(mesh_, cell, at, x) : follow_tangents<3>(mesh_, cell, at, x);
}

}  // namespace clearance
