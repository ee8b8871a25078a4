// Condition under which two vertices of a mesh of simplices may be merged.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "clearance/geometry/live_simplices.h"

namespace clearance {

/// The link condition [Dey99]: contracting the edge a b preserves a manifold and its topology if the intersection of
/// the links of both ends is the link of the edge. For this test, the whole boundary is joined to one vertex outside
/// the mesh.
template <int dim>
class LinkCondition {
 public:
  using Cells = LiveSimplices<dim + 1>;
  using Facets = LiveSimplices<dim>;

  /// True if the condition holds for the edge a b of a mesh with these cells and these facets of its whole boundary.
  bool holds(const Cells& cells, const Facets& facets, int a, int b);

 private:
  using Edge = std::array<int, 2>;

  void mark_links(const Cells& cells, int a, int b);
  bool share_far_edge(const Cells& cells, int a, int b);
  bool share_only_the_edge(const Cells& cells, const Facets& facets, int a, int b);
  void mark(int v, std::uint8_t bit);
  void mark_facets(const Facets& facets, int a, int b, std::uint8_t bit);
  void find_far_edges(const Cells& cells, int a, int b, std::vector<Edge>& edges) const;
  bool has_outside_triangle(const Facets& facets, int a, int b) const;

  std::vector<std::uint8_t> marks_;  // marks per vertex; all 0 between calls
  std::vector<int> marked_;
  std::vector<Edge> edges_of_link_, far_edges_a_, far_edges_b_;
};

}  // namespace clearance
