#include "clearance/geometry/simplex_mesh_check.h"

#include <algorithm>
#include <tuple>

#include "clearance/math/predicates.h"

namespace clearance {
namespace {

template <std::size_t n>
std::string text_of(const std::array<int, n>& simplex) {
  std::string text = "(";
  for (const int v : simplex) text += (text.size() > 1 ? " " : "") + std::to_string(v);
  return text + ")";
}

/// Sorts the vertices and returns true if the permutation is odd.
template <std::size_t n>
bool sort_and_tell_odd(std::array<int, n>& simplex) {
  bool is_odd = false;
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t j = i; j > 0 && simplex[j] < simplex[j - 1]; --j) {
      std::swap(simplex[j], simplex[j - 1]);
      is_odd = !is_odd;
    }
  }
  return is_odd;
}

/// A side of a cell, oriented outwards, or a facet.
template <int dim>
struct Side {
  std::array<int, dim> vertices;  ///< ascending
  bool is_odd;
  bool is_facet;
  int owner;  ///< cell or facet
};

template <int dim>
Side<dim> make_side(std::array<int, dim> vertices, bool is_facet, int owner) {
  const bool is_odd = sort_and_tell_odd(vertices);
  return {vertices, is_odd, is_facet, owner};
}

/// Returns the side of a positive cell opposite to corner i, oriented outwards.
template <int dim>
std::array<int, dim> outward_side(const std::array<int, dim + 1>& cell, std::size_t i) {
  std::array<int, dim> side;
  for (std::size_t j = 0, k = 0; j < cell.size(); ++j) {
    if (j != i) side[k++] = cell[j];
  }
  if (i % 2 == 1) std::swap(side[0], side[1]);
  return side;
}

template <int dim>
bool is_positive(const SimplexMesh<dim>& mesh, const std::array<int, dim + 1>& cell) {
  if constexpr (dim == 2) {
    return orient2d(mesh.rest(cell[0]), mesh.rest(cell[1]), mesh.rest(cell[2])) > 0;
  } else {
    return orient3d(mesh.rest(cell[0]), mesh.rest(cell[1]), mesh.rest(cell[2]), mesh.rest(cell[3])) > 0;
  }
}

template <int dim>
std::string find_defect_of_cells(const SimplexMesh<dim>& mesh) {
  int num_live = 0;
  for (int c = 0; c < mesh.num_cells(); ++c) {
    if (!mesh.is_cell_alive(c)) continue;
    ++num_live;
    for (const int v : mesh.cell(c)) {
      if (!mesh.is_vertex_alive(v)) return "cell " + std::to_string(c) + " has the dead vertex " + std::to_string(v);
    }
    if (!is_positive(mesh, mesh.cell(c))) return "cell " + std::to_string(c) + " is not positive";
  }
  return num_live == mesh.num_live_cells() ? "" : "the number of live cells is another";
}

/// Returns the numbers of live simplices at each vertex, ascending.
template <class IsAlive, class SimplexOf>
std::vector<std::vector<int>> lists_per_vertex(int num_vertices, int num_simplices, const IsAlive& is_alive,
                                               const SimplexOf& simplex_of) {
  std::vector<std::vector<int>> lists(num_vertices);
  for (int i = 0; i < num_simplices; ++i) {
    if (!is_alive(i)) continue;
    for (const int v : simplex_of(i)) lists[v].push_back(i);
  }
  return lists;
}

template <int dim>
std::string find_defect_of_lists(const SimplexMesh<dim>& mesh) {
  const auto cells_at = lists_per_vertex(
      mesh.num_vertices(), mesh.num_cells(), [&](int c) { return mesh.is_cell_alive(c); },
      [&](int c) { return mesh.cell(c); });
  const auto facets_at = lists_per_vertex(
      mesh.num_vertices(), mesh.num_facets(), [&](int f) { return mesh.is_facet_alive(f); },
      [&](int f) { return mesh.facet(f); });
  int num_live = 0;
  for (int v = 0; v < mesh.num_vertices(); ++v) {
    const std::string name = "vertex " + std::to_string(v);
    if (!std::ranges::equal(mesh.cells_at(v), cells_at[v])) return name + " has a wrong list of cells";
    if (!std::ranges::equal(mesh.facets_at(v), facets_at[v])) return name + " has a wrong list of facets";
    if (mesh.is_vertex_alive(v) != !cells_at[v].empty()) return name + " is alive without cells, or dead with some";
    num_live += mesh.is_vertex_alive(v);
  }
  return num_live == mesh.num_live_vertices() ? "" : "the number of live vertices is another";
}

template <int dim>
std::string find_defect_of_sides(const SimplexMesh<dim>& mesh) {
  std::vector<Side<dim>> sides;
  for (int c = 0; c < mesh.num_cells(); ++c) {
    for (std::size_t i = 0; mesh.is_cell_alive(c) && i <= dim; ++i) {
      sides.push_back(make_side<dim>(outward_side<dim>(mesh.cell(c), i), false, c));
    }
  }
  for (int f = 0; f < mesh.num_facets(); ++f) {
    if (mesh.is_facet_alive(f)) sides.push_back(make_side<dim>(mesh.facet(f), true, f));
  }
  // Each side occurs twice: for two cells, with opposite orientations, or for a cell and its facet.
  std::ranges::sort(sides, {},
                    [](const Side<dim>& side) { return std::tuple(side.vertices, side.is_facet, side.owner); });
  for (std::size_t i = 0; i < sides.size(); i += 2) {
    const auto is_same = [&](std::size_t j) { return j < sides.size() && sides[j].vertices == sides[i].vertices; };
    const std::string name = "side " + text_of(sides[i].vertices);
    if (!is_same(i + 1)) return name + (sides[i].is_facet ? " is a facet of no cell" : " of one cell has no facet");
    if (is_same(i + 2)) return name + " is there more than twice";
    if (sides[i].is_facet) return name + " is a facet of no cell";
    if ((sides[i].is_odd == sides[i + 1].is_odd) != sides[i + 1].is_facet) return name + " is turned the wrong way";
  }
  return "";
}

/// True if the simplices of a list, all at a vertex v, are connected through shared sides at v, each with all but one
/// of their vertices.
template <class SimplexOf>
bool is_connected(std::span<const int> list, const SimplexOf& simplex_of) {
  if (list.empty()) return true;
  std::vector<char> is_reached(list.size(), 0);
  std::vector<std::size_t> front = {0};
  is_reached[0] = 1;
  std::size_t num_reached = 1;
  while (!front.empty()) {
    const auto from = simplex_of(list[front.back()]);
    front.pop_back();
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (is_reached[i]) continue;
      const auto to = simplex_of(list[i]);
      const auto is_in_from = [&](int v) { return std::ranges::find(from, v) != from.end(); };
      if (std::ranges::count_if(to, is_in_from) + 1 != static_cast<std::ptrdiff_t>(to.size())) continue;
      is_reached[i] = 1;
      ++num_reached;
      front.push_back(i);
    }
  }
  return num_reached == list.size();
}

/// Checks the link of each vertex, given sides that match. It must be a circle or (3D) a sphere; on the boundary an arc
/// or disc.
template <int dim>
std::string find_defect_of_links(const SimplexMesh<dim>& mesh) {
  for (int v = 0; v < mesh.num_vertices(); ++v) {
    const std::string name = "vertex " + std::to_string(v);
    const auto cells = mesh.cells_at(v), facets = mesh.facets_at(v);
    if (!is_connected(cells, [&](int c) { return mesh.cell(c); })) return name + " has cells in several parts";
    if (!is_connected(facets, [&](int f) { return mesh.facet(f); }) && dim == 3) return name + " has several fans";
    const int num_cells = static_cast<int>(cells.size()), num_facets = static_cast<int>(facets.size());
    if (dim == 2 && num_facets != 0 && num_facets != 2) return name + " has another number of facets than two";
    if (dim == 2 || cells.empty()) continue;
    // The Euler characteristic of the link counts the cells as its triangles and the facets as its open edges.
    const int num_edges = (3 * num_cells + num_facets) / 2;
    const int euler = static_cast<int>(mesh.neighbours(v).size()) - num_edges + num_cells;
    if (euler != (num_facets > 0 ? 1 : 2)) return name + " has a link that is no sphere or disc";
  }
  return "";
}

}  // namespace

template <int dim>
std::string find_defect(const SimplexMesh<dim>& mesh) {
  for (const auto find :
       {find_defect_of_cells<dim>, find_defect_of_lists<dim>, find_defect_of_sides<dim>, find_defect_of_links<dim>}) {
    if (std::string defect = find(mesh); !defect.empty()) return defect;
  }
  return "";
}

template std::string find_defect<2>(const SimplexMesh<2>& mesh);
template std::string find_defect<3>(const SimplexMesh<3>& mesh);

}  // namespace clearance
