#include "clearance/simulation/load/kept_shape.h"

#include <cmath>

#include "clearance/base/contract.h"
#include "clearance/bodies/fem/element_shapes.h"

namespace clearance {

NodeWeights followed_nodes(const Mesh& mesh, int order) {
  NodeWeights followed(mesh.vertices.size());
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
    const int shape_order = mesh.order_of_cell(cell);
    const std::span<const int> of_shape = mesh.nodes_of_cell(cell);
    const std::vector<int> nodes = nodes_of_displacements(mesh, cell, order);
    const std::vector<double> weights = shape_weights(mesh.dim, order, shape_order);
    for (std::size_t s = 0; s < of_shape.size(); ++s) {
      std::vector<NodeWeight>& of_vertex = followed[of_shape[s]];
      // Elements that share a vertex agree, because its displacement is that of the face or edge that it lies on.
      if (!of_vertex.empty()) continue;
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        const double weight = weights[s * nodes.size() + a];
        if (std::abs(weight) > 1e-14) of_vertex.push_back({nodes[a], weight});
      }
    }
  }
  for (std::vector<NodeWeight>& of_vertex : followed) {
    if (of_vertex.size() == 1) of_vertex.clear();
  }
  return followed;
}

std::vector<int> nodes_of_displacements(const Mesh& mesh, std::size_t cell, int order) {
  const std::span<const int> of_shape = mesh.nodes_of_cell(cell);
  const int shape_order = mesh.order_of_cell(cell), factor = shape_order / order;
  CLEARANCE_ASSERT(factor * order == shape_order);
  std::vector<int> nodes;
  for (NodeIndex index : lagrange_nodes(mesh.dim, order)) {
    for (int& part : index) part *= factor;
    nodes.push_back(of_shape[lagrange_node(mesh.dim, shape_order, index)]);
  }
  return nodes;
}

void give_to_nodes(const BodyInstance& body, std::vector<double>& values) {
  for (std::size_t v = 0; v < body.followed.size(); ++v) {
    if (body.followed[v].empty()) continue;
    for (const auto& [node, weight] : body.followed[v]) values[node] += weight * values[v];
    values[v] = 0.0;
  }
}

}  // namespace clearance
