#include "clearance/geometry/lagrange.h"

#include <algorithm>
#include <cstddef>

#include "clearance/base/contract.h"

namespace clearance {

namespace {

constexpr std::array<std::array<int, 2>, 6> edges_of_tet = {{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};
/// Corners of each face, in the order of its nodes.
constexpr std::array<std::array<int, 3>, 4> faces_of_tet = {{{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}}};

std::vector<NodeIndex> make_nodes(int dim, int order) {
  std::vector<NodeIndex> nodes;
  const auto at = [](int corner) { return corner; };
  for (int corner = 0; corner <= dim; ++corner) {
    NodeIndex index{};
    index[at(corner)] = order;
    nodes.push_back(index);
  }
  const std::size_t num_edges = dim == 1 ? 1 : dim == 2 ? 3 : 6;
  for (std::size_t e = 0; e < num_edges; ++e) {
    for (int k = 1; k < order; ++k) {
      NodeIndex index{};
      index[at(edges_of_tet[e][0])] = order - k;
      index[at(edges_of_tet[e][1])] = k;
      nodes.push_back(index);
    }
  }
  // Nodes inside a face form a triangle of order `order` - 3. Up to order 4, this triangle has no inner nodes itself.
  const auto add_face = [&](const std::array<int, 3>& face) {
    if (order < 3) return;
    for (const NodeIndex& inner : order == 3 ? std::vector<NodeIndex>{{}} : make_nodes(2, order - 3)) {
      NodeIndex index{};
      for (std::size_t i = 0; i < 3; ++i) index[at(face[i])] = 1 + inner[i];
      nodes.push_back(index);
    }
  };
  if (dim == 1) return nodes;
  if (dim == 2) {
    add_face({0, 1, 2});
    return nodes;
  }
  for (const auto& face : faces_of_tet) add_face(face);
  if (order == 4) nodes.push_back({1, 1, 1, 1});
  return nodes;
}

/// The factor of one barycentric, prod_(k < index) (order l - k) / (index - k), and its derivative.
struct Factor {
  double value = 1.0, slope = 0.0;
};
Factor factor_of(int order, int index, double l) {
  Factor factor;
  for (int k = 0; k < index; ++k) {
    const double term = (order * l - k) / (index - k), by_l = static_cast<double>(order) / (index - k);
    factor.slope = factor.slope * term + factor.value * by_l;
    factor.value *= term;
  }
  return factor;
}

}  // namespace

const std::vector<NodeIndex>& lagrange_nodes(int dim, int order) {
  CLEARANCE_ASSERT(dim >= 1 && dim <= 3 && order >= 1 && order <= max_order);
  static const auto all = [] {
    std::array<std::array<std::vector<NodeIndex>, max_order>, 3> lists;
    for (int d = 1; d <= 3; ++d) {
      for (int p = 1; p <= max_order; ++p) {
        lists[d - 1][p - 1] = make_nodes(d, p);
      }
    }
    return lists;
  }();
  return all[dim - 1][order - 1];
}

int lagrange_node(int dim, int order, const NodeIndex& index) {
  const std::vector<NodeIndex>& nodes = lagrange_nodes(dim, order);
  const auto found = std::find(nodes.begin(), nodes.end(), index);
  CLEARANCE_ASSERT(found != nodes.end());
  return static_cast<int>(found - nodes.begin());
}

void lagrange_values(int dim, int order, const Barycentrics& at, std::span<double> values) {
  const std::vector<NodeIndex>& nodes = lagrange_nodes(dim, order);
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    values[a] = 1.0;
    for (int i = 0; i <= dim; ++i) {
      values[a] *= factor_of(order, nodes[a][i], at[i]).value;
    }
  }
}

void bernstein_values(int dim, int order, const Barycentrics& at, std::span<double> values) {
  const std::vector<NodeIndex>& nodes = lagrange_nodes(dim, order);
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    // A multinomial coefficient is a product of binomial coefficients.
    values[a] = 1.0;
    for (int i = 0, sum = 0; i <= dim; ++i) {
      const std::size_t at_i = i;
      for (int k = 1; k <= nodes[a][at_i]; ++k) values[a] *= at[at_i] * ++sum / k;
    }
  }
}

void lagrange_gradients(int dim, int order, const Barycentrics& at, std::span<double> gradients) {
  const std::vector<NodeIndex>& nodes = lagrange_nodes(dim, order);
  const std::size_t size = dim;
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    std::array<Factor, 4> factors;
    for (std::size_t i = 0; i <= size; ++i) factors[i] = factor_of(order, nodes[a][i], at[i]);
    std::array<double, 4> by_barycentric{};
    for (std::size_t i = 0; i <= size; ++i) {
      by_barycentric[i] = factors[i].slope;
      for (std::size_t k = 0; k <= size; ++k) {
        if (k != i) by_barycentric[i] *= factors[k].value;
      }
    }
    for (std::size_t i = 1; i <= size; ++i) gradients[a * size + i - 1] = by_barycentric[i] - by_barycentric[0];
  }
}

}  // namespace clearance
