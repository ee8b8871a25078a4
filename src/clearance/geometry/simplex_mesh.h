// A mesh of linear simplices for remeshing within a time step [Fer23, sec. 6.3.6]. It is edited one operation at a
// time, and each operation can be undone.
//
// Geometry is that of the rest positions, and exact. An operation is refused if it would leave an element without
// positive volume at rest, a surface that is no manifold, another boundary at rest, or labels that cover another region
// than before. The caller owns the positions of other configurations, checks them after an operation, and then
// continues or calls `undo`.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "clearance/geometry/link_condition.h"
#include "clearance/geometry/live_simplices.h"
#include "clearance/geometry/mean_ratio.h"
#include "clearance/geometry/mesh_change.h"
#include "clearance/geometry/planes_of_facets.h"
#include "clearance/math/types.h"

namespace clearance {

/// The reason for which an operation was refused. The mesh is then unchanged.
enum class EditRefusal {
  none,
  no_such_feature,  ///< no such edge or face, or not of the kind that the operation handles
  frozen,           ///< a vertex of it, or one that would be removed, must stay as it is
  boundary,         ///< the boundary at rest, a feature of it, or the region that a label covers would change
  label,            ///< a set or an interface of cells would lose a vertex
  topology,         ///< the link condition: the result would be no manifold
  inverted,         ///< an element at rest would have no positive volume, by exact arithmetic
  quality,          ///< an element at rest would be below the quality limit, and worse than the worst one it replaces
  /// An edge at rest would be shorter than the shortest allowed length and, except for splits, also shorter than the
  /// shortest edge that is replaced.
  too_short
};

/// The result of an operation. Cells and vertices keep their numbers as long as they live; numbers of dead ones are not
/// reused before `compact`.
struct MeshEdit {
  enum class Kind { split, collapse, swap, smooth };
  Kind kind = Kind::split;
  /// split: the new vertex, and the two ends of the edge. collapse: the remaining vertex, and itself with the removed
  /// one. swap: -1, and the edge that was removed or (for a face) added. smooth: the vertex.
  int vertex = -1;
  std::array<int, 2> ends = {-1, -1};
  bool is_on_boundary = false;  ///< true if facets have changed
  bool is_at_midpoint = false;  ///< true if a collapse moved the remaining vertex to the midpoint
  /// The former rest position of `vertex` if it has moved (a collapse to the midpoint, smooth); z = 0 in 2D. Other
  /// cells at it than those listed below keep their numbers, but change their shape.
  std::array<double, 3> rest_before = {};
  std::vector<int> removed_cells;  ///< cells removed, in ascending order as in the other lists
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
    std::vector<Cell> cells;      ///< cells of positive volume
    std::vector<int> cell_label;  ///< label of each cell
    std::vector<Facet> facets;    ///< the whole boundary, oriented outwards
    /// Label of each facet. Facets of one label lie in one plane (2D: line) up to rounding of midpoints. Operations
    /// preserve the area that a label covers, and thereby the boundary.
    std::vector<int> facet_label;
    /// Sets of each vertex: bit k is set if it is in set k. The midpoint of an edge is in a set if both ends are and,
    /// for a set of boundary vertices, the edge is on the boundary.
    std::vector<std::uint64_t> sets;
    std::uint64_t boundary_sets = 0;  ///< bits of sets that consist of boundary vertices
    /// 1: neither moved nor removed; edges between two frozen vertices are not split
    std::vector<char> is_frozen_vertex;
    std::vector<char> is_kept_vertex;  ///< 1: neither removed nor moved; edges to it may be split
    // Labels, sets and marks may be left empty, which means 0 for all.
  };
  struct Limits {
    double quality = 0.05;       ///< smallest mean_ratio
    double shortest_edge = 0.0;  ///< [m]
  };

  SimplexMesh(Data data, const Limits& limits);

  // Operations. Each one changes the mesh and fills `edit`, or leaves the mesh unchanged and returns the reason.

  /// Adds a vertex at the midpoint of the edge a b.
  EditRefusal split(int a, int b, MeshEdit& edit);
  /// Removes vertex `removed`. Vertex `kept` stays at its position or, if `at_midpoint`, moves to the midpoint; both
  /// must then be inside.
  EditRefusal collapse(int removed, int kept, bool at_midpoint, MeshEdit& edit);
  /// 2D: replaces the edge a b by the other diagonal of its two triangles. 3D: replaces an inner edge with three (3-2)
  /// or four (4-4) tetrahedra around it; of the two ways of a 4-4 swap, the one of better quality is taken.
  EditRefusal swap_edge(int a, int b, MeshEdit& edit);
  /// 3D: replaces the two tetrahedra that share the face by three (2-3).
  EditRefusal swap_face(const std::array<int, 3>& face, MeshEdit& edit);
  /// Moves an inner vertex to `rest`, if all elements stay valid.
  EditRefusal smooth(int vertex, const Vec<dim>& rest, MeshEdit& edit);

  /// Undoes the last operation that has not been undone. The mesh is then as if it had never been done.
  void undo(const MeshEdit& edit);

  // Queries. Dead vertices and cells have no neighbours; loops over all numbers must skip them.

  int num_vertices() const;  ///< numbers in use, including dead ones
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
  /// True if the edge a b may be contracted without a change of topology [Dey99].
  bool holds_link_condition(int a, int b) { return link_condition_.holds(cells_, facets_, a, b); }
  /// Returns the live cells or facets at a vertex, in ascending order.
  std::span<const int> cells_at(int v) const;
  std::span<const int> facets_at(int v) const;
  /// Returns the live cells at an edge, in ascending order.
  std::vector<int> cells_at_edge(int a, int b) const;
  /// Returns the vertices that share a cell with v, in ascending order.
  std::vector<int> neighbours(int v) const;
  /// Returns every edge once, the smaller vertex first, in lexicographic order.
  std::vector<std::array<int, 2>> edges() const;
  double rest_volume(int c) const;  ///< [m^3]; 2D: [m^2]
  double quality(int c) const;      ///< mean ratio at rest

  /// Returns the mesh without dead simplices. `vertex_of[new]` receives the present number of each new vertex; cells
  /// and facets likewise.
  Data compact(std::vector<int>* vertex_of = nullptr, std::vector<int>* cell_of = nullptr,
               std::vector<int>* facet_of = nullptr) const;

 private:
  // Planning of operations (simplex_mesh_operations.cpp).
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

  // Judging and applying operations (simplex_mesh.cpp).
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
  LiveSimplices<dim + 1> cells_;
  std::vector<int> cell_label_;
  LiveSimplices<dim> facets_;
  std::vector<int> facet_label_;
  std::vector<std::uint64_t> sets_;
  std::uint64_t boundary_sets_ = 0;
  std::vector<char> is_frozen_, is_kept_;
  std::vector<char> is_vertex_alive_;
  int num_live_vertices_ = 0, num_live_cells_ = 0;

  // Scratch data of the current operation.
  MeshChange<dim> change_;
  LinkCondition<dim> link_condition_;
  std::vector<int> cells_at_edge_;
};

}  // namespace clearance
