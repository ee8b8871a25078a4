#include "clearance/remesh/local_elements.h"

#include <algorithm>

#include "clearance/remesh/region.h"
#include "clearance/remesh/rest_measures.h"

namespace clearance {

template <int dim>
LocalElements<dim>::LocalElements(const AdaptingBody<dim>& body, const Scope& scope, std::vector<int> others) {
  number_vertices(body.mesh, scope, others);
  add_elements(body, scope);
  add_loads(body, scope);
}

template <int dim>
int LocalElements<dim>::block_of(int vertex) const {
  for (const auto& [from, to] : {std::pair(0, num_moving), std::pair(num_moving, num_vertices())}) {
    const auto place = std::lower_bound(vertices.begin() + from, vertices.begin() + to, vertex);
    if (place != vertices.begin() + to && *place == vertex) return static_cast<int>(place - vertices.begin());
  }
  return -1;
}

template <int dim>
void LocalElements<dim>::number_vertices(const SimplexMesh<dim>& mesh, const Scope& scope, std::vector<int>& others) {
  vertices = scope.moving;
  num_moving = num_vertices();
  for (const int c : scope.cells) others.insert(others.end(), mesh.cell(c).begin(), mesh.cell(c).end());
  for (const int f : scope.facets) others.insert(others.end(), mesh.facet(f).begin(), mesh.facet(f).end());
  make_unique(others);
  // Append those that do not move, ascending.
  std::erase_if(others, [&](int v) { return std::binary_search(scope.moving.begin(), scope.moving.end(), v); });
  vertices.insert(vertices.end(), others.begin(), others.end());
}

template <int dim>
void LocalElements<dim>::add_elements(const AdaptingBody<dim>& body, const Scope& scope) {
  const SimplexMesh<dim>& mesh = body.mesh;
  // The elements keep their rest positions and materials.
  elements.x_rest.resize(dim * num_vertices());
  for (int i = 0; i < num_vertices(); ++i) {
    block<dim>(elements.x_rest, i) = mesh.rest(vertices[i]);
  }
  elements.materials = body.materials;
  for (const int c : scope.cells) {
    std::array<int, dim + 1> nodes{};
    for (std::size_t i = 0; i <= dim; ++i) nodes[i] = block_of(mesh.cell(c)[i]);
    elements.add(nodes, mesh.cell_label(c));
    edge_length += (mesh.rest(mesh.cell(c)[0]) - mesh.rest(mesh.cell(c)[1])).norm();
  }
  edge_length /= static_cast<double>(std::max<std::size_t>(scope.cells.size(), 1));
}

/// Adds the nodal forces [N] of accelerations and tractions: consistent forces, which are equal shares on linear
/// elements.
template <int dim>
void LocalElements<dim>::add_loads(const AdaptingBody<dim>& body, const Scope& scope) {
  const SimplexMesh<dim>& mesh = body.mesh;
  force = VecX::Zero(dim * num_vertices());
  bool is_loaded = false;
  for (std::size_t e = 0; e < scope.cells.size(); ++e) {
    // Each node of an element gets an equal share of its weight.
    const std::size_t label = mesh.cell_label(scope.cells[e]);
    const Vec<dim>& acceleration = body.accelerations[label];
    if (acceleration.isZero(0.0)) continue;
    is_loaded = true;
    const double share = mesh.rest_volume(scope.cells[e]) * elements.materials[label].density / (dim + 1);
    for (const int node : elements.nodes_of(e)) block<dim>(force, node) += share * acceleration;
  }
  for (const int f : scope.facets) {
    // Each vertex of a facet gets an equal share of its traction.
    const Vec<dim>& traction = body.tractions[mesh.facet_label(f)];
    if (traction.isZero(0.0)) continue;
    is_loaded = true;
    const double area = rest_area(mesh, f);
    for (const int v : mesh.facet(f)) block<dim>(force, block_of(v)) += area / dim * traction;
  }
  if (!is_loaded) force.resize(0);
}

template struct LocalElements<2>;
template struct LocalElements<3>;

}  // namespace clearance
