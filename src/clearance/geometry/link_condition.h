// Condition under which two vertices of a mesh of simplices may be merged.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace clearance {

template <int dim>
class SimplexMesh;

/// The link condition [Dey99]: contracting the edge a b preserves a manifold and its topology if the intersection of
/// the links of both ends is the link of the edge. For this test, the whole boundary is joined to one vertex outside
/// the mesh.
template <int dim>
class LinkCondition {
 public:
  /// True if the condition holds for the edge a b of the mesh.
  bool holds(const SimplexMesh<dim>& mesh, int a, int b);

 private:
  using Edge = std::array<int, 2>;

  bool share_only_the_edge(const SimplexMesh<dim>& mesh, int a, int b);
  void mark(int v, std::uint8_t bit);
  void mark_facets(const SimplexMesh<dim>& mesh, int a, int b, std::uint8_t bit);
  void find_far_edges(const SimplexMesh<dim>& mesh, int a, int b, std::vector<Edge>& edges) const;
  bool has_outside_triangle(const SimplexMesh<dim>& mesh, int a, int b) const;

  std::vector<std::uint8_t> marks_;  // marks per vertex; all 0 between calls
  std::vector<int> marked_;
  std::vector<Edge> edges_of_link_, far_edges_a_, far_edges_b_;
};

}  // namespace clearance
