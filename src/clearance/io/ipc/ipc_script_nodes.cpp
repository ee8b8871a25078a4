#include "clearance/io/ipc/ipc_script_nodes.h"

#include <algorithm>

namespace clearance {

IpcNodes::IpcNodes(const std::vector<PlacedShape>& shapes) {
  for (const PlacedShape& shape : shapes) {
    first_.push_back(size());
    shape.for_each_vertex([&](const Vec<3>& x) { positions_.push_back(x); });
  }
  first_.push_back(size());
  for (const Vec<3>& x : positions_) box_.add(x);
}

NodeSet IpcNodes::of_shape(const NodeSet& nodes, int shape) const {
  const auto begin = std::lower_bound(nodes.begin(), nodes.end(), first_[shape]);
  return {begin, std::lower_bound(begin, nodes.end(), first_[shape + 1])};
}

std::vector<std::array<Vec<3>, 2>> IpcNodes::boxes(const NodeSet& nodes_of_shape, int shape) const {
  std::vector<std::array<Vec<3>, 2>> found;
  if (nodes_of_shape.empty() || add_boxes(nodes_of_shape, shape, found)) return found;
  return {};
}

// Adds the bounding box of the nodes, widened so that rounding of the placement cannot lose one. If it holds other
// nodes of the shape, adds the boxes of both halves along its longest side instead.
bool IpcNodes::add_boxes(NodeSet nodes, int shape, std::vector<std::array<Vec<3>, 2>>& boxes) const {
  constexpr std::size_t max_boxes = 1000;
  if (boxes.size() >= max_boxes) return false;
  Box bounds;
  for (const int node : nodes) bounds.add(position(node));
  for (const double fraction : {1e-6, 1e-9}) {
    const Vec<3> margin = Vec<3>::Constant(fraction * box_.extent().norm());
    const std::array<Vec<3>, 2> box = {bounds.min - margin, bounds.max + margin};
    std::size_t num_inside = 0;
    for (int node = first_[shape]; node < first_[shape + 1]; ++node) {
      const Vec<3>& x = position(node);
      if ((x.array() >= box[0].array()).all() && (x.array() <= box[1].array()).all()) ++num_inside;
    }
    if (num_inside == nodes.size()) {
      boxes.push_back(box);
      return true;
    }
  }
  Eigen::Index axis = 0;
  if (!(bounds.extent().maxCoeff(&axis) > 0.0)) return false;
  const double middle = bounds.center()[axis];
  const auto split =
      std::stable_partition(nodes.begin(), nodes.end(), [&](int node) { return position(node)[axis] <= middle; });
  NodeSet upper(split, nodes.end());
  nodes.erase(split, nodes.end());
  return !nodes.empty() && !upper.empty() && add_boxes(std::move(nodes), shape, boxes) &&
         add_boxes(std::move(upper), shape, boxes);
}

}  // namespace clearance
