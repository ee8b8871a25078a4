#include "clearance/geometry/simplex_boundary.h"

#include <algorithm>
#include <utility>

namespace clearance {

namespace {

/// Returns the elements that no other element equals as a set of vertices, in their order.
template <std::size_t n>
std::vector<std::array<int, n>> without_duplicates(const std::vector<std::array<int, n>>& elements) {
  std::vector<std::pair<std::array<int, n>, std::size_t>> keys(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    keys[i] = {elements[i], i};
    std::sort(keys[i].first.begin(), keys[i].first.end());
  }
  std::sort(keys.begin(), keys.end());

  std::vector<char> is_single(elements.size(), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool equals_last = i > 0 && keys[i - 1].first == keys[i].first;
    const bool equals_next = i + 1 < keys.size() && keys[i + 1].first == keys[i].first;
    is_single[keys[i].second] = !equals_last && !equals_next;
  }
  std::vector<std::array<int, n>> singles;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (is_single[i]) singles.push_back(elements[i]);
  }
  return singles;
}

Edges directed_edges(const Triangles& triangles) {
  Edges edges;
  edges.reserve(3 * triangles.size());
  for (const auto& [a, b, c] : triangles) edges.insert(edges.end(), {{a, b}, {b, c}, {c, a}});
  return edges;
}

}  // namespace

Triangles boundary_triangles(const std::vector<std::array<int, 4>>& tets) {
  Triangles faces;
  faces.reserve(4 * tets.size());
  for (const auto& tet : tets) {
    for (const auto& [a, b, c] : outward_faces) faces.push_back({tet[a], tet[b], tet[c]});
  }
  return without_duplicates(faces);
}

Edges boundary_edges(const Triangles& triangles) {
  return without_duplicates(directed_edges(triangles));
}

Edges unique_edges(const Triangles& triangles) {
  Edges edges = directed_edges(triangles);
  for (auto& edge : edges) std::sort(edge.begin(), edge.end());
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace clearance
