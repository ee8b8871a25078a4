// Meshes to edit, and the properties that edits must not change.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/simplex_mesh.h"
#include "clearance/geometry/surface.h"

namespace clearance::test {

template <int dim>
using MeshData = typename SimplexMesh<dim>::Data;

template <int dim, std::size_t n>
Vec<dim> center(const std::vector<Vec<dim>>& x, const std::array<int, n>& simplex) {
  Vec<dim> sum = Vec<dim>::Zero();
  for (const int v : simplex) sum += x[v];
  return sum / static_cast<double>(n);
}

/// Returns the cells whose centre is wanted, with the vertices that they use; the facets' labels are their planes.
template <int dim, class IsWanted>
MeshData<dim> make_data(const Mesh& mesh, const IsWanted& is_wanted) {
  MeshData<dim> data;
  std::vector<Vec<dim>> x;
  for (const Vec<3>& vertex : mesh.vertices) x.push_back(vertex.template head<dim>());
  std::vector<int> number(x.size(), -1);
  const auto add = [&](auto cell) {
    if (!is_wanted(center<dim>(x, cell))) return;
    for (int& v : cell) {
      if (number[v] < 0) {
        number[v] = static_cast<int>(data.rest.size());
        data.rest.push_back(x[v]);
      }
      v = number[v];
    }
    data.cells.push_back(cell);
  };
  if constexpr (dim == 2) {
    for (const auto& cell : mesh.triangles) add(cell);
    data.facets = boundary_edges(data.cells);
  } else {
    for (const auto& cell : mesh.tets) add(cell);
    data.facets = boundary_triangles(data.cells);
  }
  data.facet_label = planes_of_facets<dim>(data.rest, data.facets);
  return data;
}

template <int dim>
MeshData<dim> make_data(const Mesh& mesh) {
  return make_data<dim>(mesh, [](const Vec<dim>&) { return true; });
}

template <int dim>
Mesh make_unit_grid(int cells) {
  return dim == 2 ? make_rectangle(1.0, 1.0, cells, cells) : make_box({1.0, 1.0, 1.0}, {cells, cells, cells});
}

/// Returns all numbers of the mesh: meshes with equal numbers behave the same from then on.
template <int dim>
std::vector<std::uint64_t> snapshot(const SimplexMesh<dim>& mesh) {
  std::vector<std::uint64_t> all;
  const auto put = [&](std::integral auto value) { all.push_back(static_cast<std::uint64_t>(value)); };
  put(mesh.num_vertices());
  put(mesh.num_cells());
  put(mesh.num_facets());
  put(mesh.num_live_vertices());
  put(mesh.num_live_cells());
  for (int v = 0; v < mesh.num_vertices(); ++v) {
    for (const double x : mesh.rest(v)) all.push_back(std::bit_cast<std::uint64_t>(x));
    put(mesh.sets(v));
    put(mesh.is_vertex_alive(v) + 2 * mesh.is_frozen(v) + 4 * mesh.is_kept(v));
    for (const auto list : {mesh.cells_at(v), mesh.facets_at(v)}) {
      put(list.size());
      for (const int i : list) put(i);
    }
  }
  for (int c = 0; c < mesh.num_cells(); ++c) {
    for (const int v : mesh.cell(c)) put(v);
    put(mesh.cell_label(c));
    put(mesh.is_cell_alive(c));
  }
  for (int f = 0; f < mesh.num_facets(); ++f) {
    for (const int v : mesh.facet(f)) put(v);
    put(mesh.facet_label(f));
    put(mesh.is_facet_alive(f));
  }
  return all;
}

template <int dim>
double facet_area(const SimplexMesh<dim>& mesh, int f) {
  const auto& facet = mesh.facet(f);
  const Vec<dim> side = mesh.rest(facet[1]) - mesh.rest(facet[0]);
  if constexpr (dim == 2) {
    return side.norm();
  } else {
    const Vec<3> other = mesh.rest(facet[2]) - mesh.rest(facet[0]);
    return 0.5 * side.cross(other).norm();
  }
}

/// Returns the volume per label of cells (keys from 0 on) and the area per label of facets (from -1 on down).
template <int dim>
std::map<int, double> measures(const SimplexMesh<dim>& mesh) {
  std::map<int, double> sums;
  for (int c = 0; c < mesh.num_cells(); ++c) {
    if (mesh.is_cell_alive(c)) sums[mesh.cell_label(c)] += mesh.rest_volume(c);
  }
  for (int f = 0; f < mesh.num_facets(); ++f) {
    if (mesh.is_facet_alive(f)) sums[-1 - mesh.facet_label(f)] += facet_area(mesh, f);
  }
  return sums;
}

/// True if the labels are the same, and their measures agree up to a relative error.
inline bool are_close(const std::map<int, double>& a, const std::map<int, double>& b, double relative) {
  return std::ranges::equal(a, b, [&](const auto& one, const auto& other) {
    return one.first == other.first && std::abs(one.second - other.second) <= relative * std::abs(other.second);
  });
}

}  // namespace clearance::test
