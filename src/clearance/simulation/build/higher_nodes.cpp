#include "clearance/simulation/build/higher_nodes.h"

#include <algorithm>

#include "clearance/geometry/lagrange.h"

namespace clearance {

std::vector<HigherNode> find_higher_nodes(const std::vector<BodyInstance>& bodies, const Unknowns& unknowns) {
  std::vector<HigherNode> all;
  std::vector<char> is_found(unknowns.layout.num_blocks, 0);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Mesh& mesh = bodies[b].mesh;
    const BodyBlocks& blocks = unknowns.blocks[b];
    if (blocks.block_of_node.empty() || !mesh.has_curved_cells()) continue;
    for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
      const std::span<const int> nodes = mesh.nodes_of_cell(cell);
      const int order = mesh.order_of_cell(cell);
      const std::vector<NodeIndex>& indices = lagrange_nodes(mesh.dim, order);
      for (std::size_t a = mesh.dim + 1; a < nodes.size(); ++a) {
        const int block = blocks.of_node(nodes[a]);
        if (block < 0 || is_found[block]) continue;
        is_found[block] = 1;
        HigherNode node{.block = block};
        std::size_t count = 0;
        for (int i = 0; i <= mesh.dim; ++i) {
          if (indices[a][i] == 0) continue;
          node.corners[count] = blocks.of_node(nodes[i]);
          node.weights[count++] = static_cast<double>(indices[a][i]) / order;
        }
        all.push_back(node);
      }
    }
  }
  std::sort(all.begin(), all.end(), [](const HigherNode& a, const HigherNode& b) { return a.block < b.block; });
  return all;
}

}  // namespace clearance
