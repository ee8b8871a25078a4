#include "clearance/geometry/surface_distance.h"

#include <algorithm>
#include <cmath>

#include "clearance/geometry/distance.h"

namespace clearance {

namespace {

/// A tree of boxes over parts of n points each. Each node halves its parts by number along the longest side.
template <std::size_t n>
class PartTree {
 public:
  using Part = std::array<int, n>;
  struct Node {
    Vec<3> min = Vec<3>::Constant(infinity);
    Vec<3> max = Vec<3>::Constant(-infinity);
    int begin = 0, end = 0;
    int left = -1, right = -1;  // children; -1 for a leaf
    bool is_leaf() const { return left < 0; }
    double diagonal() const { return (max - min).norm(); }
  };

  PartTree(std::vector<Part> parts, const std::vector<Vec<3>>& points) : parts_(std::move(parts)), points_(points) {
    if (!parts_.empty()) build(0, static_cast<int>(parts_.size()));
  }
  bool is_empty() const { return nodes_.empty(); }
  const Node& node(int i) const { return nodes_[i]; }
  const Part& part(int i) const { return parts_[i]; }

 private:
  static constexpr int leaf_size = 4;

  Vec<3> point(int i) const { return points_[i]; }
  int build(int begin, int end) {
    const int index = static_cast<int>(nodes_.size());
    Node node;
    node.begin = begin;
    node.end = end;
    for (int i = begin; i < end; ++i) {
      for (const int v : part(i)) {
        node.min = node.min.cwiseMin(point(v));
        node.max = node.max.cwiseMax(point(v));
      }
    }
    nodes_.push_back(node);
    if (end - begin <= leaf_size) return index;
    Eigen::Index axis = 0;
    (node.max - node.min).maxCoeff(&axis);
    const int middle = begin + (end - begin) / 2;
    const auto at = [&](const Part& part) { return point(part.front())[axis] + point(part.back())[axis]; };
    std::nth_element(parts_.begin() + begin, parts_.begin() + middle, parts_.begin() + end,
                     [&](const Part& p, const Part& q) { return at(p) < at(q); });
    const int left = build(begin, middle), right = build(middle, end);
    nodes_[index].left = left;
    nodes_[index].right = right;
    return index;
  }

  std::vector<Part> parts_;
  const std::vector<Vec<3>>& points_;
  std::vector<Node> nodes_;
};

/// [m^2] Lowers `best` to the smallest distance_sq of a part of `a` and one of `b`. Both trees are traversed at once,
/// near boxes first.
template <std::size_t n, std::size_t m, class DistanceSq>
void search(const PartTree<n>& a, const PartTree<m>& b, const DistanceSq& distance_sq, double& best) {
  const auto box_distance_sq = [&](int i, int j) {
    const auto& p = a.node(i);
    const auto& q = b.node(j);
    return (p.min - q.max).cwiseMax(q.min - p.max).cwiseMax(0.0).squaredNorm();
  };
  const auto visit = [&](const auto& self, int i, int j) -> void {
    const auto& p = a.node(i);
    const auto& q = b.node(j);
    if (!(box_distance_sq(i, j) < best)) return;
    if (p.is_leaf() && q.is_leaf()) {
      for (int k = p.begin; k < p.end; ++k) {
        for (int l = q.begin; l < q.end; ++l) best = std::min(best, distance_sq(a.part(k), b.part(l)));
      }
      return;
    }
    // The larger node is split; the nearer half is searched first, since it bounds the other.
    const bool splits_a = q.is_leaf() || (!p.is_leaf() && p.diagonal() > q.diagonal());
    std::array<std::array<int, 2>, 2> pairs = {{{i, j}, {i, j}}};
    pairs[0][splits_a ? 0 : 1] = splits_a ? p.left : q.left;
    pairs[1][splits_a ? 0 : 1] = splits_a ? p.right : q.right;
    if (box_distance_sq(pairs[1][0], pairs[1][1]) < box_distance_sq(pairs[0][0], pairs[0][1])) {
      std::swap(pairs[0], pairs[1]);
    }
    for (const auto& [next_i, next_j] : pairs) self(self, next_i, next_j);
  };
  if (!a.is_empty() && !b.is_empty()) visit(visit, 0, 0);
}

}  // namespace

double surface_distance(const SurfaceParts& a, const SurfaceParts& b, const std::vector<Vec<3>>& points) {
  const auto at = [&](int i) -> const Vec<3>& { return points[i]; };
  double best = infinity;
  search(
      PartTree<2>(a.edges, points), PartTree<2>(b.edges, points),
      [&](const auto& e, const auto& f) { return edge_edge_distance_sq(at(e[0]), at(e[1]), at(f[0]), at(f[1])); },
      best);
  const auto search_points = [&](const SurfaceParts& of_points, const SurfaceParts& of_triangles) {
    search(
        PartTree<1>(of_points.vertices, points), PartTree<3>(of_triangles.triangles, points),
        [&](const auto& v, const auto& t) {
          return point_triangle_distance_sq(at(v[0]), at(t[0]), at(t[1]), at(t[2]));
        },
        best);
  };
  search_points(a, b);
  search_points(b, a);
  return std::sqrt(best);
}

}  // namespace clearance
