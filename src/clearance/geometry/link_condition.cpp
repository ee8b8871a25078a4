#include "clearance/geometry/link_condition.h"

#include <algorithm>

namespace clearance {
namespace {

// Marks of a vertex v: it shares a cell with a, with b, or with both; a v or b v is an edge of the boundary; a b v is a
// facet.
constexpr std::uint8_t near_a = 1, near_b = 2, in_link = 4, outside_a = 8, outside_b = 16, outside_both = 32;

std::array<int, 2> ordered(int a, int b) {
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace

template <int dim>
void LinkCondition<dim>::mark(int v, std::uint8_t bit) {
  if (marks_[v] == 0) marked_.push_back(v);
  marks_[v] |= bit;
}

/// Marks the vertices that are connected to a by edges of the boundary. In 2D these edges are the facets.
template <int dim>
void LinkCondition<dim>::mark_facets(const Facets& facets, int a, int b, std::uint8_t bit) {
  for (const int f : facets.at(a)) {
    const bool is_at_edge = has_vertex(facets[f], b);
    for (const int v : facets[f]) {
      if (v == a || v == b) continue;
      mark(v, bit);
      if (is_at_edge) mark(v, outside_both);
    }
  }
}

/// Finds the edges opposite to a, in cells without b, between vertices of the link of a b.
template <int dim>
void LinkCondition<dim>::find_far_edges(const Cells& cells, int a, int b, std::vector<Edge>& edges) const {
  edges.clear();
  for (const int c : cells.at(a)) {
    const auto& cell = cells[c];
    if (has_vertex(cell, b)) continue;
    for (std::size_t i = 0; i < cell.size(); ++i) {
      for (std::size_t j = i + 1; j < cell.size(); ++j) {
        if (marks_[cell[i]] & marks_[cell[j]] & in_link) edges.push_back(ordered(cell[i], cell[j]));
      }
    }
  }
}

/// 3D: true if a and b each have a facet, other than those at a b, over the same opposite edge. With the outside
/// vertex, this edge forms a triangle that is linked to both ends.
template <int dim>
bool LinkCondition<dim>::has_outside_triangle(const Facets& facets, int a, int b) const {
  for (const int f : facets.at(a)) {
    if (has_vertex(facets[f], b)) continue;
    for (const int g : facets.at(b)) {
      const auto is_a_or_in_g = [&](int v) { return v == a || has_vertex(facets[g], v); };
      if (std::ranges::all_of(facets[f], is_a_or_in_g)) return true;
    }
  }
  return false;
}

/// Marks the vertices in the links of both ends, and collects the link of the edge.
template <int dim>
void LinkCondition<dim>::mark_links(const Cells& cells, int a, int b) {
  edges_of_link_.clear();
  for (const int c : cells.at(a)) {
    const auto& cell = cells[c];
    const bool is_at_edge = has_vertex(cell, b);
    Edge link = {-1, -1};
    for (const int v : cell) {
      if (v == a || v == b) continue;
      mark(v, near_a);
      if (!is_at_edge) continue;
      mark(v, in_link);
      link[link[0] < 0 ? 0 : 1] = v;
    }
    if (dim == 3 && is_at_edge) edges_of_link_.push_back(ordered(link[0], link[1]));
  }
  for (const int c : cells.at(b)) {
    for (const int v : cells[c]) {
      if (v != a && v != b) mark(v, near_b);
    }
  }
}

/// True if both ends are linked to an edge that is not in the link of their edge.
template <int dim>
bool LinkCondition<dim>::share_far_edge(const Cells& cells, int a, int b) {
  find_far_edges(cells, a, b, far_edges_a_);
  if (far_edges_a_.empty()) return false;
  find_far_edges(cells, b, a, far_edges_b_);
  std::ranges::sort(far_edges_b_);
  for (const Edge& edge : far_edges_a_) {
    const bool is_shared = std::ranges::binary_search(far_edges_b_, edge);
    if (is_shared && std::ranges::find(edges_of_link_, edge) == edges_of_link_.end()) return true;
  }
  return false;
}

template <int dim>
bool LinkCondition<dim>::share_only_the_edge(const Cells& cells, const Facets& facets, int a, int b) {
  // Vertices, including the outside vertex, must be linked to both ends only if they are in the link of the edge.
  const bool are_on_boundary = !facets.at(a).empty() && !facets.at(b).empty();
  if (are_on_boundary && !facets.has_edge(a, b)) return false;
  mark_links(cells, a, b);
  mark_facets(facets, a, b, outside_a);
  mark_facets(facets, b, a, outside_b);
  for (const int v : marked_) {
    const std::uint8_t bits = marks_[v];
    if ((bits & near_a) && (bits & near_b) && !(bits & in_link)) return false;
    // Edges between a vertex and the outside vertex must satisfy the same. In 2D the link of an edge has no edges.
    if ((bits & outside_a) && (bits & outside_b) && (dim == 2 || !(bits & outside_both))) return false;
  }
  if (dim == 2) return true;

  // The same holds for other edges, and for triangles.
  return !share_far_edge(cells, a, b) && !has_outside_triangle(facets, a, b);
}

template <int dim>
bool LinkCondition<dim>::holds(const Cells& cells, const Facets& facets, int a, int b) {
  if (std::ssize(marks_) < cells.num_vertices()) marks_.resize(cells.num_vertices(), 0);
  const bool result = share_only_the_edge(cells, facets, a, b);
  for (const int v : marked_) marks_[v] = 0;
  marked_.clear();
  return result;
}

template class LinkCondition<2>;
template class LinkCondition<3>;

}  // namespace clearance
