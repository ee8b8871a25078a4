// A mesh of linear simplices that is edited one operation at a time, each of which can be undone: what remeshing within
// a time step works on [Fer23, sec. 6.3.6].
//
// Geometry is that of the rest positions, and exact: no operation is done that leaves an element without positive
// volume there, a surface that is no manifold, another boundary at rest, or labels that cover anything else than
// before. Positions of other configurations are the caller's, who checks them before `keep` or calls `undo`.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// Why an operation was not done; nothing has changed then.
enum class EditRefusal {
  none,
  no_such_feature,  ///< no such edge or face, or it is of another kind than the operation is for
  frozen,           ///< a vertex of it, or what would be removed, stays as it is
  boundary,         ///< the boundary at rest, a feature of it, or the cover of a label would change
  label,            ///< a set or an interface of cells would lose a vertex
  topology,         ///< the link condition: the result would be no manifold
  inverted,         ///< an element at rest would have no positive volume, by exact arithmetic
  quality,          ///< an element at rest would be worse than the floor, and than the worst one it replaces
  too_short         ///< an edge at rest would be shorter than the shortest that is allowed
};

/// What an operation did. Cells and vertices keep their numbers for as long as they live; those of dead ones are used
/// again by no one before `compact`.
struct MeshEdit {
  enum class Kind { split, collapse, swap, smooth };
  Kind kind = Kind::split;
  /// split: the new vertex, the two ends of the edge. collapse: the vertex that is left, itself, the one that is gone.
  /// smooth: the vertex.
  int vertex = -1;
  std::array<int, 2> ends = {-1, -1};
  bool is_on_boundary = false;     ///< a facet is among what has changed
  bool is_at_midpoint = false;     ///< of a collapse: the vertex that is left has moved to the midpoint
  std::vector<int> removed_cells;  ///< dead since
  std::vector<int> added_cells;
  std::vector<int> removed_facets, added_facets;
};

template <int dim>
class SimplexMesh {
 public:
  using Cell = std::array<int, dim + 1>;
  using Facet = std::array<int, dim>;

  struct Data {
    std::vector<Vec<dim>> rest;   ///< [m]
    std::vector<Cell> cells;      ///< of positive volume
    std::vector<int> cell_label;  ///< per cell
    std::vector<Facet> facets;    ///< all of the boundary, turned outwards
    /// Per facet. Those of one label lie in one plane (2D: line) up to rounding of midpoints: operations keep the area
    /// that a label covers, and with it the boundary.
    std::vector<int> facet_label;
    /// Per vertex: bit k if it is in set k. The midpoint of an edge is in a set if both ends are and, where the set is
    /// one of boundary vertices, the edge is on the boundary.
    std::vector<std::uint64_t> sets;
    std::uint64_t boundary_sets = 0;     ///< bits of sets of boundary vertices alone
    std::vector<char> is_frozen_vertex;  ///< 1: neither moved nor removed, and no edge between two such is split
    std::vector<char> is_kept_vertex;    ///< 1: not removed nor moved, but edges to it may be split
  };
  struct Limits {
    double quality = 0.05;       ///< of mean_ratio
    double shortest_edge = 0.0;  ///< [m]
  };

  SimplexMesh(Data data, const Limits& limits);

  // Operations. Each leaves the mesh as it was and says why, or changes it and fills `edit`.

  /// A new vertex at the midpoint of the edge a b.
  EditRefusal split(int a, int b, MeshEdit& edit);
  /// Vertex `removed` goes, `kept` stays where it is or, if both are inside, moves to the midpoint.
  EditRefusal collapse(int removed, int kept, bool at_midpoint, MeshEdit& edit);
  /// 2D: the other diagonal of the two triangles at the edge a b. 3D: an edge inside around which three (3-2) or four
  /// (4-4) tetrahedra lie is replaced; of the two ways of the latter by the one of better quality.
  EditRefusal swap_edge(int a, int b, MeshEdit& edit);
  /// 3D: two tetrahedra that share the face become three (2-3).
  EditRefusal swap_face(const std::array<int, 3>& face, MeshEdit& edit);
  /// A vertex inside goes to `rest`, which keeps all elements valid.
  EditRefusal smooth(int vertex, const Vec<dim>& rest, MeshEdit& edit);

  /// Takes the last operation back that was neither kept nor undone; what it did is as if it had never been.
  void undo(const MeshEdit& edit);

  // What is there. Dead vertices and cells have no neighbours; loops go over all numbers and leave them out.

  int num_vertices() const;  ///< numbers in use, dead ones included
  int num_cells() const;
  int num_facets() const;
  int num_live_cells() const;
  int num_live_vertices() const;
  bool is_vertex_alive(int v) const;
  bool is_cell_alive(int c) const;
  bool is_facet_alive(int f) const;
  const Vec<dim>& rest(int v) const;
  const Cell& cell(int c) const;
  int cell_label(int c) const;
  const Facet& facet(int f) const;
  int facet_label(int f) const;
  std::uint64_t sets(int v) const;
  bool is_frozen(int v) const;
  bool is_on_boundary(int v) const;
  bool is_boundary_edge(int a, int b) const;
  /// Live cells and facets at a vertex, in ascending order.
  std::span<const int> cells_at(int v) const;
  std::span<const int> facets_at(int v) const;
  /// Those at an edge, ascending.
  std::vector<int> cells_at_edge(int a, int b) const;
  /// Vertices that share a cell with v, ascending.
  std::vector<int> neighbours(int v) const;
  /// Every edge once, the smaller vertex first, in lexicographic order.
  std::vector<std::array<int, 2>> edges() const;
  double rest_volume(int c) const;  ///< [m^3]; 2D: [m^2]
  double quality(int c) const;      ///< mean ratio at rest

  /// All of it, without what is dead; `vertex_of[new]` is the number here.
  Data compact(std::vector<int>* vertex_of = nullptr, std::vector<int>* cell_of = nullptr,
               std::vector<int>* facet_of = nullptr) const;

 private:
  // geometry/simplex_mesh.cpp
};

/// dim (det J)^(2/dim) / |J|_F^2 with J from the equilateral simplex: 1 for that, 0 for a flat one.
template <int dim>
double mean_ratio(const std::array<Vec<dim>, dim + 1>& x);

/// Per boundary facet a number; two have the same if they are connected by facets of it and lie in one plane (2D:
/// line), by exact arithmetic.
template <int dim>
std::vector<int> planes_of_facets(const std::vector<Vec<dim>>& x, const std::vector<std::array<int, dim>>& facets);

}  // namespace clearance
