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
  if (!nodes_.empty()) search(0, x, nullptr, best);
  return best;
}

TriangleTree::Nearest TriangleTree::nearest_facing(const Vec<3>& x, const Vec<3>& direction,
                                                   double least_product) const {
  Nearest best;
  const Facing facing = {direction, least_product};
  if (!nodes_.empty()) search(0, x, &facing, best);
  return best;
}

std::array<double, 3> TriangleTree::nearest_shares(const Vec<3>& x, int triangle) const {
  const auto& corners = triangles_[triangle];
  const Vec<3>&a = vertices_[corners[0]], &b = vertices_[corners[1]], &c = vertices_[corners[2]];
  const Vec<3> ab = b - a, ac = c - a, normal = cross_product(ab, ac), ax = x - a;
  const double area_sq = normal.squaredNorm();
  // Outside of the triangle, as its plane shows it, the nearest point is on an edge.
  const double of_b = normal.dot(cross_product(ax, ac)), of_c = normal.dot(cross_product(ab, ax));
  if (area_sq > 0.0 && of_b >= 0.0 && of_c >= 0.0 && of_b + of_c <= area_sq) {
    return {(area_sq - of_b - of_c) / area_sq, of_b / area_sq, of_c / area_sq};
  }
  std::array<double, 3> best{};
  double least_sq = infinity;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec<3>& from = vertices_[corners[k]];
    const Vec<3> edge = vertices_[corners[(k + 1) % 3]] - from;
    const double length_sq = edge.squaredNorm();
    const double share = length_sq > 0.0 ? std::clamp(edge.dot(x - from) / length_sq, 0.0, 1.0) : 0.0;
    const double distance_sq = (from + share * edge - x).squaredNorm();
    if (!(distance_sq < least_sq)) continue;
    least_sq = distance_sq;
    best = {};
    best[k] = 1.0 - share;
    best[(k + 1) % 3] += share;
  }
  return best;
}

Vec<3> TriangleTree::nearest_point(const Vec<3>& x, int triangle) const {
  const std::array<double, 3> shares = nearest_shares(x, triangle);
  Vec<3> point = Vec<3>::Zero();
  for (std::size_t k = 0; k < 3; ++k) point += shares[k] * vertices_[triangles_[triangle][k]];
  return point;
}

bool TriangleTree::faces(int triangle, const Facing& facing) const {
  const auto& [a, b, c] = triangles_[triangle];
  const Vec<3> normal = cross_product(vertices_[b] - vertices_[a], vertices_[c] - vertices_[a]);
  return normal.dot(facing.direction) >= facing.least_product * normal.norm();
}

void TriangleTree::search(int node, const Vec<3>& x, const Facing* facing, Nearest& best) const {
  const Node& here = nodes_[node];
  if (here.right < 0) {
    for (std::size_t i = here.begin; i < here.end; ++i) {
      const double distance = distance_sq(x, order_[i]);
      if (distance < best.distance_sq && (facing == nullptr || faces(order_[i], *facing))) best = {distance, order_[i]};
    }
    return;
  }
  std::array<std::pair<double, int>, 2> children = {std::pair{box_distance_sq(nodes_[node + 1].box, x), node + 1},
                                                    std::pair{box_distance_sq(nodes_[here.right].box, x), here.right}};
  if (children[1] < children[0]) std::swap(children[0], children[1]);
  for (const auto& [distance, child] : children) {
    if (distance < best.distance_sq) search(child, x, facing, best);
  }
}

}  // namespace clearance
