#include "clearance/geometry/node_bending.h"

#include <algorithm>

#include "clearance/base/contract.h"

namespace clearance {

namespace {

/// Returns the value of the function of a node on a corner, edge, face or inside. It is 1 at the node, and 0 at the
/// other nodes of the same feature and at the corners, edges and faces that do not contain the feature. Elsewhere a
/// polynomial of the same order continues it.
double hierarchical_value(int order, const NodeIndex& node, const NodeIndex& where) {
  int num_corners = 0;
  double outside = order;  // times the order, like all barycentrics here
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (node[i] == 0) continue;
    ++num_corners;
    outside -= where[i];
  }
  double value = 1.0;
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (node[i] == 0) continue;
    value *= static_cast<double>(where[i]) / node[i];
    const double inside = where[i] + outside / num_corners;
    for (int k = 1; k < node[i]; ++k) value *= (inside - k) / (node[i] - k);
  }
  return value;
}

}  // namespace

NodeBending::NodeBending(Mesh& mesh)
    : mesh_(mesh),
      nodes_(lagrange_nodes(mesh.dim, mesh.order_of_cell(0))),
      moves_(mesh.vertices.size(), Vec<3>::Zero()),
      is_told_(mesh.vertices.size(), 0),
      is_done_(mesh.vertices.size(), 0) {
  for (const NodeIndex& where : nodes_) {
    for (const NodeIndex& node : nodes_) values_.push_back(hierarchical_value(mesh.order_of_cell(0), node, where));
  }
}

void NodeBending::run() {
  for (std::size_t cell = 0; cell < mesh_.num_solid_cells(); ++cell) {
    CLEARANCE_ASSERT(mesh_.nodes_of_cell(cell).size() == nodes_.size());
    spread(mesh_.nodes_of_cell(cell));
  }
  for (std::size_t v = 0; v < moves_.size(); ++v) mesh_.vertices[v] += moves_[v];
}

/// Spreads the motion of nodes over an element. Nodes are in the order corners, edges, faces, inside. Each node
/// follows the functions of the nodes before it, scaled by the part of their motion that exceeds what they follow
/// themselves.
void NodeBending::spread(std::span<const int> nodes) {
  if (std::none_of(nodes.begin(), nodes.end(), [&](int v) { return is_told_[v] != 0; })) return;
  std::vector<Vec<3>> beyond(nodes.size(), Vec<3>::Zero());
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    Vec<3> follows = Vec<3>::Zero();
    for (std::size_t b = 0; b < a; ++b) follows += values_[a * nodes.size() + b] * beyond[b];
    const std::size_t v = nodes[a];
    if (is_done_[v] == 0) moves_[v] = follows;
    is_done_[v] = 1;
    if (is_told_[v] != 0) beyond[a] = moves_[v] - follows;
  }
}

}  // namespace clearance
