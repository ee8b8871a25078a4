#include "clearance/remesh/scope.h"

#include <algorithm>

namespace clearance {

namespace {

constexpr std::size_t most_cells = 500;
constexpr int least_rings = 2;

void make_unique(std::vector<int>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

void merge(std::span<const int> more, std::vector<int>& numbers) {
  numbers.insert(numbers.end(), more.begin(), more.end());
  make_unique(numbers);
}

void subtract(std::span<const int> less, std::vector<int>& numbers) {
  std::erase_if(numbers, [&](int n) { return std::binary_search(less.begin(), less.end(), n); });
}

bool contains(const std::vector<int>& numbers, int n) {
  return std::binary_search(numbers.begin(), numbers.end(), n);
}

}  // namespace

template <int dim>
Scope find_scope(const AdaptingBody<dim>& body, std::span<const int> seeds, double least_volume) {
  const SimplexMesh<dim>& mesh = body.mesh;
  std::vector<int> front(seeds.begin(), seeds.end()), vertices = front, cells;
  make_unique(vertices);
  double volume = 0.0;
  for (int ring = 0; !front.empty(); ++ring) {
    if (ring >= least_rings && (volume >= least_volume || cells.size() >= most_cells)) break;
    std::vector<int> around;
    for (const int v : front) around.insert(around.end(), mesh.cells_at(v).begin(), mesh.cells_at(v).end());
    make_unique(around);
    subtract(cells, around);
    front.clear();
    for (const int c : around) {
      volume += mesh.rest_volume(c);
      front.insert(front.end(), mesh.cell(c).begin(), mesh.cell(c).end());
    }
    merge(around, cells);
    make_unique(front);
    subtract(vertices, front);
    merge(front, vertices);
  }
  Scope scope;
  for (const int v : vertices) {
    const std::span<const int> around = mesh.cells_at(v);
    const bool is_inside = std::all_of(around.begin(), around.end(), [&](int c) { return contains(cells, c); });
    if (!is_inside || !is_free(body, v)) continue;
    scope.moving.push_back(v);
    scope.cells.insert(scope.cells.end(), around.begin(), around.end());
    scope.facets.insert(scope.facets.end(), mesh.facets_at(v).begin(), mesh.facets_at(v).end());
  }
  make_unique(scope.cells);
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
  Scope scope = before;
  subtract(edit.removed_cells, scope.cells);
  merge(edit.added_cells, scope.cells);
  subtract(edit.removed_facets, scope.facets);
  merge(edit.added_facets, scope.facets);
  std::erase_if(scope.moving, [&](int v) { return !body.mesh.is_vertex_alive(v); });
  if (edit.kind == MeshEdit::Kind::split && is_free(body, edit.vertex)) scope.moving.push_back(edit.vertex);
  return scope;
}

template Scope find_scope<2>(const AdaptingBody<2>&, std::span<const int>, double);
template Scope find_scope<3>(const AdaptingBody<3>&, std::span<const int>, double);
template Scope scope_after<2>(const AdaptingBody<2>&, const Scope&, const MeshEdit&);
template Scope scope_after<3>(const AdaptingBody<3>&, const Scope&, const MeshEdit&);

}  // namespace clearance
