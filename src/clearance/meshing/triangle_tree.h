// Search for the nearest of many triangles.
#pragma once

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// A tree of boxes over triangles. Each node halves its triangles along the axis in which their centroids extend
/// farthest. Corners of a triangle may coincide: (a, b, b) is an edge, (a, a, a) a point.
class TriangleTree {
 public:
  TriangleTree(Vertices vertices, Triangles triangles);

  struct Nearest {
    double distance_sq = infinity;  ///< [m^2]
    int triangle = -1;
  };
  Nearest nearest(const Vec<3>& x) const;
  /// Returns the nearest of the triangles whose unit normals have at least this product with `direction`.
  Nearest nearest_facing(const Vec<3>& x, const Vec<3>& direction, double least_product) const;
  /// Returns the shares of the corners in the point of a triangle that is nearest to x, and the point.
  std::array<double, 3> nearest_shares(const Vec<3>& x, int triangle) const;
  Vec<3> nearest_point(const Vec<3>& x, int triangle) const;
  /// [m^2] Returns the squared distance to one of the triangles.
  double distance_sq(const Vec<3>& x, int triangle) const;

 private:
  struct Node {
    BoundingBox box;
    std::size_t begin = 0, end = 0;  // range of its triangles in order_
    int right = -1;                  // right child, -1 for a leaf; the left child follows its parent
  };

  void build(std::size_t begin, std::size_t end, const Vertices& middles);
  struct Facing {
    Vec<3> direction;
    double least_product;
  };
  bool faces(int triangle, const Facing& facing) const;
  void search(int node, const Vec<3>& x, const Facing* facing, Nearest& best) const;

  Vertices vertices_;
  Triangles triangles_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

}  // namespace clearance
