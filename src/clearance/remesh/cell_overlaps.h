// Which cells of two meshes of the same domain have something in common.
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

/// For each cell of `to` the cell of `from` with the same corners, in any order; -1 if there is none.
template <int dim>
std::vector<int> find_same_cells(const RestMesh<dim>& from, const RestMesh<dim>& to);

/// All pairs (cell of `to`, cell of `from`) of the cells given whose boxes have more than a face in common, sorted.
template <int dim>
std::vector<std::array<int, 2>> find_near_cells(const RestMesh<dim>& from, std::span<const int> from_cells,
                                                const RestMesh<dim>& to, std::span<const int> to_cells);

}  // namespace clearance
