#include "clearance/remesh/target_lengths.h"

#include <algorithm>

#include "clearance/base/parallel.h"
#include "clearance/remesh/rest_measures.h"

namespace clearance {

namespace {

/// Green's strain of an element at x1, and its centre at rest.
template <int dim>
struct ElementStrain {
  Mat<dim> strain;
  Vec<dim> centre;
};

template <int dim>
ElementStrain<dim> strain_of(const AdaptingBody<dim>& body, int cell) {
  Vec<dim> centre = Vec<dim>::Zero();
  for (const int v : body.mesh.cell(cell)) centre += body.mesh.rest(v);
  // Green's strain: 1/2 (F^T F - I).
  const Mat<dim> f = deformation_gradient(body, cell);
  return {0.5 * (f.transpose() * f - Mat<dim>::Identity()), centre / (dim + 1)};
}

/// Returns the element across the face of a cell that does not contain the vertex `opposite`, or -1.
template <int dim>
int neighbour_of(const SimplexMesh<dim>& mesh, int cell, int opposite) {
  const auto& nodes = mesh.cell(cell);
  // The neighbour is at every corner of the face; search around one of them.
  const int corner = nodes[0] != opposite ? nodes[0] : nodes[1];
  for (const int c : mesh.cells_at(corner)) {
    if (c == cell) continue;
    const auto& others = mesh.cell(c);
    const auto has = [&](int v) { return v == opposite || std::find(others.begin(), others.end(), v) != others.end(); };
    if (std::all_of(nodes.begin(), nodes.end(), has)) return c;
  }
  return -1;
}

}  // namespace

template <int dim>
std::vector<double> target_lengths(const AdaptingBody<dim>& body, const std::vector<std::array<int, 2>>& edges,
                                   const ContactEnergies& contacts, double dhat) {
  const SimplexMesh<dim>& mesh = body.mesh;
  // Compute the strain of each element.
  std::vector<ElementStrain<dim>> strains(mesh.num_cells());
  parallel_for(mesh.num_cells(), 64, [&](int c) {
    if (mesh.is_cell_alive(c)) strains[c] = strain_of(body, c);
  });
  // The steepness of an element is the largest change of strain to a neighbour over the distance of the centres.
  std::vector<double> steepness(strains.size(), 0.0);  // [1/m]
  parallel_for(mesh.num_cells(), 64, [&](int c) {
    if (!mesh.is_cell_alive(c)) return;
    const ElementStrain<dim>& own = strains[c];
    for (const int v : mesh.cell(c)) {
      const int beyond = neighbour_of(mesh, c, v);
      // Strain jumps between materials, so only neighbours of the same material count.
      if (beyond < 0 || mesh.cell_label(beyond) != mesh.cell_label(c)) continue;
      const ElementStrain<dim>& other = strains[beyond];
      const double change = (own.strain - other.strain).norm() / (own.centre - other.centre).norm();
      steepness[c] = std::max(steepness[c], change);
    }
  });
  // The target length is the least of those by strain and by contact.
  std::vector<double> lengths(edges.size(), infinity);
  parallel_for(static_cast<int>(edges.size()), 64, [&](int e) {
    const auto [a, b] = edges[e];
    double steepest = 0.0;
    for (const int c : mesh.cells_at_edge(a, b)) {
      steepest = std::max(steepest, steepness[c]);
    }
    double& length = lengths[e];
    // Along an edge of this length the strain changes by size_strain, which has no unit.
    if (steepest > 0.0) length = body.options.size_strain / steepest;
    if (contact_energy_of_edge(body, contacts, a, b) != 0.0) {
      length = std::min(length, body.options.size_contact * dhat);
    }
  });
  return lengths;
}

template std::vector<double> target_lengths<2>(const AdaptingBody<2>&, const std::vector<std::array<int, 2>>&,
                                               const ContactEnergies&, double);
template std::vector<double> target_lengths<3>(const AdaptingBody<3>&, const std::vector<std::array<int, 2>>&,
                                               const ContactEnergies&, double);

}  // namespace clearance
