// Search for cells that two meshes of the same domain share, and for cells that may overlap.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// The elements of one body at rest, which do not overlap.
template <int dim>
struct RestMesh {
  std::vector<Vec<dim>> vertices;               ///< [m]
  std::vector<std::array<int, dim + 1>> cells;  ///< of positive volume
  std::vector<double> density;                  ///< [kg/m^dim] per cell
};

/// Returns for each cell of `to` the cell of `from` with the same corners, in any order; -1 if there is none.
template <int dim>
std::vector<int> find_same_cells(const RestMesh<dim>& from, const RestMesh<dim>& to);

/// Returns all pairs (cell of `to`, cell of `from`) of the given cells whose boxes overlap by more than a face, sorted.
template <int dim>
std::vector<std::array<int, 2>> find_near_cells(const RestMesh<dim>& from, std::span<const int> from_cells,
                                                const RestMesh<dim>& to, std::span<const int> to_cells);

}  // namespace clearance
