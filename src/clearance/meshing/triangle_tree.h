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
  /// [m^2] Returns the squared distance to one of the triangles.
  double distance_sq(const Vec<3>& x, int triangle) const;

 private:
  struct Node {
    BoundingBox box;
    std::size_t begin = 0, end = 0;  // range of its triangles in order_
    int right = -1;                  // right child, -1 for a leaf; the left child follows its parent
  };

  void build(std::size_t begin, std::size_t end, const Vertices& middles);
  void search(int node, const Vec<3>& x, Nearest& best) const;

  Vertices vertices_;
  Triangles triangles_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

}  // namespace clearance
