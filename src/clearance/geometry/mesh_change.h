// A planned change of a mesh of simplices. An operation is planned first, then judged, then applied.
#pragma once

#include <array>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

template <int dim>
struct MeshChange {
  std::vector<int> removed_cells, removed_facets;
  std::vector<std::array<int, dim + 1>> cells;  ///< cells that replace the removed ones
  std::vector<int> cell_labels;
  std::vector<std::array<int, dim>> facets;
  std::vector<int> facet_labels;

  int removed_vertex = -1;
  /// The vertex that moves to `position`. If it equals the number of vertices, a new vertex is created there.
  int moved_vertex = -1;
  Vec<dim> position = Vec<dim>::Zero();
  std::vector<int> moved_cells;  ///< cells at the vertex that moves, without removed ones

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
