#include "clearance/geometry/simplex_mesh.h"

#include <Eigen/LU>
#include <algorithm>

#include "clearance/base/contract.h"
#include "clearance/geometry/simplex_orientation.h"

namespace clearance {
namespace {

template <int dim>
double shortest_edge_sq(const std::array<Vec<dim>, dim + 1>& x) {
  double shortest = infinity;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i + 1; j < x.size(); ++j) shortest = std::min(shortest, (x[j] - x[i]).squaredNorm());
  }
  return shortest;
}

/// Returns the numbers of live entries, ascending. `new_of`, if not null, receives the inverse (-1 for dead entries).
std::vector<int> live_numbers(const std::vector<char>& is_alive, std::vector<int>* new_of = nullptr) {
  std::vector<int> live;
  if (new_of) new_of->assign(is_alive.size(), -1);
  for (std::size_t i = 0; i < is_alive.size(); ++i) {
    if (!is_alive[i]) continue;
    if (new_of) (*new_of)[i] = static_cast<int>(live.size());
    live.push_back(static_cast<int>(i));
  }
  return live;
}

template <class T>
std::vector<T> selected(const std::vector<T>& all, const std::vector<int>& numbers) {
  std::vector<T> some;
  some.reserve(numbers.size());
  for (const int i : numbers) some.push_back(all[i]);
  return some;
}

template <std::size_t n>
void renumber(std::vector<std::array<int, n>>& simplices, const std::vector<int>& new_of) {
  for (auto& simplex : simplices) {
    for (int& v : simplex) v = new_of[v];
  }
}

}  // namespace

template <int dim>
SimplexMesh<dim>::SimplexMesh(Data data, const Limits& limits)
    : limits_(limits),
      rest_(std::move(data.rest)),
      cells_(std::move(data.cells), rest_.size()),
      cell_label_(std::move(data.cell_label)),
      facets_(std::move(data.facets), rest_.size()),
      facet_label_(std::move(data.facet_label)),
      sets_(std::move(data.sets)),
      boundary_sets_(data.boundary_sets),
      is_frozen_(std::move(data.is_frozen_vertex)),
      is_kept_(std::move(data.is_kept_vertex)) {
  const auto fill = [](auto& list, std::size_t size) {
    if (list.empty()) list.resize(size);
    CLEARANCE_ASSERT(list.size() == size);
  };
  fill(cell_label_, cells_.all().size());
  fill(facet_label_, facets_.all().size());
  fill(sets_, rest_.size());
  fill(is_frozen_, rest_.size());
  fill(is_kept_, rest_.size());
  is_vertex_alive_.assign(rest_.size(), 1);
  num_live_vertices_ = num_vertices();
  num_live_cells_ = num_cells();
  for ([[maybe_unused]] const Cell& cell : cells_.all()) CLEARANCE_ASSERT(is_positive<dim>(corners(cell)));
}

// --- judging and doing what an operation has planned ---

template <int dim>
const Vec<dim>& SimplexMesh<dim>::changed_rest(int v) const {
  return v == change_.moved_vertex ? change_.position : rest_[v];
}

template <int dim>
std::array<Vec<dim>, dim + 1> SimplexMesh<dim>::corners(const Cell& cell) const {
  std::array<Vec<dim>, dim + 1> x;
  for (std::size_t i = 0; i < cell.size(); ++i) x[i] = rest_[cell[i]];
  return x;
}

template <int dim>
std::array<Vec<dim>, dim + 1> SimplexMesh<dim>::changed_corners(const Cell& cell) const {
  std::array<Vec<dim>, dim + 1> x;
  for (std::size_t i = 0; i < cell.size(); ++i) x[i] = changed_rest(cell[i]);
  return x;
}

template <int dim>
double SimplexMesh<dim>::worst_power_after() const {
  double worst = infinity;
  for (const Cell& cell : change_.cells) worst = std::min(worst, mean_ratio_power<dim>(changed_corners(cell)));
  for (const int c : change_.moved_cells) {
    worst = std::min(worst, mean_ratio_power<dim>(changed_corners(cells_[c])));
  }
  return worst;
}

template <int dim>
double SimplexMesh<dim>::worst_power_before() const {
  double worst = infinity;
  for (const auto* cells : {&change_.removed_cells, &change_.moved_cells}) {
    for (const int c : *cells) worst = std::min(worst, mean_ratio_power<dim>(corners(cells_[c])));
  }
  return worst;
}

template <int dim>
double SimplexMesh<dim>::shortest_edge_sq_after() const {
  double shortest = infinity;
  for (const Cell& cell : change_.cells) shortest = std::min(shortest, shortest_edge_sq<dim>(changed_corners(cell)));
  for (const int c : change_.moved_cells) {
    shortest = std::min(shortest, shortest_edge_sq<dim>(changed_corners(cells_[c])));
  }
  return shortest;
}

template <int dim>
double SimplexMesh<dim>::shortest_edge_sq_before() const {
  double shortest = infinity;
  for (const auto* cells : {&change_.removed_cells, &change_.moved_cells}) {
    for (const int c : *cells) shortest = std::min(shortest, shortest_edge_sq<dim>(corners(cells_[c])));
  }
  return shortest;
}

template <int dim>
EditRefusal SimplexMesh<dim>::judge_change() const {
  for (const Cell& cell : change_.cells) {
    if (!is_positive<dim>(changed_corners(cell))) return EditRefusal::inverted;
  }
  for (const int c : change_.moved_cells) {
    if (!is_positive<dim>(changed_corners(cells_[c]))) return EditRefusal::inverted;
  }
  // The replaced cells are examined only if the new ones are beyond the limits, which is rare.
  const double floor = dim == 2 ? limits_.quality : limits_.quality * limits_.quality * limits_.quality;
  const double worst = worst_power_after();
  if (worst < floor && worst < worst_power_before()) return EditRefusal::quality;
  if (limits_.shortest_edge > 0.0) {
    const double shortest_sq = shortest_edge_sq_after();
    const bool is_short = shortest_sq < limits_.shortest_edge * limits_.shortest_edge;
    if (is_short && shortest_sq < shortest_edge_sq_before()) return EditRefusal::too_short;
  }
  return EditRefusal::none;
}

template <int dim>
void SimplexMesh<dim>::apply_change(MeshEdit& edit) {
  std::ranges::sort(change_.removed_cells);
  std::ranges::sort(change_.removed_facets);
  edit.is_on_boundary = !change_.removed_facets.empty();
  edit.removed_cells = change_.removed_cells;
  edit.removed_facets = change_.removed_facets;
  edit.added_cells.clear();
  edit.added_facets.clear();
  edit.rest_before = {};

  if (change_.moved_vertex == num_vertices()) {
    // The operation sets the sets and marks of a new vertex.
    rest_.push_back(change_.position);
    is_vertex_alive_.push_back(1);
    cells_.add_vertex();
    facets_.add_vertex();
    ++num_live_vertices_;
  } else if (change_.moved_vertex >= 0) {
    Vec<dim>& x = rest_[change_.moved_vertex];
    std::ranges::copy(x, edit.rest_before.begin());
    x = change_.position;
  }
  for (const int c : change_.removed_cells) cells_.kill(c);
  for (const int f : change_.removed_facets) facets_.kill(f);
  for (const Cell& cell : change_.cells) {
    edit.added_cells.push_back(num_cells());
    cells_.add(cell);
  }
  cell_label_.insert(cell_label_.end(), change_.cell_labels.begin(), change_.cell_labels.end());
  for (const Facet& facet : change_.facets) {
    edit.added_facets.push_back(num_facets());
    facets_.add(facet);
  }
  facet_label_.insert(facet_label_.end(), change_.facet_labels.begin(), change_.facet_labels.end());
  num_live_cells_ += static_cast<int>(edit.added_cells.size()) - static_cast<int>(edit.removed_cells.size());
  if (change_.removed_vertex >= 0) {
    is_vertex_alive_[change_.removed_vertex] = 0;
    --num_live_vertices_;
  }
}

template <int dim>
void SimplexMesh<dim>::undo(const MeshEdit& edit) {
  CLEARANCE_ASSERT(edit.added_cells.empty() || edit.added_cells.back() + 1 == num_cells());
  CLEARANCE_ASSERT(edit.added_facets.empty() || edit.added_facets.back() + 1 == num_facets());
  for (std::size_t i = 0; i < edit.added_cells.size(); ++i) cells_.remove_last();
  for (std::size_t i = 0; i < edit.added_facets.size(); ++i) facets_.remove_last();
  cell_label_.resize(cells_.all().size());
  facet_label_.resize(facets_.all().size());
  for (const int c : edit.removed_cells) cells_.revive(c);
  for (const int f : edit.removed_facets) facets_.revive(f);
  num_live_cells_ -= static_cast<int>(edit.added_cells.size()) - static_cast<int>(edit.removed_cells.size());

  if (edit.kind == MeshEdit::Kind::split) {
    CLEARANCE_ASSERT(edit.vertex + 1 == num_vertices());
    rest_.pop_back();
    sets_.pop_back();
    is_frozen_.pop_back();
    is_kept_.pop_back();
    is_vertex_alive_.pop_back();
    cells_.remove_last_vertex();
    facets_.remove_last_vertex();
    --num_live_vertices_;
  }
  if (edit.kind == MeshEdit::Kind::collapse) {
    is_vertex_alive_[edit.ends[1]] = 1;
    ++num_live_vertices_;
  }
  if (edit.is_at_midpoint || edit.kind == MeshEdit::Kind::smooth) {
    for (int k = 0; k < dim; ++k) rest_[edit.vertex][k] = edit.rest_before[k];
  }
}

// --- what is there ---

template <int dim>
int SimplexMesh<dim>::num_vertices() const {
  return static_cast<int>(rest_.size());
}
template <int dim>
int SimplexMesh<dim>::num_cells() const {
  return cells_.count();
}
template <int dim>
int SimplexMesh<dim>::num_facets() const {
  return facets_.count();
}
template <int dim>
int SimplexMesh<dim>::num_live_cells() const {
  return num_live_cells_;
}
template <int dim>
int SimplexMesh<dim>::num_live_vertices() const {
  return num_live_vertices_;
}
template <int dim>
bool SimplexMesh<dim>::is_vertex_alive(int v) const {
  return is_vertex_alive_[v];
}
template <int dim>
bool SimplexMesh<dim>::is_cell_alive(int c) const {
  return cells_.is_alive(c);
}
template <int dim>
bool SimplexMesh<dim>::is_facet_alive(int f) const {
  return facets_.is_alive(f);
}
template <int dim>
const Vec<dim>& SimplexMesh<dim>::rest(int v) const {
  return rest_[v];
}
template <int dim>
auto SimplexMesh<dim>::cell(int c) const -> const Cell& {
  return cells_[c];
}
template <int dim>
int SimplexMesh<dim>::cell_label(int c) const {
  return cell_label_[c];
}
template <int dim>
auto SimplexMesh<dim>::facet(int f) const -> const Facet& {
  return facets_[f];
}
template <int dim>
int SimplexMesh<dim>::facet_label(int f) const {
  return facet_label_[f];
}
template <int dim>
std::uint64_t SimplexMesh<dim>::sets(int v) const {
  return sets_[v];
}
template <int dim>
bool SimplexMesh<dim>::is_frozen(int v) const {
  return is_frozen_[v];
}
template <int dim>
bool SimplexMesh<dim>::is_kept(int v) const {
  return is_kept_[v];
}
template <int dim>
bool SimplexMesh<dim>::is_on_boundary(int v) const {
  return !facets_.at(v).empty();
}
template <int dim>
bool SimplexMesh<dim>::is_boundary_edge(int a, int b) const {
  return facets_.has_edge(a, b);
}
template <int dim>
std::span<const int> SimplexMesh<dim>::cells_at(int v) const {
  return cells_.at(v);
}
template <int dim>
std::span<const int> SimplexMesh<dim>::facets_at(int v) const {
  return facets_.at(v);
}

template <int dim>
std::vector<int> SimplexMesh<dim>::cells_at_edge(int a, int b) const {
  std::vector<int> cells;
  for (const int c : cells_.at(a)) {
    if (has_vertex(cells_[c], b)) cells.push_back(c);
  }
  return cells;
}

template <int dim>
std::vector<int> SimplexMesh<dim>::neighbours(int v) const {
  std::vector<int> all;
  for (const int c : cells_.at(v)) {
    for (const int w : cells_[c]) {
      if (w != v) all.push_back(w);
    }
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

template <int dim>
std::vector<std::array<int, 2>> SimplexMesh<dim>::edges() const {
  std::vector<std::array<int, 2>> edges;
  std::vector<int> above;
  for (int v = 0; v < num_vertices(); ++v) {
    above.clear();
    for (const int c : cells_.at(v)) {
      for (const int w : cells_[c]) {
        if (w > v) above.push_back(w);
      }
    }
    std::ranges::sort(above);
    const auto end = std::unique(above.begin(), above.end());
    for (auto w = above.begin(); w != end; ++w) edges.push_back({v, *w});
  }
  return edges;
}

template <int dim>
double SimplexMesh<dim>::rest_volume(int c) const {
  const auto x = corners(cells_[c]);
  Mat<dim> sides;
  for (int k = 0; k < dim; ++k) sides.col(k) = x[k + 1] - x[0];
  return sides.determinant() / (dim == 2 ? 2.0 : 6.0);
}

template <int dim>
double SimplexMesh<dim>::quality(int c) const {
  return mean_ratio<dim>(corners(cells_[c]));
}

template <int dim>
auto SimplexMesh<dim>::compact(std::vector<int>* vertex_of, std::vector<int>* cell_of, std::vector<int>* facet_of) const
    -> Data {
  std::vector<int> new_vertex;
  std::vector<int> vertices = live_numbers(is_vertex_alive_, &new_vertex);
  std::vector<int> cells = live_numbers(cells_.are_alive()), facets = live_numbers(facets_.are_alive());
  Data data;
  data.rest = selected(rest_, vertices);
  data.cells = selected(cells_.all(), cells);
  renumber(data.cells, new_vertex);
  data.cell_label = selected(cell_label_, cells);
  data.facets = selected(facets_.all(), facets);
  renumber(data.facets, new_vertex);
  data.facet_label = selected(facet_label_, facets);
  data.sets = selected(sets_, vertices);
  data.boundary_sets = boundary_sets_;
  data.is_frozen_vertex = selected(is_frozen_, vertices);
  data.is_kept_vertex = selected(is_kept_, vertices);
  if (vertex_of) *vertex_of = std::move(vertices);
  if (cell_of) *cell_of = std::move(cells);
  if (facet_of) *facet_of = std::move(facets);
  return data;
}

template class SimplexMesh<2>;
template class SimplexMesh<3>;

}  // namespace clearance
