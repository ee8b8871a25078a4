// The neighbourhood of the features of a surface: edges and facets (triangles; in the plane edges) of a vertex, facets
// of an edge.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "clearance/model/model.h"

namespace clearance {

/// Lists of numbers, stored one after the other.
struct IndexLists {
  std::vector<int> first = {0};
  std::vector<int> items;

  std::span<const int> of(int i) const {
    const std::size_t at = i;
    return {items.data() + first[at], items.data() + first[at + 1]};
  }
};

/// A star does not change after it is made.
class SurfaceStar {
 public:
  /// `outside` is known per facet, see `outside(facet)`, or empty; it must outlive the object, as `model` must.
  SurfaceStar(const Model& model, const std::vector<signed char>& outside);
  explicit SurfaceStar(const Model& model);

  std::span<const int> edges_of(int vertex) const { return edges_of_vertex_.of(vertex); }
  /// Triangles; in the plane edges.
  std::span<const int> facets_of(int vertex) const {
    return is_in_space_ ? triangles_of_vertex_.of(vertex) : edges_of(vertex);
  }
  /// Triangles of an edge; 3D only.
  std::span<const int> triangles_of_edge(int edge) const { return triangles_of_edge_.of(edge); }
  /// Edges of a triangle; 3D only. Edge i joins corners i and i + 1.
  const std::array<int, 3>& edges_of_triangle(int triangle) const { return edges_of_triangle_[triangle]; }
  int edge_between(int a, int b) const;
  int other_end(int edge, int vertex) const {
    const std::array<int, 2>& e = surface_.edges[edge];
    return e[0] == vertex ? e[1] : e[0];
  }
  /// Returns the corner of a triangle that is not on the given edge.
  int opposite(int triangle, int edge) const;
  /// Returns the height of a triangle above its edge i at rest [m].
  double height(int triangle, std::size_t i) const { return heights_[triangle][i]; }
  int triangle_of(int a, int b, int c) const;
  /// The first triangle of an edge or a vertex that does not have this vertex; -1: none. Of the pairs that a vertex
  /// makes with the triangles around a feature, this one stands for the feature.
  int first_without(std::span<const int> triangles, int vertex) const;

  // The next functions say where the material is. It is known at features that facets of solids surround completely.
  bool is_solid_vertex(int vertex) const { return is_solid_vertex_[vertex] != 0; }
  bool is_solid_edge(int edge) const { return is_solid_edge_[edge] != 0; }
  /// Returns 1 or -1 if the normal of a facet points out of or into a solid, else 0.
  int outside(int facet) const { return outside_.empty() ? 0 : outside_[facet]; }

 private:
  void find_solids();

  const SurfaceTopology& surface_;
  const std::vector<signed char>& outside_;
  bool is_in_space_;
  IndexLists edges_of_vertex_, triangles_of_vertex_, triangles_of_edge_;
  std::vector<std::array<int, 3>> edges_of_triangle_;
  std::vector<std::array<double, 3>> heights_;
  std::vector<char> is_solid_vertex_, is_solid_edge_;
};

}  // namespace clearance
