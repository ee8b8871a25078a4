#include "clearance/remesh/scope.h"

#include <algorithm>

namespace clearance {

namespace {

constexpr std::size_t most_cells = 500;
constexpr int least_rings = 2;

void merge(std::span<const int> more, std::vector<int>& numbers) {
  if (std::includes(numbers.begin(), numbers.end(), more.begin(), more.end())) return;
  numbers.insert(numbers.end(), more.begin(), more.end());
  make_unique(numbers);
}

void subtract(std::span<const int> less, std::vector<int>& numbers) {
  std::erase_if(numbers, [&](int n) { return std::binary_search(less.begin(), less.end(), n); });
}

}  // namespace

/// Adds a ring: the elements at the front, and their new vertices as the next front.
template <int dim>
void ScopeFinder<dim>::grow(std::vector<int>& front, double& volume) {
  std::vector<int> next;
  for (const int v : front) {
    for (const int c : body_.mesh.cells_at(v)) {
      if (!mark(cell_marks_, c)) continue;
      cells_.push_back(c);
      volume += body_.mesh.rest_volume(c);
      for (const int w : body_.mesh.cell(c)) {
        if (mark(vertex_marks_, w)) next.push_back(w);
      }
    }
  }
  vertices_.insert(vertices_.end(), next.begin(), next.end());
  front = std::move(next);
}

template <int dim>
Scope ScopeFinder<dim>::find(std::span<const int> seeds, bool is_wide) {
  const SimplexMesh<dim>& mesh = body_.mesh;
  // A new round number clears all marks.
  ++round_;
  cells_.clear();
  vertices_.clear();
  std::vector<int> front;
  // The seeds are the first front.
  for (const int v : seeds) {
    if (mark(vertex_marks_, v)) front.push_back(v);
  }
  vertices_ = front;
  // Grow rings until the region is large enough.
  double volume = 0.0;
  for (int ring = 0; !front.empty(); ++ring) {
    const bool is_enough = volume >= least_volume_ || cells_.size() >= most_cells;
    if (ring >= (is_wide ? least_rings : 1) && (is_enough || !is_wide)) break;
    grow(front, volume);
  }
  // Move the free vertices whose elements are all in the region; keep only the elements and facets at these.
  Scope scope;
  // An element is in the region if this round has marked it.
  const auto is_in = [&](int c) {
    const std::size_t at = c;
    return at < cell_marks_.size() && cell_marks_[at] == round_;
  };
  for (const int v : vertices_) {
    const std::span<const int> around = mesh.cells_at(v);
    if (!is_free(body_, v) || !std::all_of(around.begin(), around.end(), is_in)) continue;
    scope.moving.push_back(v);
    for (const int c : around) {
      if (mark(kept_cell_marks_, c)) scope.cells.push_back(c);
    }
    scope.facets.insert(scope.facets.end(), mesh.facets_at(v).begin(), mesh.facets_at(v).end());
  }
  std::sort(scope.moving.begin(), scope.moving.end());
  std::sort(scope.cells.begin(), scope.cells.end());
  make_unique(scope.facets);
  return scope;
}

void add_replaced(const MeshEdit& edit, std::span<const int> reshaped_cells, Scope& scope) {
  merge(edit.removed_cells, scope.cells);
  merge(reshaped_cells, scope.cells);
  merge(edit.removed_facets, scope.facets);
}

template <int dim>
Scope scope_after(const AdaptingBody<dim>& body, const Scope& before, const MeshEdit& edit) {
  // Exchange what the operation removed for what it added.
  Scope scope = before;
  subtract(edit.removed_cells, scope.cells);
  merge(edit.added_cells, scope.cells);
  subtract(edit.removed_facets, scope.facets);
  merge(edit.added_facets, scope.facets);
  // A collapsed vertex no longer moves, a new one does if it is free.
  std::erase_if(scope.moving, [&](int v) { return !body.mesh.is_vertex_alive(v); });
  if (edit.kind == MeshEdit::Kind::split && is_free(body, edit.vertex)) scope.moving.push_back(edit.vertex);
  return scope;
}

template class ScopeFinder<2>;
template class ScopeFinder<3>;
template Scope scope_after<2>(const AdaptingBody<2>&, const Scope&, const MeshEdit&);
template Scope scope_after<3>(const AdaptingBody<3>&, const Scope&, const MeshEdit&);

}  // namespace clearance
