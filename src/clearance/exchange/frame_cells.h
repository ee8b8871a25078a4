// The cells of a frame in the terms of formats that know elements of order 1 and 2 alone. Higher orders are split into
// linear parts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "clearance/io/mesh/vtu.h"

namespace clearance::exchange {

enum class CellKind { point, line, triangle, tetrahedron, triangle_6, tetrahedron_10 };

/// Returns the number of nodes of a cell. Those of order 2 come in the order of VTK: corners, then middles of edges.
int num_nodes(CellKind kind);

struct FrameCells {
  std::vector<CellKind> kinds;
  std::vector<std::int32_t> nodes;   ///< nodes, cell by cell
  std::vector<std::size_t> sources;  ///< the frame's cell that each cell belongs to
  std::size_t num_split = 0;         ///< number of the frame's cells that were split

  bool operator==(const FrameCells&) const = default;
};

/// Lists the cells of a mesh. An element of order p > 2 becomes p^3 (2D: p^2) linear parts between its nodes.
FrameCells list_cells(const Mesh& mesh);

/// Returns the linear parts of an element by the numbers of its nodes. Each part has the orientation of the element.
std::vector<std::array<int, 4>> linear_parts(int dim, int order);

}  // namespace clearance::exchange
