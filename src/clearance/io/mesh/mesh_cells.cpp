#include "clearance/io/mesh/mesh_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "clearance/geometry/boundary_descriptions.h"
#include "clearance/geometry/curved_cells.h"
#include "clearance/io/mesh/mesh_formats.h"

namespace clearance {
namespace {

void add_strip(std::span<const int> corners, Mesh& mesh) {
  // Every second triangle of a strip has the opposite orientation.
  for (std::size_t k = 2; k < corners.size(); ++k) {
    const bool is_odd = k % 2 == 1;
    mesh.triangles.push_back({corners[k - 2], corners[is_odd ? k : k - 1], corners[is_odd ? k - 1 : k]});
  }
}

/// Properties of a cell type.
struct VtkType {
  int dim = -1;                 ///< dimension of a simplex; -1: another shape
  int min_order = 1;            ///< of a simplex
  int max_order = 1;            ///< of a simplex
  std::size_t num_corners = 0;  ///< of a shape other than a simplex; 0: any number of at least one
};

/// Returns `hexahedra: ` and the like; an empty text for other types.
const char* name_of_solid(int type) {
  switch (type) {
    case 11:  // voxel
    case 12:
    case 25:
    case 29:
    case 72:
      return "hexahedra: ";
    case 13:
    case 26:
    case 73:
      return "prisms: ";
    case 14:
    case 27:
    case 74:
      return "pyramids: ";
    default:
      return "";
  }
}

std::optional<VtkType> vtk_type(int type) {
  switch (type) {
    case vtk_vertex:
      return VtkType{.dim = 0};
    case vtk_line:
      return VtkType{.dim = 1};
    case vtk_triangle:
      return VtkType{.dim = 2};
    case vtk_tetra:
      return VtkType{.dim = 3};
    case 21:  // quadratic edge
      return VtkType{.dim = 1, .min_order = 2, .max_order = 2};
    case 22:  // quadratic triangle
      return VtkType{.dim = 2, .min_order = 2, .max_order = 2};
    case 24:  // quadratic tetrahedron
      return VtkType{.dim = 3, .min_order = 2, .max_order = 2};
    case 68:  // Lagrange curve
      return VtkType{.dim = 1, .max_order = max_order};
    case vtk_lagrange_triangle:
      return VtkType{.dim = 2, .max_order = max_order};
    case vtk_lagrange_tetra:
      return VtkType{.dim = 3, .max_order = max_order};
    case 8:  // pixel
    case 9:  // quad
      return VtkType{.num_corners = 4};
    case 2:  // several vertices
    case 4:  // several lines
    case 6:  // strip of triangles
    case 7:  // polygon
      return VtkType{};
    default:
      return std::nullopt;
  }
}

/// Returns the numbers of nodes that a simplex may have, as `10, 20 or 35`.
std::string num_nodes_text(const VtkType& type) {
  std::string text;
  for (int order = type.min_order; order <= type.max_order; ++order) {
    const bool is_last = order == type.max_order;
    text += text.empty() ? "" : is_last ? " or " : ", ";
    text += fmt::format("{}", type.dim == 0 ? 1 : num_lagrange_nodes(type.dim, order));
  }
  return text;
}

bool has_node_twice(std::span<const int> nodes) {
  std::vector<int> sorted(nodes.begin(), nodes.end());
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

std::string add_vtk_simplex(int number, const VtkType& type, std::span<const int> nodes, Mesh& mesh,
                            std::vector<int>& curved_faces) {
  bool is_known = false;
  for (int order = type.min_order; order <= type.max_order; ++order) {
    const int num_nodes = type.dim == 0 ? 1 : num_lagrange_nodes(type.dim, order);
    is_known = is_known || std::ssize(nodes) == num_nodes;
  }
  if (!is_known) {
    return fmt::format("expected {} nodes for VTK cell type {}, found {}", num_nodes_text(type), number, nodes.size());
  }
  return add_element_of_nodes(type.dim, nodes, mesh, curved_faces);
}

}  // namespace

std::string add_element_of_nodes(int dim, std::span<const int> nodes, Mesh& mesh, std::vector<int>& curved_faces) {
  const bool is_curved = std::ssize(nodes) > dim + 1;
  if (is_curved && has_node_twice(nodes)) return "expected every node of an element once";
  constexpr std::size_t max_nodes = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (is_curved && nodes.size() > max_nodes - mesh.cell_nodes.size()) {
    return "expected fewer than 2^31 nodes of all elements together";
  }
  if (dim == mesh.dim) {
    add_cell(mesh, nodes);
  } else if (dim == 3) {
    mesh.tets.push_back({nodes[0], nodes[1], nodes[2], nodes[3]});
  } else if (dim == 2) {
    if (is_curved) curved_faces.push_back(static_cast<int>(mesh.triangles.size()));
    mesh.triangles.push_back({nodes[0], nodes[1], nodes[2]});
  } else if (dim == 1) {
    mesh.edges.push_back({nodes[0], nodes[1]});
  } else {
    mesh.points.push_back(nodes[0]);
  }
  return {};
}

void check_curved_faces(MeshInput& input, const Mesh& mesh, std::span<const int> curved_faces) {
  if (curved_faces.empty()) return;
  const std::vector<std::array<int, 3>> faces = sorted_faces(mesh);
  std::vector<int> lone;
  for (const int t : curved_faces) {
    std::array<int, 3> corners = mesh.triangles[t];
    std::sort(corners.begin(), corners.end());
    if (!std::binary_search(faces.begin(), faces.end(), corners)) lone.push_back(t);
  }
  if (lone.empty()) return;
  input.add_issue(fmt::format("triangle {}", lone.front()), fmt::format("{} triangles of order 2 to 4", lone.size()),
                  "expected faces of tetrahedra: surfaces in 3D have triangles of order 1 only");
}

void sort_cell_arrays(const SimplexCells& cells, std::vector<FrameArray>& arrays) {
  for (FrameArray& array : arrays) {
    const std::vector<double> of_file = std::exchange(array.values, {});
    const std::size_t size = array.num_components;
    for (const auto* of_kind : {&cells.tets, &cells.triangles, &cells.edges, &cells.points}) {
      for (const int c : *of_kind) {
        const auto begin = of_file.begin() + static_cast<std::ptrdiff_t>(size * c);
        array.values.insert(array.values.end(), begin, begin + array.num_components);
      }
    }
  }
}

std::string add_vtk_cell(int type, std::span<const int> nodes, int cell, Mesh& mesh, SimplexCells& cells) {
  const std::optional<VtkType> known = vtk_type(type);
  if (!known) {
    return fmt::format(
        "{}VTK cells of type {} are not supported (docs/limits.md); expected vertices, lines, triangles or "
        "tetrahedra of order 1 to 4",
        name_of_solid(type), type);
  }
  if (known->num_corners > 0 && nodes.size() != known->num_corners) {
    return fmt::format("expected {} corners for VTK cell type {}, found {}", known->num_corners, type, nodes.size());
  }
  if (known->dim >= 0) {
    const std::string message = add_vtk_simplex(type, *known, nodes, mesh, cells.curved_faces);
    if (!message.empty()) return message;
  } else if (type == 2) {
    mesh.points.insert(mesh.points.end(), nodes.begin(), nodes.end());
  } else if (type == 4) {
    for (std::size_t k = 1; k < nodes.size(); ++k) mesh.edges.push_back({nodes[k - 1], nodes[k]});
  } else if (type == 6 || type == 8) {
    add_strip(nodes, mesh);
  } else {
    add_polygon(nodes, mesh);
  }
  fill_cell_nodes(mesh);
  cells.tets.resize(mesh.tets.size(), cell);
  cells.triangles.resize(mesh.triangles.size(), cell);
  cells.edges.resize(mesh.edges.size(), cell);
  cells.points.resize(mesh.points.size(), cell);
  return {};
}

void add_polygon(std::span<const int> corners, Mesh& mesh) {
  if (corners.size() == 1) mesh.points.push_back(corners[0]);
  if (corners.size() == 2) mesh.edges.push_back({corners[0], corners[1]});
  for (std::size_t k = 2; k < corners.size(); ++k) {
    mesh.triangles.push_back({corners[0], corners[k - 1], corners[k]});
  }
}

bool is_plausible_count(std::uint64_t count, std::size_t min_bytes, std::size_t num_bytes_left) {
  return count <= static_cast<std::uint64_t>(std::numeric_limits<int>::max()) &&
         count <= (num_bytes_left + 1) / std::max<std::size_t>(min_bytes, 1);
}

}  // namespace clearance
