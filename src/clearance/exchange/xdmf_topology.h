// The cells of a frame as XDMF names them: elements of order 1 and 2 as they are, higher ones in linear parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clearance/io/mesh/vtu.h"

namespace clearance::exchange {

struct XdmfTopology {
  std::string type;                   ///< `Tetrahedron`, ... where all cells are of one kind, else `Mixed`
  int num_nodes = 0;                  ///< of a cell; 0: Mixed
  std::vector<std::int32_t> numbers;  ///< nodes, cell by cell; Mixed: each after the number of its kind
  std::size_t num_cells = 0;
  std::vector<std::size_t> sources;  ///< the frame's cell that each is (a part of)
  std::size_t num_split = 0;         ///< cells of the frame that are in parts
};

/// XDMF knows tetrahedra and triangles of order 1 and 2; one of order p > 2 becomes the p^3 (2D: p^2) between its
/// nodes.
XdmfTopology build_topology(const Mesh& mesh);

/// The parts by the numbers of the element's nodes, oriented as it is.
std::vector<std::array<int, 4>> linear_parts(int dim, int order);

}  // namespace clearance::exchange
