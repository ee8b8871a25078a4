// What an operation on a mesh of simplices replaces: planned first, then judged, then done.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// Of a cell, facet or edge.
template <std::size_t num_corners>
bool has_vertex(const std::array<int, num_corners>& simplex, int v) {
  return std::ranges::find(simplex, v) != simplex.end();
}

template <int dim>
struct MeshChange {
  std::vector<int> removed_cells, removed_facets;
  std::vector<std::array<int, dim + 1>> cells;  ///< in place of them
  std::vector<int> cell_labels;
  std::vector<std::array<int, dim>> facets;
  std::vector<int> facet_labels;

  int removed_vertex = -1;
  /// A vertex that moves to `position`, or the next number: a new one there.
  int moved_vertex = -1;
  Vec<dim> position = Vec<dim>::Zero();
  std::vector<int> moved_cells;  ///< at the vertex that moves, and not removed

  void clear() {
    removed_cells.clear();
    removed_facets.clear();
    cells.clear();
    cell_labels.clear();
    facets.clear();
    facet_labels.clear();
    removed_vertex = moved_vertex = -1;
    moved_cells.clear();
  }
  void add_cell(const std::array<int, dim + 1>& cell, int label) {
    cells.push_back(cell);
    cell_labels.push_back(label);
  }
  void add_facet(const std::array<int, dim>& facet, int label) {
    facets.push_back(facet);
    facet_labels.push_back(label);
  }
};

}  // namespace clearance
