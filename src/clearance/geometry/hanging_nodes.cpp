#include "clearance/geometry/hanging_nodes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/point_tree.h"
#include "clearance/geometry/weld.h"

namespace clearance {

namespace {

/// Nodes between two corners of a triangle, in order and without the corners.
using Chain = std::vector<int>;
using Triangle = std::array<int, 3>;

Triangles with_corners(const Triangles& triangles, const std::vector<int>& stands_for) {
  Triangles welded = triangles;
  for (auto& triangle : welded) {
    for (int& v : triangle) v = stands_for[v];
  }
  return welded;
}

Vertices positions_of(const Vertices& vertices, const std::vector<int>& some) {
  Vertices positions;
  for (const int v : some) positions.push_back(vertices[v]);
  return positions;
}

std::vector<int> ends_of(const Edges& edges) {
  std::vector<int> ends;
  for (const auto& edge : edges) ends.insert(ends.end(), edge.begin(), edge.end());
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

/// Search for the nodes in an edge.
class NodeFinder {
 public:
  NodeFinder(const Vertices& vertices, std::vector<int> nodes)
      : vertices_(vertices),
        nodes_(std::move(nodes)),
        tree_(positions_of(vertices, nodes_)),
        tolerance_(hanging_node_tolerance(vertices)) {}

  /// Returns the nodes in the order from a to b.
  Chain find(int a, int b) const {
    const Vec<3>&x = vertices_[a], &y = vertices_[b];
    const Vec<3> reach = Vec<3>::Constant(tolerance_);
    std::vector<std::pair<double, int>> found;
    tree_.visit_box(x.cwiseMin(y) - reach, x.cwiseMax(y) + reach, [&](int i) {
      const int v = nodes_[i];
      if (const double share = share_of(x, y, vertices_[v]); share > 0.0) found.emplace_back(share, v);
    });
    std::sort(found.begin(), found.end());
    Chain chain;
    for (const auto& [share, v] : found) chain.push_back(v);
    return chain;
  }

 private:
  /// Returns the position of a node within the edge, in (0, 1), or 0 if it is not in the edge.
  double share_of(const Vec<3>& x, const Vec<3>& y, const Vec<3>& node) const {
    // A node near an end is in the edge only if the edge hardly bends there.
    constexpr double max_bend = 0.05;
    const Vec<3> along = y - x;
    const double share = (node - x).dot(along) / along.squaredNorm();
    if (!(share > 0.0 && share < 1.0)) return 0.0;
    const double distance = (node - x - share * along).norm();
    const double to_end = std::min(share, 1.0 - share) * along.norm();
    return distance <= std::min(tolerance_, max_bend * to_end) ? share : 0.0;
  }

  const Vertices& vertices_;
  std::vector<int> nodes_;
  PointTree tree_;
  double tolerance_;  // [m]
};

/// Cuts a triangle at the nodes of its edges into triangles that have no node in an edge.
void cut(const Vertices& vertices, const Triangle& triangle, const std::array<Chain, 3>& chains, Triangles& pieces) {
  // Cutting the longest edge first keeps the angles as large as possible.
  std::size_t longest = 3;
  double length_sq = -1.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double own = (vertices[triangle[k]] - vertices[triangle[(k + 1) % 3]]).squaredNorm();
    if (!chains[k].empty() && own > length_sq) longest = k, length_sq = own;
  }
  if (longest == 3) {
    pieces.push_back(triangle);
    return;
  }
  const int a = triangle[longest], b = triangle[(longest + 1) % 3], c = triangle[(longest + 2) % 3];
  const Chain& chain = chains[longest];
  const auto middle = chain.begin() + static_cast<std::ptrdiff_t>(chain.size() / 2);
  cut(vertices, {a, *middle, c}, {Chain(chain.begin(), middle), {}, chains[(longest + 2) % 3]}, pieces);
  cut(vertices, {*middle, b, c}, {Chain(middle + 1, chain.end()), chains[(longest + 1) % 3], {}}, pieces);
}

}  // namespace

double hanging_node_tolerance(const Vertices& vertices) {
  constexpr double of_size = 1e-5;
  constexpr double of_coordinates = 4.0 / (1 << 24);
  if (vertices.empty()) return 0.0;
  const BoundingBox box = bounding_box(vertices);
  const double largest = box.min.cwiseAbs().cwiseMax(box.max.cwiseAbs()).maxCoeff();
  return std::max(of_size * box.diagonal(), of_coordinates * largest);
}

int split_at_hanging_nodes(const Vertices& vertices, Triangles& triangles) {
  const std::vector<int> first = weld(vertices);
  const Triangles welded = with_corners(triangles, first);
  const Edges open = find_surface_defects(welded).open_edges;
  if (open.empty()) return 0;

  // Find the chains of nodes in the open edges, each from the smaller to the larger vertex number.
  const NodeFinder finder(vertices, ends_of(open));
  std::map<std::array<int, 2>, Chain> nodes;
  for (const auto& [a, b] : open) {
    const std::array<int, 2> edge = {std::min(a, b), std::max(a, b)};
    if (Chain chain = finder.find(edge[0], edge[1]); !chain.empty()) nodes.emplace(edge, std::move(chain));
  }
  if (nodes.empty()) return 0;

  Triangles pieces;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    std::array<Chain, 3> chains;
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = welded[t][k], b = welded[t][(k + 1) % 3], c = welded[t][(k + 2) % 3];
      const auto found = nodes.find({std::min(a, b), std::max(a, b)});
      if (found == nodes.end()) continue;
      chains[k] = found->second;
      if (a > b) std::reverse(chains[k].begin(), chains[k].end());
      std::erase(chains[k], c);  // only for a triangle without area
    }
    cut(vertices, triangles[t], chains, pieces);
  }
  if (find_surface_defects(with_corners(pieces, first)).open_edges.size() >= open.size()) return 0;
  triangles = std::move(pieces);
  return static_cast<int>(nodes.size());
}

}  // namespace clearance
