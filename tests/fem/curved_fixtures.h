// Meshes of elements of order 2 to 4 for tests: linear grids with their order raised, and bent.
#pragma once

#include <map>

#include "clearance/geometry/curved_cells.h"
#include "fem_fixtures.h"

namespace clearance::test {

template <int dim>
auto& cells_of(Mesh& mesh) {
  if constexpr (dim == 3) {
    return mesh.tets;
  } else {
    return mesh.triangles;
  }
}

/// Returns the elements of a linear mesh with the nodes of an order, with `place` applied to the positions of the
/// straight ones.
template <int dim, class Place>
ElementMesh<dim> raised(const ElementMesh<dim>& linear, int order, const Place& place) {
  Mesh mesh;
  mesh.dim = dim;
  for (Eigen::Index v = 0; v < linear.x_rest.size() / dim; ++v) {
    Vec<3> x = Vec<3>::Zero();
    x.head<dim>() = block<dim>(linear.x_rest, static_cast<int>(v));
    mesh.vertices.push_back(x);
  }
  for (std::size_t e = 0; e < linear.num_elements(); ++e) {
    auto& cells = cells_of<dim>(mesh);
    std::copy_n(linear.nodes_of(e).begin(), dim + 1, cells.emplace_back().begin());
  }
  change_order(mesh, order);
  ElementMesh<dim> result;
  result.order = order;
  result.nodes = mesh.cell_nodes;
  result.material_of_element = linear.material_of_element;
  result.materials = linear.materials;
  result.x_rest.resize(dim * std::ssize(mesh.vertices));
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    block<dim>(result.x_rest, static_cast<int>(v)) = place(Vec<dim>(mesh.vertices[v].template head<dim>()));
  }
  return result;
}

template <int dim>
ElementMesh<dim> raised(const ElementMesh<dim>& linear, int order) {
  return raised<dim>(linear, order, [](const Vec<dim>& x) { return x; });
}

/// Returns the same shapes with displacements of a lower order, which divides theirs.
template <int dim>
ElementMesh<dim> with_kept_shape(const ElementMesh<dim>& shape, int order) {
  ElementMesh<dim> mesh = shape;
  mesh.order = order;
  mesh.higher_shape_order = shape.order;
  mesh.nodes.clear();
  std::map<int, int> number;  // of nodes that stay
  std::vector<double> rest;
  const int factor = shape.order / order;
  for (std::size_t e = 0; e < shape.num_elements(); ++e) {
    for (NodeIndex index : lagrange_nodes(dim, order)) {
      for (int& part : index) part *= factor;
      const int node = shape.nodes_of(e)[lagrange_node(dim, shape.order, index)];
      const auto [found, is_new] = number.emplace(node, static_cast<int>(number.size()));
      if (is_new) rest.insert(rest.end(), shape.x_rest.data() + dim * node, shape.x_rest.data() + dim * (node + 1));
      mesh.nodes.push_back(found->second);
    }
    for (const int node : shape.nodes_of(e)) {
      mesh.shapes_at_rest.insert(mesh.shapes_at_rest.end(), shape.x_rest.data() + dim * node,
                                 shape.x_rest.data() + dim * (node + 1));
    }
  }
  mesh.x_rest = Eigen::Map<const VecX>(rest.data(), std::ssize(rest));
  return mesh;
}

/// Bends everything by a smooth map of the unit cube.
template <int dim>
Vec<dim> bent(const Vec<dim>& x, double amount) {
  Vec<dim> y = x;
  y[0] += amount * x[1] * x[1];
  y[1] += amount * x[0] * (1.0 - x[0]) + 0.5 * amount * x[dim - 1] * x[dim - 1];
  if constexpr (dim == 3) y[2] += amount * x[0] * x[1];
  return y;
}

}  // namespace clearance::test
