// The cells of a frame in terms of XDMF.
#pragma once

#include <string>

#include "clearance/exchange/frame_cells.h"

namespace clearance::exchange {

struct XdmfTopology {
  std::string type;                   ///< kind of all cells, such as `Tetrahedron`, or `Mixed` if they differ
  int num_nodes = 0;                  ///< number of nodes per cell; 0 if Mixed
  std::vector<std::int32_t> numbers;  ///< nodes, cell by cell; if Mixed, each cell starts with the number of its kind
};

XdmfTopology build_topology(const FrameCells& cells);

}  // namespace clearance::exchange
