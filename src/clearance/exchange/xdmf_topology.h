// The cells of a frame in terms of XDMF. Elements of order 1 and 2 stay as they are; higher orders are split into
// linear parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clearance/io/mesh/vtu.h"

namespace clearance::exchange {

struct XdmfTopology {
  std::string type;                   ///< kind of all cells, such as `Tetrahedron`, or `Mixed` if they differ
  int num_nodes = 0;                  ///< number of nodes per cell; 0 if Mixed
  std::vector<std::int32_t> numbers;  ///< nodes, cell by cell; if Mixed, each cell starts with the number of its kind
  std::size_t num_cells = 0;
  std::vector<std::size_t> sources;  ///< the frame's cell that each cell belongs to
  std::size_t num_split = 0;         ///< number of the frame's cells that were split
};

/// Builds the topology of a mesh. XDMF knows tetrahedra and triangles of order 1 and 2. An element of order p > 2
/// becomes p^3 (2D: p^2) linear parts between its nodes.
XdmfTopology build_topology(const Mesh& mesh);

/// Returns the linear parts of an element by the numbers of its nodes. Each part has the orientation of the element.
std::vector<std::array<int, 4>> linear_parts(int dim, int order);

}  // namespace clearance::exchange
