#include "clearance/remesh/sizing_field.h"

#include <Eigen/LU>
#include <algorithm>

namespace clearance {

namespace {

/// Green's strain of a cell at the solution.
template <int dim>
Mat<dim> strain_of(const AdaptingBody<dim>& body, int cell) {
  const auto& corners = body.mesh.cell(cell);
  Mat<dim> at_rest, deformed;
  for (std::size_t i = 0; i < dim; ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    at_rest.col(column) = body.mesh.rest(corners[i + 1]) - body.mesh.rest(corners[0]);
    deformed.col(column) =
        body.fields[static_cast<std::size_t>(corners[i + 1])].x1 - body.fields[static_cast<std::size_t>(corners[0])].x1;
  }
  const Mat<dim> f = deformed * at_rest.inverse();
  return 0.5 * (f.transpose() * f - Mat<dim>::Identity());
}

}  // namespace

template <int dim>
SizingField<dim>::SizingField(const AdaptingBody<dim>& body, const SceneSurfaces<dim>& surroundings, double dhat) {
  const SimplexMesh<dim>& mesh = body.mesh;
  std::vector<Mat<dim>> strains(static_cast<std::size_t>(mesh.num_cells()), Mat<dim>::Zero());
  for (int c = 0; c < mesh.num_cells(); ++c) {
    if (mesh.is_cell_alive(c)) strains[static_cast<std::size_t>(c)] = strain_of(body, c);
  }
  sizes_.assign(static_cast<std::size_t>(mesh.num_vertices()), infinity);
  for (int v = 0; v < mesh.num_vertices(); ++v) {
    if (!mesh.is_vertex_alive(v)) continue;
    // The strain around a vertex varies by `change` over the length of the edges there: as much as is wanted over less.
    const std::span<const int> cells = mesh.cells_at(v);
    Mat<dim> mean = Mat<dim>::Zero();
    for (const int c : cells) mean += strains[static_cast<std::size_t>(c)] / static_cast<double>(cells.size());
    double change = 0.0, length = 0.0;
    for (const int c : cells) change = std::max(change, 2.0 * (strains[static_cast<std::size_t>(c)] - mean).norm());
    for (const int n : mesh.neighbours(v)) length = std::max(length, (mesh.rest(n) - mesh.rest(v)).norm());
    if (change > 0.0) sizes_[static_cast<std::size_t>(v)] = length * body.options.size_strain / change;
  }
  for (int v = 0; v < mesh.num_vertices() && dhat > 0.0; ++v) {
    if (!mesh.is_vertex_alive(v) || !mesh.is_on_boundary(v)) continue;
    Extent<dim> near;
    near.extend(body.fields[static_cast<std::size_t>(v)].x1, body.fields[static_cast<std::size_t>(v)].x0);
    near = near.inflated(dhat);
    for (int other = 0; other < surroundings.num_bodies(); ++other) {
      if (other == body.body || !surroundings.has_any(other, near)) continue;
      double& size = sizes_[static_cast<std::size_t>(v)];
      size = std::min(size, body.options.size_contact * dhat);
    }
  }
  for (double& size : sizes_) size = std::max(size, body.options.smallest_edge);
}

template class SizingField<2>;
template class SizingField<3>;

}  // namespace clearance
