#include "clearance/geometry/point_tree.h"

#include <algorithm>
#include <numeric>

namespace clearance {

PointTree::PointTree(Vertices points) : points_(std::move(points)), order_(points_.size()), cuts_(points_.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  split(0, order_.size());
}

void PointTree::split(std::size_t begin, std::size_t end) {
  if (end - begin <= leaf_size) return;
  BoundingBox box;
  for (std::size_t slot = begin; slot < end; ++slot) box.extend(point(slot));
  Eigen::Index axis = 0;
  box.size().maxCoeff(&axis);
  const std::size_t middle = begin + (end - begin) / 2;
  const auto at = [&](std::size_t slot) { return order_.begin() + static_cast<std::ptrdiff_t>(slot); };
  std::nth_element(at(begin), at(middle), at(end), [&](int a, int b) {
    const double x = points_[a][axis], y = points_[b][axis];
    return x < y || (x == y && a < b);
  });
  cuts_[middle] = {axis, point(middle)[axis]};
  split(begin, middle);
  split(middle, end);
}

}  // namespace clearance
