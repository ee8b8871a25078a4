#include "clearance/simulation/build/higher_nodes.h"

#include <algorithm>

#include "clearance/geometry/curved_cells.h"

namespace clearance {

std::vector<HigherNode> find_higher_nodes(const std::vector<BodyInstance>& bodies, const Unknowns& unknowns) {
  std::vector<HigherNode> all;
  std::vector<char> is_found(unknowns.layout.num_blocks, 0);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Mesh& mesh = bodies[b].mesh;
    const BodyBlocks& blocks = unknowns.blocks[b];
    if (blocks.block_of_node.empty() || !mesh.has_curved_cells()) continue;
    for_each_higher_node(mesh, [&](int at, std::span<const int> corners, const NodeIndex& index, int order) {
      const int block = blocks.of_node(at);
      if (block < 0 || is_found[block]) return;
      is_found[block] = 1;
      HigherNode node{.block = block};
      std::size_t count = 0;
      for (std::size_t i = 0; i < corners.size(); ++i) {
        if (index[i] == 0) continue;
        node.corners[count] = blocks.of_node(corners[i]);
        node.weights[count++] = static_cast<double>(index[i]) / order;
      }
      all.push_back(node);
    });
  }
  std::sort(all.begin(), all.end(), [](const HigherNode& a, const HigherNode& b) { return a.block < b.block; });
  return all;
}

}  // namespace clearance
