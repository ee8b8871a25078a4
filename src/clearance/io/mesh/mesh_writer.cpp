#include "clearance/io/mesh/mesh_writer.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include <iterator>
#include <span>
#include <vector>

#include "clearance/geometry/curved_cells.h"
#include "clearance/io/files/atomic_file.h"
#include "clearance/io/mesh/gmsh_elements.h"
#include "clearance/io/mesh/mesh_text.h"
#include "clearance/io/mesh/vtu.h"

namespace clearance {
namespace {

using Text = fmt::memory_buffer;

template <class... Args>
void print(Text& text, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

/// Prints one line: `before`, then the corners counted from `first`.
template <class Corners>
void print_corners(Text& text, std::string_view before, const Corners& corners, int first) {
  print(text, "{}", before);
  for (const int v : corners) print(text, " {}", v + first);
  text.push_back('\n');
}

/// Prints a point with the fewest digits that read back to the same double.
void print_point(Text& text, std::string_view before, const Vec<3>& p) {
  print(text, "{}{} {} {}\n", before, p[0], p[1], p[2]);
}

std::size_t num_elements(const Mesh& mesh) {
  return mesh.tets.size() + mesh.triangles.size() + mesh.edges.size() + mesh.points.size();
}

void write_obj(Text& text, const Mesh& mesh) {
  for (const Vec<3>& p : mesh.vertices) print_point(text, "v ", p);
  for (const auto& t : mesh.triangles) print_corners(text, "f", t, 1);
  for (const auto& e : mesh.edges) print_corners(text, "l", e, 1);
  for (const int v : mesh.points) print(text, "p {}\n", v + 1);
}

/// Writes .ply. Lone vertices are in an element `point` of our own, which other programs ignore.
void write_ply(Text& text, const Mesh& mesh) {
  print(text, "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n",
        mesh.vertices.size());
  if (!mesh.triangles.empty())
    print(text, "element face {}\nproperty list uchar int vertex_indices\n", mesh.triangles.size());
  if (!mesh.edges.empty())
    print(text, "element edge {}\nproperty int vertex1\nproperty int vertex2\n", mesh.edges.size());
  if (!mesh.points.empty()) print(text, "element point {}\nproperty int vertex_index\n", mesh.points.size());
  print(text, "end_header\n");
  for (const Vec<3>& p : mesh.vertices) print_point(text, "", p);
  for (const auto& t : mesh.triangles) print_corners(text, "3", t, 0);
  for (const auto& e : mesh.edges) print(text, "{} {}\n", e[0], e[1]);
  for (const int v : mesh.points) print(text, "{}\n", v);
}

/// Writes .off. Faces of two corners and of one are edges and points.
void write_off(Text& text, const Mesh& mesh) {
  print(text, "OFF\n{} {} 0\n", mesh.vertices.size(), num_elements(mesh));
  for (const Vec<3>& p : mesh.vertices) print_point(text, "", p);
  for (const auto& t : mesh.triangles) print_corners(text, "3", t, 0);
  for (const auto& e : mesh.edges) print_corners(text, "2", e, 0);
  for (const int v : mesh.points) print(text, "1 {}\n", v);
}

void write_stl(Text& text, const Mesh& mesh) {
  print(text, "solid clearance\n");
  for (const auto& t : mesh.triangles) {
    const auto vertex = [&](std::size_t k) -> const Vec<3>& { return mesh.vertices[t[k]]; };
    Vec<3> normal = (vertex(1) - vertex(0)).cross(vertex(2) - vertex(0));
    const double length = normal.norm();
    if (length > 0.0 && length < infinity)
      normal /= length;
    else
      normal.setZero();
    print_point(text, "facet normal ", normal);
    print(text, "outer loop\n");
    for (std::size_t k = 0; k < 3; ++k) print_point(text, "vertex ", vertex(k));
    print(text, "endloop\nendfacet\n");
  }
  print(text, "endsolid clearance\n");
}

/// Calls body(Gmsh's type, dimension, elements) for each run of solid elements of one order; those of higher orders
/// have all their nodes, in Gmsh's order.
template <class Elements, class Body>
void for_each_solid_kind(const Mesh& mesh, const Elements& elements, const Body& body) {
  if (!mesh.has_curved_cells()) {
    if (!elements.empty()) body(gmsh_type(mesh.dim, 1), mesh.dim, elements);
    return;
  }
  for (std::size_t begin = 0, end = 0; begin < elements.size(); begin = end) {
    const int order = mesh.order_of_cell(begin);
    std::vector<std::vector<int>> run;
    for (; end < elements.size() && mesh.order_of_cell(end) == order; ++end) {
      const std::span<const int> nodes = order == 1 ? std::span<const int>(elements[end]) : mesh.nodes_of_cell(end);
      std::vector<int>& ordered = run.emplace_back();
      for (const int ours : gmsh_nodes(mesh.dim, order)) ordered.push_back(nodes[ours]);
    }
    body(gmsh_type(mesh.dim, order), mesh.dim, run);
  }
}

/// Calls body(Gmsh's type, dimension, elements) for each kind of element that there is
template <class Body>
void for_each_kind(const Mesh& mesh, const Body& body) {
  std::vector<std::array<int, 1>> points;
  for (const int v : mesh.points) points.push_back({v});
  if (!points.empty()) body(15, 0, points);
  if (!mesh.edges.empty()) body(1, 1, mesh.edges);
  if (mesh.dim == 2) {
    for_each_solid_kind(mesh, mesh.triangles, body);
    if (!mesh.tets.empty()) body(4, 3, mesh.tets);
  } else {
    if (!mesh.triangles.empty()) body(2, 2, mesh.triangles);
    for_each_solid_kind(mesh, mesh.tets, body);
  }
}

void write_gmsh_2_2(Text& text, const Mesh& mesh) {
  print(text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", mesh.vertices.size());
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) print_point(text, fmt::format("{} ", v + 1), mesh.vertices[v]);
  print(text, "$EndNodes\n$Elements\n{}\n", num_elements(mesh));
  std::size_t number = 0;
  for_each_kind(mesh, [&](int type, int, const auto& elements) {
    // Programs expect two tags, the physical and the geometrical entity.
    for (const auto& element : elements) print_corners(text, fmt::format("{} {} 2 1 1", ++number, type), element, 1);
  });
  print(text, "$EndElements\n");
}

void write_gmsh_4_1(Text& text, const Mesh& mesh) {
  const std::size_t num_nodes = mesh.vertices.size();
  const int dim = !mesh.tets.empty() ? 3 : !mesh.triangles.empty() ? 2 : !mesh.edges.empty() ? 1 : 0;
  print(text, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 {0} 1 {0}\n{1} 1 0 {0}\n", num_nodes, dim);
  for (std::size_t v = 0; v < num_nodes; ++v) print(text, "{}\n", v + 1);
  for (const Vec<3>& p : mesh.vertices) print_point(text, "", p);
  int num_kinds = 0;
  for_each_kind(mesh, [&](int, int, const auto&) { ++num_kinds; });
  print(text, "$EndNodes\n$Elements\n{0} {1} 1 {1}\n", num_kinds, num_elements(mesh));
  std::size_t number = 0;
  for_each_kind(mesh, [&](int type, int element_dim, const auto& elements) {
    print(text, "{} 1 {} {}\n", element_dim, type, elements.size());
    for (const auto& element : elements) print_corners(text, fmt::format("{}", ++number), element, 1);
  });
  print(text, "$EndElements\n");
}

/// Checks for numbers that no reader would accept, which are mistakes of the caller.
Issues check_mesh(const std::string& file, const Mesh& mesh) {
  Issues issues;
  const auto add = [&](std::string place, std::string value, const char* message) {
    if (issues.size() < 20) issues.push_back({file, std::move(place), std::move(value), message, Severity::error});
  };
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (!mesh.vertices[v].allFinite()) add(fmt::format("vertex {}", v), "", "expected finite coordinates");
  }
  const auto check = [&](const char* kind, const auto& elements) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      for (const int v : elements[i]) {
        if (v >= 0 && v < std::ssize(mesh.vertices)) continue;
        add(fmt::format("{} {}", kind, i), fmt::format("{}", v), "expected an index of a vertex");
      }
    }
  };
  check("tetrahedron", mesh.tets);
  check("triangle", mesh.triangles);
  check("edge", mesh.edges);
  if (std::string fault = find_cell_node_fault(mesh); !fault.empty()) {
    add("cell nodes", std::move(fault), "expected nodes of curved elements as in Mesh");
  }
  for (const int v : mesh.points) {
    if (v < 0 || v >= std::ssize(mesh.vertices)) add("point", fmt::format("{}", v), "expected an index of a vertex");
  }
  return issues;
}

}  // namespace

Result<Done> write_mesh(const std::filesystem::path& path, const Mesh& mesh, const MeshWriteOptions& options) {
  Issues issues = check_mesh(path.string(), mesh);
  if (!issues.empty()) return issues;
  const std::string extension = to_lower(path.extension().string());
  if (extension == ".vtu") {
    Frame frame;
    frame.mesh = mesh;
    return write_frame(path, frame);
  }
  const auto refuse = [&](const char* value, const char* message) {
    return Issue{path.string(), "", value, message, Severity::error};
  };
  Text text;
  if (extension == ".msh") {
    if (options.gmsh_version == GmshVersion::v2_2)
      write_gmsh_2_2(text, mesh);
    else
      write_gmsh_4_1(text, mesh);
  } else if (extension == ".obj" || extension == ".ply" || extension == ".off" || extension == ".stl") {
    if (!mesh.tets.empty()) return refuse("tetrahedra", "expected a surface: write tetrahedra to .msh or .vtu");
    if (mesh.has_curved_cells()) {
      return refuse("triangles of order 2 to 4", "expected linear triangles: write curved ones to .msh or .vtu");
    }
    if (extension == ".stl" && mesh.edges.size() + mesh.points.size() > 0) {
      return refuse("edges or points", "expected triangles only: write edges and points to .obj");
    }
    if (extension == ".obj") write_obj(text, mesh);
    if (extension == ".ply") write_ply(text, mesh);
    if (extension == ".off") write_off(text, mesh);
    if (extension == ".stl") write_stl(text, mesh);
  } else {
    return refuse(extension.c_str(), "expected the extension .msh, .obj, .ply, .stl, .off or .vtu");
  }
  return write_file_atomically(path, {text.data(), text.size()});
}

}  // namespace clearance
