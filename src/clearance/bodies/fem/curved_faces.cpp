#include "clearance/bodies/fem/curved_faces.h"

#include <algorithm>
#include <map>
#include <numbers>

#include "clearance/base/contract.h"
#include "clearance/bodies/fem/simplex_quadrature.h"
#include "clearance/geometry/distance.h"
#include "clearance/geometry/element_corners.h"

namespace clearance {

namespace {

/// Returns [v], with [v] w = v x w.
Mat<3> cross_matrix(const Vec<3>& v) {
  Mat<3> m;
  m << 0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0;
  return m;
}

/// Returns a side turned to the right.
Vec<2> right_of(const Vec<2>& v) {
  return {v[1], -v[0]};
}

}  // namespace

template <int dim>
std::vector<std::vector<int>> nodes_of_curved_faces(const Mesh& mesh, const std::vector<std::array<int, 3>>& faces) {
  // Look faces up by their sorted corners.
  std::map<std::array<int, 3>, std::size_t> face_of_corners;
  for (std::size_t f = 0; f < faces.size(); ++f) face_of_corners.emplace(sorted_corners(faces[f]), f);
  std::vector<std::vector<int>> nodes_of_faces(faces.size());
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
    const int order = mesh.order_of_cell(cell);
    const std::span<const int> nodes = mesh.nodes_of_cell(cell);
    for (std::size_t opposite = 0; order > 1 && opposite <= dim; ++opposite) {
      // The face opposite a corner has all other corners.
      std::array<int, 3> corners = {-1, -1, -1};
      for (std::size_t i = 0, k = 0; i <= dim; ++i) {
        if (i != opposite) corners[k++] = nodes[i];
      }
      const auto found = face_of_corners.find(sorted_corners(corners));
      if (found == face_of_corners.end()) continue;
      // Find the corner of the element that each corner of the face is.
      std::array<std::size_t, dim> corner_of_element;
      for (std::size_t k = 0; k < dim; ++k) {
        const auto place = std::find(nodes.begin(), nodes.begin() + dim + 1, faces[found->second][k]);
        corner_of_element[k] = place - nodes.begin();
      }
      // Translate each node of the face to its index in the element.
      std::vector<int>& of_face = nodes_of_faces[found->second];
      of_face.clear();
      for (const NodeIndex& on_face : lagrange_nodes(dim - 1, order)) {
        NodeIndex index{};
        for (std::size_t k = 0; k < dim; ++k) index[corner_of_element[k]] = on_face[k];
        of_face.push_back(nodes[lagrange_node(dim, order, index)]);
      }
    }
  }
  return nodes_of_faces;
}

template <int dim>
CurvedSweep<dim>::CurvedSweep(int order, bool is_turned) : order_(order), is_turned_(is_turned) {
  CLEARANCE_ASSERT(order >= 1 && order <= max_order && (dim == 2 || !is_turned));
  // The shape functions are those of a triangle; an edge is its first side.
  const std::size_t num_of_triangle = num_lagrange_nodes(2, order);
  const std::vector<NodeIndex>& nodes = lagrange_nodes(dim - 1, order);
  const int degree = dim == 2 ? (is_turned ? 3 * order - 1 : 2 * order - 1) : 3 * order - 2;
  for (const QuadraturePoint& at : conical_quadrature(dim - 1, degree)) {
    std::vector<double> values(num_of_triangle), slopes(2 * num_of_triangle);
    lagrange_values(2, order, at.at, values);
    lagrange_gradients(2, order, at.at, slopes);
    // Keep the value of each node's shape function and its slopes along the sides.
    Point point{dim == 2 ? at.weight : 0.5 * at.weight, {}};
    point.shapes.resize(std::ssize(nodes), dim);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      const std::size_t node = lagrange_node(2, order, nodes[a]);
      const auto row = static_cast<Eigen::Index>(a);
      point.shapes(row, 0) = values[node];
      for (int k = 1; k < dim; ++k) point.shapes(row, k) = slopes[2 * node + k - 1];
    }
    points_.push_back(point);
  }
}

/// Computes the volume. N(t) is quadratic in t (2D: linear), so its mean over t weights the products of the sides with
/// 1, 1/2, 1/3.
template <int dim>
double CurvedSweep<dim>::volume(const Nodes& from, const Nodes& to) const {
  if (is_turned_) return turned_volume(from, to);
  double volume = 0.0;
  for (const Point& point : points_) {
    const Mat<dim> x = at(point, from), d = at(point, to - from);
    if constexpr (dim == 2) {
      volume += point.weight * d.col(0).dot(right_of(x.col(1) + 0.5 * d.col(1)));
    } else {
      const Vec<3> x1 = x.col(1), x2 = x.col(2), d1 = d.col(1), d2 = d.col(2);
      volume +=
          point.weight * d.col(0).dot(cross_product(x1, x2) + 0.5 * (cross_product(x1, d2) + cross_product(d1, x2)) +
                                      cross_product(d1, d2) / 3.0);
    }
  }
  return volume;
}

template <int dim>
auto CurvedSweep<dim>::gradient(const Nodes& from, const Nodes& to) const -> Nodes {
  if (is_turned_) return turned_gradient(from, to);
  Nodes gradient = Nodes::Zero(dim, from.cols());
  for (const Point& point : points_) {
    const Mat<dim> x = at(point, from), d = at(point, to - from);
    // Differentiate by d and its slopes along the sides.
    Mat<dim> by_shapes;
    if constexpr (dim == 2) {
      by_shapes.col(0) = right_of(x.col(1) + 0.5 * d.col(1));
      by_shapes.col(1) = -0.5 * right_of(d.col(0));
    } else {
      const Vec<3> mean = d.col(0), x1 = x.col(1), x2 = x.col(2), d1 = d.col(1), d2 = d.col(2);
      by_shapes.col(0) =
          cross_product(x1, x2) + 0.5 * (cross_product(x1, d2) + cross_product(d1, x2)) + cross_product(d1, d2) / 3.0;
      by_shapes.col(1) = cross_product(Vec<3>(0.5 * x2 + d2 / 3.0), mean);
      by_shapes.col(2) = cross_product(mean, Vec<3>(0.5 * x1 + d1 / 3.0));
    }
    // Pull back to the nodes.
    gradient += point.weight * by_shapes * point.shapes.transpose();
  }
  return gradient;
}

/// Computes the Hessian. Its blocks are skew, and those of (a, b) and (b, a) opposite.
template <int dim>
MatX CurvedSweep<dim>::hessian(const Nodes& from, const Nodes& to) const {
  if (is_turned_) return turned_hessian(from, to);
  const Eigen::Index num_nodes = from.cols();
  MatX hessian = MatX::Zero(dim * num_nodes, dim * num_nodes);
  const auto set = [&](Eigen::Index a, Eigen::Index b, const Mat<dim>& of_pair) {
    hessian.block<dim, dim>(dim * a, dim * b) = of_pair;
    hessian.block<dim, dim>(dim * b, dim * a) = of_pair.transpose();
  };
  if constexpr (dim == 2) {
    Mat<2> right;
    right << 0.0, 1.0, -1.0, 0.0;
    for (Eigen::Index a = 0; a < num_nodes; ++a) {
      for (Eigen::Index b = 0; b < a; ++b) {
        double sum = 0.0;
        for (const auto& [weight, shapes] : points_) {
          sum += 0.5 * weight * (shapes(a, 0) * shapes(b, 1) - shapes(a, 1) * shapes(b, 0));
        }
        set(a, b, sum * right);
      }
    }
    return hessian;
  }
  if constexpr (dim == 3) {
    // Sum the vectors w_ab; the block of (a, b) is the cross product matrix of w_ab.
    std::array<Vec<3>, max_nodes*(max_nodes - 1) / 2> sums;
    sums.fill(Vec<3>::Zero());
    for (const Point& point : points_) {
      const Mat<3> x = at(point, from), d = at(point, to - from);
      const Vec<3> u1 = point.weight * (0.5 * x.col(1) + d.col(1) / 3.0);
      const Vec<3> u2 = point.weight * (0.5 * x.col(2) + d.col(2) / 3.0);
      const Vec<3> mean = (point.weight / 3.0) * d.col(0);
      const auto& s = point.shapes;
      for (Eigen::Index a = 0, k = 0; a < num_nodes; ++a) {
        for (Eigen::Index b = 0; b < a; ++b, ++k) {
          sums[k] += (s(a, 1) * s(b, 0) - s(a, 0) * s(b, 1)) * u2 + (s(a, 0) * s(b, 2) - s(a, 2) * s(b, 0)) * u1 +
                     (s(a, 2) * s(b, 1) - s(a, 1) * s(b, 2)) * mean;
        }
      }
    }
    for (Eigen::Index a = 0, k = 0; a < num_nodes; ++a) {
      for (Eigen::Index b = 0; b < a; ++b, ++k) set(a, b, cross_matrix(sums[k]));
    }
    return hessian;
  }
}

// --- turned edges ---
//
// With the radius r + t d_0 and the normal n + t m, n and m the slopes of `from` and d turned to the right, the mean
// over t of (r + t d_0) d . (n + t m) is (r + d_0 / 2) d . n + (r / 2 + d_0 / 3) d . m.

template <int dim>
double CurvedSweep<dim>::turned_volume(const Nodes& from, const Nodes& to) const {
  double volume = 0.0;
  if constexpr (dim == 2) {
    for (const Point& point : points_) {
      const Mat<2> x = at(point, from), change = at(point, to - from);
      const Vec<2> d = change.col(0), n = right_of(x.col(1)), m = right_of(change.col(1));
      const double r = x(0, 0);
      volume += point.weight * ((r + 0.5 * d[0]) * d.dot(n) + (0.5 * r + d[0] / 3.0) * d.dot(m));
    }
  }
  return 2.0 * std::numbers::pi * volume;
}

template <int dim>
auto CurvedSweep<dim>::turned_gradient(const Nodes& from, const Nodes& to) const -> Nodes {
  Nodes gradient = Nodes::Zero(dim, from.cols());
  if constexpr (dim == 2) {
    for (const Point& point : points_) {
      const Mat<2> x = at(point, from), change = at(point, to - from);
      const Vec<2> d = change.col(0), n = right_of(x.col(1)), m = right_of(change.col(1));
      const double r = x(0, 0);
      Mat<2> by_shapes;
      by_shapes.col(0) =
          (r + 0.5 * d[0]) * n + (0.5 * r + d[0] / 3.0) * m + (0.5 * d.dot(n) + d.dot(m) / 3.0) * Vec<2>::UnitX();
      by_shapes.col(1) = -(0.5 * r + d[0] / 3.0) * right_of(d);
      gradient += (2.0 * std::numbers::pi * point.weight) * by_shapes * point.shapes.transpose();
    }
  }
  return gradient;
}

template <int dim>
MatX CurvedSweep<dim>::turned_hessian(const Nodes& from, const Nodes& to) const {
  const Eigen::Index num_nodes = from.cols();
  MatX hessian = MatX::Zero(dim * num_nodes, dim * num_nodes);
  if constexpr (dim == 2) {
    Mat<2> right;
    right << 0.0, 1.0, -1.0, 0.0;
    for (const Point& point : points_) {
      const Mat<2> x = at(point, from), change = at(point, to - from);
      const Vec<2> d = change.col(0), n = right_of(x.col(1)), m = right_of(change.col(1));
      const Vec<2> across = 0.5 * n + m / 3.0;
      // Second derivatives by d twice, and by d and its slope.
      Mat<2> twice = Mat<2>::Zero();
      twice.row(0) += across.transpose();
      twice.col(0) += across;
      Mat<2> mixed = (0.5 * x(0, 0) + d[0] / 3.0) * right;
      mixed.row(0) -= right_of(d).transpose() / 3.0;
      const auto& s = point.shapes;
      for (Eigen::Index a = 0; a < num_nodes; ++a) {
        for (Eigen::Index b = 0; b < num_nodes; ++b) {
          hessian.block<2, 2>(2 * a, 2 * b) +=
              (2.0 * std::numbers::pi * point.weight) *
              (s(a, 0) * s(b, 0) * twice + s(a, 0) * s(b, 1) * mixed + s(a, 1) * s(b, 0) * mixed.transpose());
        }
      }
    }
  }
  return hessian;
}

template std::vector<std::vector<int>> nodes_of_curved_faces<2>(const Mesh&, const std::vector<std::array<int, 3>>&);
template std::vector<std::vector<int>> nodes_of_curved_faces<3>(const Mesh&, const std::vector<std::array<int, 3>>&);
template class CurvedSweep<2>;
template class CurvedSweep<3>;

}  // namespace clearance
