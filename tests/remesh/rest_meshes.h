// Squares and cubes cut in different ways, for fields that are projected from one to another.
#pragma once

#include <algorithm>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/simplex_overlap.h"
#include "clearance/remesh/cell_overlaps.h"
#include "support/random.h"

namespace clearance::test {

template <int dim>
SimplexCorners<dim> corners_of(const RestMesh<dim>& mesh, std::size_t cell) {
  SimplexCorners<dim> corners;
  for (int k = 0; k <= dim; ++k) corners[k] = mesh.vertices[mesh.cells[cell][k]];
  return corners;
}

/// Returns the square or cube [-1, 1]^dim with density 1000. Inner vertices are moved at random by up to `noise` of a
/// cell, those in the plane x = 0 only within it.
template <int dim>
RestMesh<dim> make_cube(int cells, double noise, unsigned seed) {
  Mesh mesh;
  if constexpr (dim == 2) {
    mesh = make_rectangle(2.0, 2.0, cells, cells);
  } else {
    mesh = make_box({2.0, 2.0, 2.0}, {cells, cells, cells});
  }
  Random random(seed);
  RestMesh<dim> result;
  for (const Vec<3>& x : mesh.vertices) {
    Vec<dim>& moved = result.vertices.emplace_back(x.head<dim>());
    if (moved.cwiseAbs().maxCoeff() > 0.999) continue;
    const bool is_between = moved[0] == 0.0;
    for (int c = 0; c < dim; ++c) moved[c] += noise * 2.0 / cells * random.uniform(-1.0, 1.0);
    if (is_between) moved[0] = 0.0;
  }
  const auto add = [&](const auto& elements) {
    for (const auto& element : elements) {
      std::array<int, dim + 1>& cell = result.cells.emplace_back();
      for (int k = 0; k <= dim; ++k) cell[k] = element[k];
    }
  };
  if constexpr (dim == 2) {
    add(mesh.triangles);
  } else {
    add(mesh.tets);
  }
  result.density.assign(result.cells.size(), 1000.0);
  return result;
}

/// Makes an interface of densities at x = 0.
template <int dim>
void make_heavy_on_the_right(RestMesh<dim>& mesh) {
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    double middle = 0.0;
    for (const int v : mesh.cells[c]) middle += mesh.vertices[v][0];
    mesh.density[c] = middle > 0.0 ? 7800.0 : 30.0;
  }
}

/// Splits an edge of a cell at its midpoint, in all cells around it.
template <int dim>
void split_edge(RestMesh<dim>& mesh, int a, int b) {
  const int middle = static_cast<int>(mesh.vertices.size());
  mesh.vertices.push_back(0.5 * (mesh.vertices[a] + mesh.vertices[b]));
  const std::size_t num_cells = mesh.cells.size();
  for (std::size_t c = 0; c < num_cells; ++c) {
    auto cell = mesh.cells[c];
    const auto at_a = std::find(cell.begin(), cell.end(), a), at_b = std::find(cell.begin(), cell.end(), b);
    if (at_a == cell.end() || at_b == cell.end()) continue;
    auto child = cell;
    child[at_a - cell.begin()] = middle;
    *at_b = middle;
    mesh.cells[c] = cell;
    mesh.cells.push_back(child);
    mesh.density.push_back(mesh.density[c]);
  }
}

/// Evaluates the function vertex by vertex.
template <int dim, class Function>
VecX field_of(const RestMesh<dim>& mesh, const Function& f) {
  VecX field(dim * static_cast<Eigen::Index>(mesh.vertices.size()));
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) block<dim>(field, static_cast<int>(v)) = f(mesh.vertices[v]);
  return field;
}

}  // namespace clearance::test
