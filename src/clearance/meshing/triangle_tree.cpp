#include "clearance/meshing/triangle_tree.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "clearance/geometry/distance.h"

namespace clearance {

namespace {

constexpr std::size_t leaf_size = 4;

double box_distance_sq(const BoundingBox& box, const Vec<3>& x) {
  return (box.min - x).cwiseMax(x - box.max).cwiseMax(0.0).squaredNorm();
}

}  // namespace

TriangleTree::TriangleTree(Vertices vertices, Triangles triangles)
    : vertices_(std::move(vertices)), triangles_(std::move(triangles)), order_(triangles_.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  Vertices middles;
  for (const auto& [a, b, c] : triangles_) middles.push_back((vertices_[a] + vertices_[b] + vertices_[c]) / 3.0);
  if (!order_.empty()) build(0, order_.size(), middles);
}

void TriangleTree::build(std::size_t begin, std::size_t end, const Vertices& middles) {
  const std::size_t self = nodes_.size();
  nodes_.emplace_back();
  nodes_[self].begin = begin;
  nodes_[self].end = end;
  BoundingBox of_middles;
  for (std::size_t i = begin; i < end; ++i) {
    of_middles.extend(middles[order_[i]]);
    for (const int v : triangles_[order_[i]]) nodes_[self].box.extend(vertices_[v]);
  }
  if (end - begin <= leaf_size) return;
  Eigen::Index axis = 0;
  of_middles.size().maxCoeff(&axis);
  const auto first = order_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto middle = first + static_cast<std::ptrdiff_t>((end - begin) / 2);
  const auto last = order_.begin() + static_cast<std::ptrdiff_t>(end);
  std::nth_element(first, middle, last,
                   [&](int a, int b) { return std::pair(middles[a][axis], a) < std::pair(middles[b][axis], b); });
  build(begin, begin + (end - begin) / 2, middles);
  nodes_[self].right = static_cast<int>(nodes_.size());
  build(begin + (end - begin) / 2, end, middles);
}

double TriangleTree::distance_sq(const Vec<3>& x, int triangle) const {
  const auto& [a, b, c] = triangles_[triangle];
  return point_triangle_distance_sq(x, vertices_[a], vertices_[b], vertices_[c]);
}

TriangleTree::Nearest TriangleTree::nearest(const Vec<3>& x) const {
  Nearest best;
  if (!nodes_.empty()) search(0, x, best);
  return best;
}

void TriangleTree::search(int node, const Vec<3>& x, Nearest& best) const {
  const Node& here = nodes_[node];
  if (here.right < 0) {
    for (std::size_t i = here.begin; i < here.end; ++i) {
      const double distance = distance_sq(x, order_[i]);
      if (distance < best.distance_sq) best = {distance, order_[i]};
    }
    return;
  }
  std::array<std::pair<double, int>, 2> children = {std::pair{box_distance_sq(nodes_[node + 1].box, x), node + 1},
                                                    std::pair{box_distance_sq(nodes_[here.right].box, x), here.right}};
  if (children[1] < children[0]) std::swap(children[0], children[1]);
  for (const auto& [distance, child] : children) {
    if (distance < best.distance_sq) search(child, x, best);
  }
}

}  // namespace clearance
