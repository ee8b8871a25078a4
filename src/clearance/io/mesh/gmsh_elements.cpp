// https://gmsh.info/doc/texinfo/gmsh.html#Node-ordering: corners, edges, faces, then the interior, again as corners,
// edges, faces of a smaller element.
#include "clearance/io/mesh/gmsh_elements.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>

#include "clearance/base/contract.h"
#include "clearance/geometry/lagrange.h"

namespace clearance {
namespace {

struct NamedType {
  int type, dim, order;
  const char* name;
};

constexpr NamedType types[] = {
    {15, 0, 1, "point"},
    {1, 1, 1, "line"},
    {8, 1, 2, "line of order 2"},
    {26, 1, 3, "line of order 3"},
    {27, 1, 4, "line of order 4"},
    {2, 2, 1, "triangle"},
    {9, 2, 2, "triangle of order 2"},
    {21, 2, 3, "triangle of order 3"},
    {23, 2, 4, "triangle of order 4"},
    {4, 3, 1, "tetrahedron"},
    {11, 3, 2, "tetrahedron of order 2"},
    {29, 3, 3, "tetrahedron of order 3"},
    {30, 3, 4, "tetrahedron of order 4"},
    {3, 2, 0, "quadrangle"},
    {5, 3, 0, "hexahedron"},
    {6, 3, 0, "prism"},
    {7, 3, 0, "pyramid"},
    {10, 2, 0, "quadrangle of order 2"},
    {12, 3, 0, "hexahedron of order 2"},
    {13, 3, 0, "prism of order 2"},
    {14, 3, 0, "pyramid of order 2"},
    {16, 2, 0, "incomplete 8-node quadrangle"},
    {17, 3, 0, "incomplete 20-node hexahedron"},
    {18, 3, 0, "incomplete 15-node prism"},
    {19, 3, 0, "incomplete 13-node pyramid"},
    {20, 2, 0, "incomplete 9-node triangle"},
    {22, 2, 0, "incomplete 12-node triangle"},
    {24, 2, 0, "incomplete 15-node triangle"},
    {25, 2, 0, "triangle of order 5"},
    {28, 1, 0, "line of order 5"},
    {31, 3, 0, "tetrahedron of order 5"},
    {32, 3, 0, "incomplete 22-node tetrahedron"},
    {33, 3, 0, "incomplete 28-node tetrahedron"},
    {137, 3, 0, "incomplete 16-node tetrahedron"},
};

using Corners = std::span<const int>;
constexpr std::array<std::array<int, 2>, 6> edges_of_tet = {{{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}}};
constexpr std::array<std::array<int, 3>, 4> faces_of_tet = {{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}}};

/// Appends the nodes of the simplex between some corners of the element, in Gmsh's order, as multi-indices that sum up
/// to `order`. Adds `base` to the indices of all these corners.
void add_nodes(Corners corners, int order, int base, std::vector<NodeIndex>& nodes) {
  const auto add = [&](std::span<const int> some, std::span<const int> steps) {
    NodeIndex index{};
    for (const int corner : corners) index[corner] = base;
    for (std::size_t i = 0; i < some.size(); ++i) {
      index[corners[some[i]]] += steps[i];
    }
    nodes.push_back(index);
  };
  if (order == 0) return add({}, {});
  for (int corner = 0; corner < static_cast<int>(corners.size()); ++corner) add({&corner, 1}, {&order, 1});
  const std::size_t num_edges = corners.size() == 3 ? 3 : 6;
  for (std::size_t e = 0; e < num_edges; ++e) {
    for (int k = 1; k < order; ++k) add(edges_of_tet[e], std::array{order - k, k});
  }
  if (corners.size() == 3) {
    if (order >= 3) add_nodes(corners, order - 3, base + 1, nodes);
    return;
  }
  CLEARANCE_ASSERT(base == 0);  // up to order 4 there is at most one node inside
  for (const auto& face : faces_of_tet) {
    if (order >= 3) add_nodes(face, order - 3, 1, nodes);
  }
  if (order >= 4) add_nodes(corners, order - 4, 1, nodes);
}

std::vector<int> make_translation(int dim, int order) {
  constexpr std::array<int, 4> corners = {0, 1, 2, 3};
  std::vector<NodeIndex> nodes;
  add_nodes(Corners(corners).first(dim + 1), order, 0, nodes);
  std::vector<int> ours;
  for (const NodeIndex& index : nodes) ours.push_back(lagrange_node(dim, order, index));
  return ours;
}

}  // namespace

GmshElement gmsh_element(std::int64_t type) {
  const auto known = std::find_if(std::begin(types), std::end(types), [&](const auto& t) { return t.type == type; });
  if (known == std::end(types)) return {-1, 0, 0, 0, "unknown element"};
  const auto& [number, dim, order, name] = *known;
  return {number, dim, order, order == 0 ? 0 : dim == 0 ? 1 : num_lagrange_nodes(dim, order), name};
}

int gmsh_type(int dim, int order) {
  const auto known =
      std::find_if(std::begin(types), std::end(types), [&](const auto& t) { return t.dim == dim && t.order == order; });
  CLEARANCE_ASSERT(known != std::end(types));
  return known->type;
}

const std::vector<int>& gmsh_nodes(int dim, int order) {
  CLEARANCE_ASSERT((dim == 2 || dim == 3) && order >= 1 && order <= max_order);
  static const auto all = [] {
    std::array<std::array<std::vector<int>, max_order>, 2> lists;
    for (int d = 2; d <= 3; ++d) {
      for (int p = 1; p <= max_order; ++p) {
        lists[d - 2][p - 1] = make_translation(d, p);
      }
    }
    return lists;
  }();
  return all[dim - 2][order - 1];
}

}  // namespace clearance
