// Faces of curved elements: Lagrange triangles (in the plane: edges) with the shape functions of the elements there,
// and the volume that such a face sweeps.
#pragma once

#include <vector>

#include "clearance/geometry/mesh.h"

namespace clearance {

/// Returns for each face of the boundary of a mesh (given by its corners; 2D: the third is -1) its nodes if its element
/// is curved, otherwise nothing. The nodes begin with the corners as given and are numbered like those of a triangle by
/// lagrange_nodes, those of an edge from its first end to its second.
template <int dim>
std::vector<std::vector<int>> nodes_of_curved_faces(const Mesh& mesh, const std::vector<std::array<int, 3>>& faces);

/// The volume that faces of an order sweep when their nodes go straight from `from` to `to`, with derivatives by `to`.
/// It is positive towards the cross product of the face's sides (2D: to the right of the edge). With d = to - from and
/// N(t) the product of the sides of from + t d, it is the integral of d . N(t) over the face and over t from 0 to 1: a
/// polynomial of degree 3 p - 2 (2D: 2 p - 1) on the face, integrated exactly.
///
/// A turned edge is the meridian of a face of revolution about the y axis: the integrand has the factor 2 pi r, where
/// the radius r is the x of from + t d, and the degree 3 p - 1.
template <int dim>
class CurvedSweep {
 public:
  static constexpr int max_nodes = num_lagrange_nodes(dim - 1, max_order);
  /// Positions [m] of the nodes of the face, one per column.
  using Nodes = Eigen::Matrix<double, dim, Eigen::Dynamic, 0, dim, max_nodes>;

  /// Only edges, in 2D, are turned.
  explicit CurvedSweep(int order, bool is_turned = false);

  int order() const { return order_; }
  double volume(const Nodes& from, const Nodes& to) const;   ///< [m^3]; 2D: area [m^2] unless turned
  Nodes gradient(const Nodes& from, const Nodes& to) const;  ///< [m^2]
  MatX hessian(const Nodes& from, const Nodes& to) const;    ///< [m] node by node

 private:
  struct Point {
    double weight;  // the reference face has the volume 1/2 (2D: 1)
    Eigen::Matrix<double, Eigen::Dynamic, dim, 0, max_nodes, dim> shapes;  // per node: value, slopes along the sides
  };
  /// Returns the value and the slopes that `shapes` interpolate from the nodes, one per column.
  static Mat<dim> at(const Point& point, const Nodes& nodes) { return nodes * point.shapes; }

  double turned_volume(const Nodes& from, const Nodes& to) const;
  Nodes turned_gradient(const Nodes& from, const Nodes& to) const;
  MatX turned_hessian(const Nodes& from, const Nodes& to) const;

  int order_;
  bool is_turned_;
  std::vector<Point> points_;
};

extern template class CurvedSweep<2>;
extern template class CurvedSweep<3>;

}  // namespace clearance
