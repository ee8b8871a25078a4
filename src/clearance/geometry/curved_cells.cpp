#include "clearance/geometry/curved_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "clearance/base/contract.h"
#include "clearance/geometry/element_corners.h"
#include "clearance/geometry/lagrange.h"

namespace clearance {

namespace {

std::span<const int> corners_of(const Mesh& mesh, std::size_t cell) {
  return mesh.dim == 3 ? std::span<const int>(mesh.tets[cell]) : std::span<const int>(mesh.triangles[cell]);
}

/// Calls visit(int&) for every vertex number in elements and groups.
template <class Visit>
void for_each_index(Mesh& mesh, const Visit& visit) {
  for_each_corner(mesh, visit);
  for (MeshGroup& group : mesh.groups) {
    for (auto& element : group.elements) std::for_each_n(element.begin(), group.dim + 1, visit);
  }
}

/// Removes the vertices that `is_removed` marks and nothing uses. Returns the new number of each old vertex, -1 for
/// removed ones.
std::vector<int> drop_vertices(Mesh& mesh, std::vector<char> is_removed) {
  is_removed.resize(mesh.vertices.size(), 0);
  for_each_index(mesh, [&](int& v) { is_removed[v] = 0; });
  std::vector<int> new_number(mesh.vertices.size(), -1);
  std::size_t num_kept = 0;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (is_removed[v] != 0) continue;
    new_number[v] = static_cast<int>(num_kept);
    mesh.vertices[num_kept++] = mesh.vertices[v];
  }
  mesh.vertices.resize(num_kept);
  for_each_index(mesh, [&](int& v) { v = new_number[v]; });
  return new_number;
}

/// The key of a node of the raised order: the corners that it depends on, each repeated as often as its index says,
/// sorted. The key is the same in all elements that share the node.
using NodeKey = std::array<int, max_order>;

struct HashOfKey {
  std::size_t operator()(const NodeKey& key) const {
    std::uint64_t hash = 0;
    for (const int v : key) {
      hash = (hash ^ static_cast<std::uint32_t>(v)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

class ChangeOfOrder {
 public:
  ChangeOfOrder(Mesh& mesh, int order) : mesh_(mesh), order_(order), nodes_(lagrange_nodes(mesh.dim, order)) {
    for (int old_order = 1; old_order <= max_order; ++old_order) add_table(old_order);
  }

  std::vector<int> run() {
    const std::size_t num_cells = mesh_.num_solid_cells(), num_old = mesh_.vertices.size();
    new_nodes_.assign(num_cells * nodes_.size(), -1);
    // Old nodes are registered first, before new ones are made in their places.
    for (std::size_t cell = 0; cell < num_cells; ++cell) keep_nodes(cell);
    for (int old_order = max_order; old_order >= 1; --old_order) {
      for (std::size_t cell = 0; cell < num_cells; ++cell) {
        if (mesh_.order_of_cell(cell) == old_order) add_nodes(cell);
      }
    }

    std::vector<char> was_node(num_old, 0);
    for (const int v : mesh_.cell_nodes) was_node[v] = 1;
    mesh_.cell_nodes.clear();
    mesh_.first_cell_node.clear();
    if (order_ > 1) {
      mesh_.cell_nodes = std::move(new_nodes_);
      for (std::size_t cell = 0; cell <= num_cells; ++cell) {
        mesh_.first_cell_node.push_back(static_cast<int>(cell * nodes_.size()));
      }
    }
    std::vector<int> new_number = drop_vertices(mesh_, std::move(was_node));
    new_number.resize(num_old);
    return new_number;
  }

 private:
  /// The map from the nodes of an element of another order to those of the new one.
  struct Table {
    std::vector<int> same;        ///< per new node, the old node that it equals, or -1
    std::vector<double> weights;  ///< per new node, the weights of all old nodes
  };
  void add_table(int old_order) {
    Table& table = tables_[old_order];
    const std::size_t num_old = lagrange_nodes(mesh_.dim, old_order).size();
    table.weights.resize(nodes_.size() * num_old);
    for (std::size_t a = 0; a < nodes_.size(); ++a) {
      Barycentrics where{};
      NodeIndex old_index{};
      bool is_old = true;
      for (std::size_t i = 0; i < 4; ++i) {
        where[i] = static_cast<double>(nodes_[a][i]) / order_;
        old_index[i] = nodes_[a][i] * old_order / order_;
        is_old = is_old && old_index[i] * order_ == nodes_[a][i] * old_order;
      }
      table.same.push_back(is_old ? lagrange_node(mesh_.dim, old_order, old_index) : -1);
      lagrange_values(mesh_.dim, old_order, where, std::span(table.weights).subspan(a * num_old, num_old));
    }
  }

  const Table& table_of(std::size_t cell) const { return tables_[mesh_.order_of_cell(cell)]; }
  std::span<const int> old_nodes(std::size_t cell) const {
    const std::span<const int> curved = mesh_.nodes_of_cell(cell);
    return curved.empty() ? corners_of(mesh_, cell) : curved;
  }
  int& new_node(std::size_t cell, std::size_t node) { return new_nodes_[cell * nodes_.size() + node]; }

  /// Returns the shared number of a node by its key, or null for inner nodes, which belong to the element alone.
  int* shared_number(std::size_t cell, std::size_t node) {
    const std::span<const int> corners = corners_of(mesh_, cell);
    NodeKey key;
    key.fill(-1);
    std::size_t length = 0, num_corners = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      num_corners += nodes_[node][i] > 0;
      for (int k = 0; k < nodes_[node][i]; ++k) key[length++] = corners[i];
    }
    if (num_corners == corners.size()) return nullptr;
    std::sort(key.begin(), key.end());
    return &shared_.try_emplace(key, -1).first->second;
  }

  void keep_nodes(std::size_t cell) {
    const Table& table = table_of(cell);
    for (std::size_t a = 0; a < nodes_.size(); ++a) {
      if (table.same[a] < 0) continue;
      const int old = old_nodes(cell)[table.same[a]];
      new_node(cell, a) = old;
      if (int* shared = shared_number(cell, a); shared != nullptr && *shared < 0) *shared = old;
    }
  }

  void add_nodes(std::size_t cell) {
    for (std::size_t a = 0; a < nodes_.size(); ++a) {
      int& node = new_node(cell, a);
      int* shared = node < 0 ? shared_number(cell, a) : nullptr;
      if (shared != nullptr) node = *shared;
      if (node >= 0) continue;
      node = static_cast<int>(mesh_.vertices.size());
      if (shared != nullptr) *shared = node;
      mesh_.vertices.push_back(position(cell, a));
    }
  }

  Vec<3> position(std::size_t cell, std::size_t node) const {
    const std::span<const int> old = old_nodes(cell);
    const double* weights = table_of(cell).weights.data() + node * old.size();
    Vec<3> sum = Vec<3>::Zero();
    for (std::size_t b = 0; b < old.size(); ++b) sum += weights[b] * mesh_.vertices[old[b]];
    return sum;
  }

  Mesh& mesh_;
  int order_;
  const std::vector<NodeIndex>& nodes_;
  std::array<Table, max_order + 1> tables_;
  std::vector<int> new_nodes_;
  std::unordered_map<NodeKey, int, HashOfKey> shared_;
};

/// Returns the triangles between the nodes of one face of an element, by node numbers. They have the orientation of the
/// face's corners.
std::vector<std::array<int, 3>> make_face_triangles(int order, const std::array<std::size_t, 3>& corners) {
  const auto node = [&](int j, int k) {
    NodeIndex index{};
    index[corners[0]] = order - j - k;
    index[corners[1]] = j;
    index[corners[2]] = k;
    return lagrange_node(3, order, index);
  };
  std::vector<std::array<int, 3>> triangles;
  for (int k = 0; k < order; ++k) {
    for (int j = 0; j + k < order; ++j) {
      triangles.push_back({node(j, k), node(j + 1, k), node(j, k + 1)});
      if (j + k + 1 < order) triangles.push_back({node(j + 1, k), node(j + 1, k + 1), node(j, k + 1)});
    }
  }
  return triangles;
}

/// Returns the face triangles of all orders and faces.
const auto& face_triangles() {
  static const auto all = [] {
    std::array<std::array<std::vector<std::array<int, 3>>, 4>, max_order + 1> lists;
    for (int order = 2; order <= max_order; ++order) {
      for (std::size_t f = 0; f < 4; ++f) lists[order][f] = make_face_triangles(order, outward_faces[f]);
    }
    return lists;
  }();
  return all;
}

}  // namespace

void add_cell(Mesh& mesh, std::span<const int> nodes) {
  const auto add_corners = [&](auto& elements) {
    auto& corners = elements.emplace_back();
    std::copy_n(nodes.begin(), corners.size(), corners.begin());
    return corners.size();
  };
  CLEARANCE_ASSERT(order_of_nodes(mesh.dim, nodes.size()) > 0);
  const std::size_t num_corners = mesh.dim == 3 ? add_corners(mesh.tets) : add_corners(mesh.triangles);
  if (nodes.size() > num_corners) {
    mesh.first_cell_node.resize(mesh.num_solid_cells(), static_cast<int>(mesh.cell_nodes.size()));
    mesh.cell_nodes.insert(mesh.cell_nodes.end(), nodes.begin(), nodes.end());
  }
  fill_cell_nodes(mesh);
}

void fill_cell_nodes(Mesh& mesh) {
  if (!mesh.has_curved_cells()) return;
  mesh.first_cell_node.resize(mesh.num_solid_cells() + 1, static_cast<int>(mesh.cell_nodes.size()));
}

std::string find_cell_node_fault(const Mesh& mesh) {
  const std::vector<int>& first = mesh.first_cell_node;
  if (first.empty()) {
    return mesh.cell_nodes.empty() ? "" : fmt::format("{} nodes of no element", mesh.cell_nodes.size());
  }
  const std::size_t num_cells = mesh.num_solid_cells(), num_nodes = mesh.cell_nodes.size();
  if (first.size() != num_cells + 1) return fmt::format("{} first nodes of {} elements", first.size(), num_cells);
  if (first.front() != 0 || std::cmp_not_equal(first.back(), num_nodes)) {
    return fmt::format("first nodes from {} to {}, of {} nodes", first.front(), first.back(), num_nodes);
  }
  if (!std::is_sorted(first.begin(), first.end())) return "first nodes that do not grow";
  for (std::size_t cell = 0; cell < num_cells; ++cell) {
    const std::span<const int> nodes = mesh.nodes_of_cell(cell), corners = corners_of(mesh, cell);
    if (nodes.empty()) continue;
    if (order_of_nodes(mesh.dim, nodes.size()) < 2) return fmt::format("element {}: {} nodes", cell, nodes.size());
    if (!std::equal(corners.begin(), corners.end(), nodes.begin())) {
      return fmt::format("element {}: other first nodes than corners", cell);
    }
    for (const int v : nodes) {
      if (v < 0 || v >= std::ssize(mesh.vertices)) return fmt::format("element {}: node {}", cell, v);
    }
  }
  return {};
}

void flip_cell(Mesh& mesh, std::size_t cell) {
  const std::size_t last = mesh.dim, other = last - 1;
  if (mesh.dim == 3) {
    std::swap(mesh.tets[cell][other], mesh.tets[cell][last]);
  } else {
    std::swap(mesh.triangles[cell][other], mesh.triangles[cell][last]);
  }
  const std::span<const int> nodes = mesh.nodes_of_cell(cell);
  if (nodes.empty()) return;
  const int order = mesh.order_of_cell(cell);
  const std::vector<int> old(nodes.begin(), nodes.end());
  const std::vector<NodeIndex>& indices = lagrange_nodes(mesh.dim, order);
  for (std::size_t a = 0; a < old.size(); ++a) {
    NodeIndex mirrored = indices[a];
    std::swap(mirrored[other], mirrored[last]);
    mesh.cell_nodes[mesh.first_cell_node[cell] + a] = old[lagrange_node(mesh.dim, order, mirrored)];
  }
}

std::vector<int> change_order(Mesh& mesh, int order) {
  CLEARANCE_ASSERT(order >= 1 && order <= max_order);
  bool has_order = true;
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
    has_order = has_order && mesh.order_of_cell(cell) == order;
  }
  if (!has_order) return ChangeOfOrder(mesh, order).run();
  std::vector<int> same(mesh.vertices.size());
  std::iota(same.begin(), same.end(), 0);
  return same;
}

Triangles boundary_triangles(const Mesh& mesh) {
  const Triangles by_corners = boundary_triangles(mesh.tets);
  if (mesh.dim != 3 || !mesh.has_curved_cells()) return by_corners;
  // The faces of the boundary have the order of all faces of all tetrahedra.
  Triangles triangles;
  auto face = by_corners.begin();
  for (std::size_t cell = 0; cell < mesh.tets.size(); ++cell) {
    const std::span<const int> nodes = mesh.nodes_of_cell(cell);
    for (std::size_t f = 0; f < 4 && face != by_corners.end(); ++f) {
      const auto& [a, b, c] = outward_faces[f];
      const auto& tet = mesh.tets[cell];
      if (*face != std::array<int, 3>{tet[a], tet[b], tet[c]}) continue;
      ++face;
      if (nodes.empty()) triangles.push_back({tet[a], tet[b], tet[c]});
      for (const auto& [p, q, r] : face_triangles()[mesh.order_of_cell(cell)][f]) {
        triangles.push_back({nodes[p], nodes[q], nodes[r]});
      }
    }
  }
  CLEARANCE_ASSERT(face == by_corners.end());
  return triangles;
}

Edges boundary_edges(const Mesh& mesh) {
  const Edges by_corners = boundary_edges(mesh.triangles);
  if (mesh.dim != 2 || !mesh.has_curved_cells()) return by_corners;
  Edges edges;
  auto side = by_corners.begin();
  for (std::size_t cell = 0; cell < mesh.triangles.size(); ++cell) {
    const std::span<const int> nodes = mesh.nodes_of_cell(cell);
    const auto& triangle = mesh.triangles[cell];
    for (std::size_t i = 0; i < 3 && side != by_corners.end(); ++i) {
      const std::size_t j = (i + 1) % 3;
      if (*side != std::array<int, 2>{triangle[i], triangle[j]}) continue;
      ++side;
      if (nodes.empty()) edges.push_back({triangle[i], triangle[j]});
      const int order = nodes.empty() ? 0 : mesh.order_of_cell(cell);
      for (int k = 0; k < order; ++k) {
        const auto node = [&](int step) {
          NodeIndex index{};
          index[i] = order - step;
          index[j] = step;
          return nodes[lagrange_node(2, order, index)];
        };
        edges.push_back({node(k), node(k + 1)});
      }
    }
  }
  CLEARANCE_ASSERT(side == by_corners.end());
  return edges;
}

}  // namespace clearance
