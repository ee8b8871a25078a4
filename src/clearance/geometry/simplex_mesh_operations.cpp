// The operations of SimplexMesh: the simplices that each of them replaces, and the conditions under which it may.
#include <algorithm>
#include <cmath>

#include "clearance/base/contract.h"
#include "clearance/geometry/boundary_collapse.h"
#include "clearance/geometry/simplex_mesh.h"

namespace clearance {
namespace {

template <std::size_t n>
std::array<int, n> with(std::array<int, n> simplex, int vertex, int by) {
  std::ranges::replace(simplex, vertex, by);
  return simplex;
}

/// Returns the same cell, with its vertices in an even permutation that begins with `first` (and in 3D continues with
/// `second`).
template <std::size_t n>
std::array<int, n> beginning_with(std::array<int, n> cell, int first, int second) {
  if constexpr (n == 3) {
    while (cell[0] != first) std::ranges::rotate(cell, cell.begin() + 1);
  } else {
    // At most two exchanges are needed. If there was only one, the last two vertices are exchanged to make the
    // permutation even.
    bool is_odd = false;
    const auto bring = [&](std::size_t place, int v) {
      if (cell[place] == v) return;
      std::swap(cell[place], *std::ranges::find(cell, v));
      is_odd = !is_odd;
    };
    bring(0, first);
    bring(1, second);
    if (is_odd) std::swap(cell[2], cell[3]);
  }
  return cell;
}

/// Fills `edit` except for the fields that apply_change fills.
void describe(MeshEdit& edit, MeshEdit::Kind kind, int vertex, std::array<int, 2> ends, bool is_at_midpoint = false) {
  edit.kind = kind;
  edit.vertex = vertex;
  edit.ends = ends;
  edit.is_at_midpoint = is_at_midpoint;
}

}  // namespace

// --- common to all ---

template <int dim>
void SimplexMesh<dim>::find_cells_at_edge(int a, int b) {
  cells_at_edge_.clear();
  for (const int c : cells_.at(a)) {
    if (has_vertex(cells_[c], b)) cells_at_edge_.push_back(c);
  }
}

/// Replaces the facets at `vertex`: all are removed, and those without `but_not_at` are added again with `by` in place
/// of `vertex`.
template <int dim>
void SimplexMesh<dim>::replace_facets(int vertex, int by, int but_not_at) {
  for (const int f : facets_.at(vertex)) {
    change_.removed_facets.push_back(f);
    if (!has_vertex(facets_[f], but_not_at)) change_.add_facet(with(facets_[f], vertex, by), facet_label_[f]);
  }
}

template <int dim>
bool SimplexMesh<dim>::has_one_label(std::span<const int> cells) const {
  return std::ranges::all_of(cells, [&](int c) { return cell_label_[c] == cell_label_[cells[0]]; });
}

/// True if a live cell has all of these vertices.
template <int dim>
bool SimplexMesh<dim>::has_cell_with(std::span<const int> vertices) const {
  return std::ranges::any_of(cells_.at(vertices[0]), [&](int c) {
    return std::ranges::all_of(vertices, [&](int v) { return has_vertex(cells_[c], v); });
  });
}

// --- split ---

template <int dim>
EditRefusal SimplexMesh<dim>::split(int a, int b, MeshEdit& edit) {
  find_cells_at_edge(a, b);
  if (a == b || cells_at_edge_.empty()) return EditRefusal::no_such_feature;
  if (is_frozen_[a] && is_frozen_[b]) return EditRefusal::frozen;

  // Each cell and facet at the edge becomes two: one with the midpoint in place of a, one with it in place of b.
  change_.clear();
  const int middle = num_vertices();
  change_.moved_vertex = middle;
  change_.position = 0.5 * (rest_[a] + rest_[b]);
  for (const int c : cells_at_edge_) {
    change_.removed_cells.push_back(c);
    change_.add_cell(with(cells_[c], b, middle), cell_label_[c]);
    change_.add_cell(with(cells_[c], a, middle), cell_label_[c]);
  }
  for (const int f : facets_.at(a)) {
    if (!has_vertex(facets_[f], b)) continue;
    change_.removed_facets.push_back(f);
    change_.add_facet(with(facets_[f], b, middle), facet_label_[f]);
    change_.add_facet(with(facets_[f], a, middle), facet_label_[f]);
  }
  if (const EditRefusal refusal = judge_change(); refusal != EditRefusal::none) return refusal;
  // Splits make edges shorter, so the limit applies to every edge of the new vertex.
  for (const Cell& cell : change_.cells) {
    for (const int v : cell) {
      if (v != middle && (rest_[v] - change_.position).norm() < limits_.shortest_edge) return EditRefusal::too_short;
    }
  }

  describe(edit, MeshEdit::Kind::split, middle, {a, b});
  std::uint64_t sets = sets_[a] & sets_[b];
  if (change_.removed_facets.empty()) sets &= ~boundary_sets_;
  sets_.push_back(sets);
  is_frozen_.push_back(0);
  is_kept_.push_back(0);
  apply_change(edit);
  return EditRefusal::none;
}

// --- collapse ---

/// Checks all conditions of a collapse except its geometry.
template <int dim>
EditRefusal SimplexMesh<dim>::check_collapse(int removed, int kept, bool at_midpoint) {
  find_cells_at_edge(removed, kept);
  if (removed == kept || cells_at_edge_.empty()) return EditRefusal::no_such_feature;
  const auto stays = [&](int v) { return is_frozen_[v] || is_kept_[v]; };
  if (stays(removed) || (at_midpoint && stays(kept))) return EditRefusal::frozen;
  if (!has_one_label(cells_.at(removed)) || (sets_[removed] & ~sets_[kept]) != 0) return EditRefusal::label;
  if (at_midpoint) {
    if (is_on_boundary(removed) || is_on_boundary(kept)) return EditRefusal::boundary;
    if (!has_one_label(cells_.at(kept))) return EditRefusal::label;
  }
  if (is_on_boundary(removed) && !collapse_keeps_boundary(*this, removed, kept)) return EditRefusal::boundary;
  return holds_link_condition(removed, kept) ? EditRefusal::none : EditRefusal::topology;
}

template <int dim>
EditRefusal SimplexMesh<dim>::collapse(int removed, int kept, bool at_midpoint, MeshEdit& edit) {
  if (const auto refusal = check_collapse(removed, kept, at_midpoint); refusal != EditRefusal::none) return refusal;

  change_.clear();
  change_.removed_vertex = removed;
  for (const int c : cells_.at(removed)) {
    change_.removed_cells.push_back(c);
    if (!has_vertex(cells_[c], kept)) change_.add_cell(with(cells_[c], removed, kept), cell_label_[c]);
  }
  replace_facets(removed, kept, kept);
  if (at_midpoint) {
    change_.moved_vertex = kept;
    change_.position = 0.5 * (rest_[removed] + rest_[kept]);
    for (const int c : cells_.at(kept)) {
      if (!has_vertex(cells_[c], removed)) change_.moved_cells.push_back(c);
    }
  }
  if (const EditRefusal refusal = judge_change(); refusal != EditRefusal::none) return refusal;

  describe(edit, MeshEdit::Kind::collapse, kept, {kept, removed}, at_midpoint);
  apply_change(edit);
  return EditRefusal::none;
}

// --- swap ---

/// Plans the swap in 2D: the cells (a b c) and (a d b), counter-clockwise, become (c d b) and (d c a).
template <int dim>
EditRefusal SimplexMesh<dim>::plan_swap_of_two(int a, int b) requires(dim == 2) {
  int c = -1, d = -1;
  for (const int at : cells_at_edge_) {
    const Cell cell = beginning_with(cells_[at], a, b);
    if (cell[1] == b) {
      c = cell[2];
    } else {
      d = cell[1];
    }
  }
  if (c < 0 || d < 0 || has_cell_with(std::array{c, d})) return EditRefusal::topology;
  change_.cells = {{c, d, b}, {d, c, a}};
  return judge_change();
}

/// 3D: returns the third vertices of the cells at a b, counter-clockwise as seen from b, from the smallest one on.
/// Neighbours in the ring share the cells (a b ring[i] ring[i + 1]). Returns nothing if the vertices form no ring.
template <int dim>
std::vector<int> SimplexMesh<dim>::find_ring(int a, int b) const requires(dim == 3) {
  std::vector<std::array<int, 2>> sides;
  for (const int c : cells_at_edge_) {
    const Cell cell = beginning_with(cells_[c], a, b);
    sides.push_back({cell[2], cell[3]});
  }
  std::vector<int> ring = {std::ranges::min(sides)[0]};
  while (true) {
    const auto next = std::ranges::find(sides, ring.back(), [](const auto& side) { return side[0]; });
    if (next == sides.end() || ring.size() > sides.size()) return {};
    if ((*next)[1] == ring[0]) break;
    ring.push_back((*next)[1]);
  }
  return ring.size() == sides.size() ? ring : std::vector<int>();
}

/// Plans two cells on the ring's triangle.
template <int dim>
EditRefusal SimplexMesh<dim>::plan_swap_of_three(const std::vector<int>& ring, int a, int b) requires(dim == 3) {
  if (has_cell_with(ring)) return EditRefusal::topology;
  change_.cells = {{ring[0], ring[1], ring[2], b}, {ring[0], ring[2], ring[1], a}};
  return judge_change();
}

/// Plans four cells around the ring's first diagonal: with a, b and the other two vertices of the ring around it,
/// counter-clockwise as seen from its end.
template <int dim>
EditRefusal SimplexMesh<dim>::plan_swap_of_four(const std::vector<int>& ring, int a, int b) requires(dim == 3) {
  const auto& [w0, w1, w2, w3] = std::array{ring[0], ring[1], ring[2], ring[3]};
  if (has_cell_with(std::array{w0, w2})) return EditRefusal::topology;
  change_.cells = {{w0, w2, w1, a}, {w0, w2, a, w3}, {w0, w2, w3, b}, {w0, w2, b, w1}};
  return judge_change();
}

/// Plans the better of the two ways to replace four cells, or the first if they have equal quality.
template <int dim>
EditRefusal SimplexMesh<dim>::plan_better_swap_of_four(std::vector<int> ring, int a, int b) requires(dim == 3) {
  const EditRefusal first = plan_swap_of_four(ring, a, b);
  const double first_worst = worst_power_after();
  const std::vector<Cell> first_cells = change_.cells;
  std::ranges::rotate(ring, ring.begin() + 1);
  const EditRefusal second = plan_swap_of_four(ring, a, b);
  if (second == EditRefusal::none && (first != EditRefusal::none || worst_power_after() > first_worst)) return second;
  change_.cells = first_cells;
  return first;
}

template <int dim>
EditRefusal SimplexMesh<dim>::plan_swap(int a, int b) {
  if constexpr (dim == 2) {
    return cells_at_edge_.size() == 2 ? plan_swap_of_two(a, b) : EditRefusal::no_such_feature;
  } else {
    const std::size_t num_around = cells_at_edge_.size();
    if (num_around != 3 && num_around != 4) return EditRefusal::no_such_feature;
    const std::vector<int> ring = find_ring(a, b);
    if (ring.empty()) return EditRefusal::topology;
    return num_around == 3 ? plan_swap_of_three(ring, a, b) : plan_better_swap_of_four(ring, a, b);
  }
}

template <int dim>
EditRefusal SimplexMesh<dim>::swap_edge(int a, int b, MeshEdit& edit) {
  find_cells_at_edge(a, b);
  if (a == b || cells_at_edge_.empty() || is_boundary_edge(a, b)) return EditRefusal::no_such_feature;
  if (is_frozen_[a] && is_frozen_[b]) return EditRefusal::frozen;
  if (!has_one_label(cells_at_edge_)) return EditRefusal::label;

  change_.clear();
  change_.removed_cells = cells_at_edge_;
  if (const EditRefusal refusal = plan_swap(a, b); refusal != EditRefusal::none) return refusal;

  change_.cell_labels.assign(change_.cells.size(), cell_label_[cells_at_edge_[0]]);
  describe(edit, MeshEdit::Kind::swap, -1, {a, b});
  apply_change(edit);
  return EditRefusal::none;
}

/// Swaps a face: the cells (x y z b) and (x z y a) become three around a b. This is the reverse of plan_swap_of_three.
template <int dim>
EditRefusal SimplexMesh<dim>::swap_face(const std::array<int, 3>& face, MeshEdit& edit) {
  if constexpr (dim == 2) {
    return EditRefusal::no_such_feature;
  } else {
    find_cells_at_edge(face[0], face[1]);
    std::erase_if(cells_at_edge_, [&](int c) { return !has_vertex(cells_[c], face[2]); });
    const bool is_face = face[0] != face[1] && face[1] != face[2] && face[2] != face[0];
    if (!is_face || cells_at_edge_.size() != 2) return EditRefusal::no_such_feature;
    if (std::ranges::all_of(face, [&](int v) { return is_frozen_[v]; })) return EditRefusal::frozen;
    if (!has_one_label(cells_at_edge_)) return EditRefusal::label;

    // Find the apexes a and b: the cell of b has x y z in the order of an even permutation.
    int a = -1, b = -1, x = face[0], y = face[1], z = face[2];
    for (const int c : cells_at_edge_) {
      const Cell cell = beginning_with(cells_[c], x, y);
      (cell[2] == z ? b : a) = cell[2] == z ? cell[3] : cell[2];
    }
    if (a < 0 || b < 0 || has_cell_with(std::array{a, b})) return EditRefusal::topology;
    change_.clear();
    change_.removed_cells = cells_at_edge_;
    const int label = cell_label_[cells_at_edge_[0]];
    for (const auto& [from, to] : {std::array{x, y}, std::array{y, z}, std::array{z, x}}) {
      change_.add_cell({a, b, from, to}, label);
    }
    if (const EditRefusal refusal = judge_change(); refusal != EditRefusal::none) return refusal;

    describe(edit, MeshEdit::Kind::swap, -1, {a, b});
    apply_change(edit);
    return EditRefusal::none;
  }
}

// --- smooth ---

template <int dim>
EditRefusal SimplexMesh<dim>::smooth(int vertex, const Vec<dim>& rest, MeshEdit& edit) {
  if (!is_vertex_alive_[vertex] || cells_.at(vertex).empty()) return EditRefusal::no_such_feature;
  if (is_frozen_[vertex] || is_kept_[vertex]) return EditRefusal::frozen;
  if (is_on_boundary(vertex)) return EditRefusal::boundary;
  if (!has_one_label(cells_.at(vertex))) return EditRefusal::label;

  change_.clear();
  change_.moved_vertex = vertex;
  change_.position = rest;
  change_.moved_cells = cells_.at(vertex);
  if (const EditRefusal refusal = judge_change(); refusal != EditRefusal::none) return refusal;

  describe(edit, MeshEdit::Kind::smooth, vertex, {-1, -1});
  apply_change(edit);
  return EditRefusal::none;
}

template EditRefusal SimplexMesh<2>::split(int, int, MeshEdit&);
template EditRefusal SimplexMesh<2>::collapse(int, int, bool, MeshEdit&);
template EditRefusal SimplexMesh<2>::swap_edge(int, int, MeshEdit&);
template EditRefusal SimplexMesh<2>::swap_face(const std::array<int, 3>&, MeshEdit&);
template EditRefusal SimplexMesh<2>::smooth(int, const Vec<2>&, MeshEdit&);
template EditRefusal SimplexMesh<3>::split(int, int, MeshEdit&);
template EditRefusal SimplexMesh<3>::collapse(int, int, bool, MeshEdit&);
template EditRefusal SimplexMesh<3>::swap_edge(int, int, MeshEdit&);
template EditRefusal SimplexMesh<3>::swap_face(const std::array<int, 3>&, MeshEdit&);
template EditRefusal SimplexMesh<3>::smooth(int, const Vec<3>&, MeshEdit&);
}  // namespace clearance
