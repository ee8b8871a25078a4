// The nearest of many triangles.
#pragma once

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// A tree of boxes over triangles, halved along the widest side of their middles. A triangle may have corners in one
/// place: the edge (a, b, b), the point (a, a, a).
class TriangleTree {
 public:
  TriangleTree(Vertices vertices, Triangles triangles);

  struct Nearest {
    double distance_sq = infinity;  ///< [m^2]
    int triangle = -1;
  };
  Nearest nearest(const Vec<3>& x) const;
  /// [m^2] to one of the triangles
  double distance_sq(const Vec<3>& x, int triangle) const;

 private:
  struct Node {
    BoundingBox box;
    std::size_t begin = 0, end = 0;  // triangles of a leaf, in order_
    int right = -1;                  // child; the left one follows its parent. Leaf: -1
  };

  void build(std::size_t begin, std::size_t end, const Vertices& middles);
  void search(int node, const Vec<3>& x, Nearest& best) const;

  Vertices vertices_;
  Triangles triangles_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

}  // namespace clearance
