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

#include "clearance/geometry/link_condition.h"
#include "clearance/geometry/mean_ratio.h"
#include "clearance/geometry/mesh_change.h"
#include "clearance/geometry/planes_of_facets.h"
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
  too_short         ///< an edge at rest would be shorter than the shortest that is allowed, and but for splits than
                    ///< the shortest one of what is replaced
};

/// What an operation did. Cells and vertices keep their numbers for as long as they live; those of dead ones are used
/// again by no one before `compact`.
struct MeshEdit {
  enum class Kind { split, collapse, swap, smooth };
  Kind kind = Kind::split;
  /// split: the new vertex, the two ends of the edge. collapse: the vertex that is left, itself, the one that is gone.
  /// swap: -1, the edge that is gone or (of a face) that is new. smooth: the vertex.
  int vertex = -1;
  std::array<int, 2> ends = {-1, -1};
  bool is_on_boundary = false;  ///< a facet is among what has changed
  bool is_at_midpoint = false;  ///< of a collapse: the vertex that is left has moved to the midpoint
  /// Where `vertex` was at rest if it has moved (a midpoint, smooth); z = 0 in 2D. Cells at it that are not among the
  /// ones below keep their numbers, and have another shape.
  std::array<double, 3> rest_before = {};
  std::vector<int> removed_cells;  ///< dead since; ascending, as the others
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
    // Labels, sets and marks may be left empty: 0 for all.
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
  bool is_kept(int v) const;
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
  // How operations are planned (simplex_mesh_operations.cpp).
  void find_cells_at_edge(int a, int b);
  void replace_facets(int vertex, int by, int but_not_at);
  bool has_one_label(std::span<const int> cells) const;
  bool has_cell_with(std::span<const int> vertices) const;
  EditRefusal check_collapse(int removed, int kept, bool at_midpoint);
  EditRefusal plan_swap(int a, int b);
  EditRefusal plan_swap_of_two(int a, int b) requires(dim == 2);
  std::vector<int> find_ring(int a, int b) const requires(dim == 3);
  EditRefusal plan_swap_of_three(const std::vector<int>& ring, int a, int b) requires(dim == 3);
  EditRefusal plan_swap_of_four(const std::vector<int>& ring, int a, int b) requires(dim == 3);
  EditRefusal plan_better_swap_of_four(std::vector<int> ring, int a, int b) requires(dim == 3);

  // How they are judged and done (simplex_mesh.cpp).
  const Vec<dim>& changed_rest(int v) const;
  std::array<Vec<dim>, dim + 1> corners(const Cell& cell) const;
  std::array<Vec<dim>, dim + 1> changed_corners(const Cell& cell) const;
  double worst_power_after() const;
  double worst_power_before() const;
  double shortest_edge_sq_after() const;
  double shortest_edge_sq_before() const;
  EditRefusal judge_change() const;
  void apply_change(MeshEdit& edit);

  Limits limits_;
  std::vector<Vec<dim>> rest_;
  std::vector<Cell> cells_;
  std::vector<int> cell_label_;
  std::vector<Facet> facets_;
  std::vector<int> facet_label_;
  std::vector<std::uint64_t> sets_;
  std::uint64_t boundary_sets_ = 0;
  std::vector<char> is_frozen_, is_kept_;
  std::vector<char> is_vertex_alive_, is_cell_alive_, is_facet_alive_;
  int num_live_vertices_ = 0, num_live_cells_ = 0;
  std::vector<std::vector<int>> cells_at_, facets_at_;  // per vertex

  // Of the operation at hand.
  MeshChange<dim> change_;
  LinkCondition<dim> link_condition_;
  std::vector<int> cells_at_edge_;
};

}  // namespace clearance
