// When two vertices of a mesh of simplices may become one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace clearance {

template <int dim>
class SimplexMesh;

/// The link condition: contracting the edge a b keeps a manifold a manifold of the same topology if what is linked to
/// both ends is linked to the edge, where all of the boundary is joined to one vertex outside of the mesh [Dey99].
template <int dim>
class LinkCondition {
 public:
  /// For an edge of the mesh.
  bool holds(const SimplexMesh<dim>& mesh, int a, int b);

 private:
  using Edge = std::array<int, 2>;

  bool share_only_the_edge(const SimplexMesh<dim>& mesh, int a, int b);
  void mark(int v, std::uint8_t bit);
  void mark_facets(const SimplexMesh<dim>& mesh, int a, int b, std::uint8_t bit);
  void find_far_edges(const SimplexMesh<dim>& mesh, int a, int b, std::vector<Edge>& edges) const;
  bool has_outside_triangle(const SimplexMesh<dim>& mesh, int a, int b) const;

  std::vector<std::uint8_t> marks_;  // per vertex, all 0 between calls
  std::vector<int> marked_;
  std::vector<Edge> edges_of_link_, far_edges_a_, far_edges_b_;
};

}  // namespace clearance
