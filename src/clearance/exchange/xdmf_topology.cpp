#include "clearance/exchange/xdmf_topology.h"

#include <algorithm>

namespace clearance::exchange {
namespace {

/// The number and the name of a kind of cell in XDMF.
struct XdmfKind {
  int number;
  const char* name;
};
XdmfKind kind_of(CellKind kind) {
  switch (kind) {
    case CellKind::point:
      return {1, "Polyvertex"};
    case CellKind::line:
      return {2, "Polyline"};
    case CellKind::triangle:
      return {4, "Triangle"};
    case CellKind::tetrahedron:
      return {6, "Tetrahedron"};
    case CellKind::triangle_6:
      return {36, "Triangle_6"};
    case CellKind::tetrahedron_10:
      return {38, "Tetrahedron_10"};
  }
  return {0, ""};
}

}  // namespace

XdmfTopology build_topology(const FrameCells& cells) {
  const auto& kinds = cells.kinds;
  if (!kinds.empty() && std::ranges::all_of(kinds, [&](CellKind kind) { return kind == kinds.front(); })) {
    return {kind_of(kinds.front()).name, num_nodes(kinds.front()), cells.nodes};
  }
  XdmfTopology topology = {"Mixed", 0, {}};
  auto next = cells.nodes.begin();
  for (const CellKind kind : kinds) {
    topology.numbers.push_back(kind_of(kind).number);
    // Cells of these two kinds may have any number of nodes, so the number is stored.
    if (kind == CellKind::point || kind == CellKind::line) topology.numbers.push_back(num_nodes(kind));
    topology.numbers.insert(topology.numbers.end(), next, next + num_nodes(kind));
    next += num_nodes(kind);
  }
  return topology;
}

}  // namespace clearance::exchange
