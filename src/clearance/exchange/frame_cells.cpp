#include "clearance/exchange/frame_cells.h"

#include <algorithm>
#include <utility>

#include "clearance/geometry/lagrange.h"

namespace clearance::exchange {
namespace {

class Builder {
 public:
  explicit Builder(const Mesh& mesh) : mesh_(mesh) {}

  FrameCells build() {
    for (const auto& tet : mesh_.tets) add_solid(tet, mesh_.dim == 3, CellKind::tetrahedron, CellKind::tetrahedron_10);
    for (const auto& t : mesh_.triangles) add_solid(t, mesh_.dim == 2, CellKind::triangle, CellKind::triangle_6);
    for (const auto& edge : mesh_.edges) add(CellKind::line, edge, cell_++);
    for (const int v : mesh_.points) add(CellKind::point, std::span(&v, 1), cell_++);
    return std::move(cells_);
  }

 private:
  /// Adds an element. Elements of the mesh's own dimension may have more nodes than corners.
  void add_solid(std::span<const int> corners, bool is_of_dim, CellKind linear, CellKind quadratic) {
    const std::size_t source = cell_++;
    const std::span<const int> nodes = is_of_dim ? mesh_.nodes_of_cell(solid_++) : std::span<const int>();
    if (nodes.empty()) return add(linear, corners, source);
    const int order = order_of_nodes(mesh_.dim, nodes.size());
    if (order == 2) return add(quadratic, nodes, source);
    if (order != order_) {
      parts_ = linear_parts(mesh_.dim, order);
      order_ = order;
    }
    ++cells_.num_split;
    for (const auto& part : parts_) {
      std::array<int, 4> vertices;
      for (int k = 0; k <= mesh_.dim; ++k) vertices[k] = nodes[part[k]];
      add(linear, std::span(vertices).first(mesh_.dim + 1), source);
    }
  }

  void add(CellKind kind, std::span<const int> nodes, std::size_t source) {
    cells_.kinds.push_back(kind);
    cells_.sources.push_back(source);
    cells_.nodes.insert(cells_.nodes.end(), nodes.begin(), nodes.end());
  }

  const Mesh& mesh_;
  FrameCells cells_;
  std::vector<std::array<int, 4>> parts_;
  int order_ = 0;
  std::size_t cell_ = 0, solid_ = 0;
};

}  // namespace

int num_nodes(CellKind kind) {
  switch (kind) {
    case CellKind::point:
      return 1;
    case CellKind::line:
      return 2;
    case CellKind::triangle:
      return 3;
    case CellKind::tetrahedron:
      return 4;
    case CellKind::triangle_6:
      return 6;
    case CellKind::tetrahedron_10:
      return 10;
  }
  return 0;
}

FrameCells list_cells(const Mesh& mesh) {
  return Builder(mesh).build();
}

std::vector<std::array<int, 4>> linear_parts(int dim, int order) {
  // With y_1 = l_1 + ... + l_dim, y_2 = l_2 + ... + l_dim, ... an element is the set order >= y_1 >= ... >= y_dim >= 0.
  // Each unit cube is filled by the simplices along the paths from corner to corner (Kuhn); the parts are the simplices
  // that lie inside the element.
  std::vector<std::array<int, 4>> parts;
  std::array<int, 3> cube = {0, 0, 0};
  const auto node_at = [&](const std::array<int, 3>& y) {
    NodeIndex index = {order - y[0], 0, 0, 0};
    for (int k = 0; k < dim; ++k) {
      const std::size_t i = k;
      index[i + 1] = y[i] - (k + 1 < dim ? y[i + 1] : 0);
    }
    const bool is_inside = std::all_of(index.begin(), index.end(), [](int l) { return l >= 0; });
    return is_inside ? lagrange_node(dim, order, index) : -1;
  };
  const int num_cubes = dim == 3 ? order * order * order : order * order;
  for (int c = 0; c < num_cubes; ++c) {
    cube = {c % order, c / order % order, c / (order * order)};
    std::array<int, 3> way = {0, 1, 2};
    do {
      std::array<int, 3> y = cube;
      std::array<int, 4> part = {node_at(y), -1, -1, -1};
      bool is_inside = part[0] >= 0, is_odd = false;
      for (int k = 0; k < dim; ++k) {
        const std::size_t i = k;
        ++y[way[i]];
        part[i + 1] = node_at(y);
        is_inside = is_inside && part[i + 1] >= 0;
        for (std::size_t j = 0; j < i; ++j) is_odd = is_odd != (way[j] > way[i]);
      }
      if (!is_inside) continue;
      if (is_odd) std::swap(part[dim - 1], part[dim]);
      parts.push_back(part);
    } while (std::next_permutation(way.begin(), way.begin() + dim));
  }
  return parts;
}

}  // namespace clearance::exchange
