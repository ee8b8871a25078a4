#include "clearance/io/rigid_ipc/rigid_ipc_meshes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "clearance/geometry/boundary_descriptions.h"
#include "clearance/geometry/element_corners.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "clearance/io/rigid_ipc/rigid_ipc_search.h"

namespace clearance {
namespace {

// Reads rows of at least `columns` numbers; returns false after an issue.
template <class Number>
bool read_rows(const RigidIpcObject& body, const char* key, std::size_t columns,
               std::vector<std::vector<Number>>& rows) {
  const Json* list = body.find(key);
  if (list == nullptr) return true;
  const auto fail = [&](const std::string& place, const Json& value, const std::string& message) {
    body.issues().push_back({"", place, brief_text(value), message});
    return false;
  };
  const std::string place = body.place_of(key);
  if (!list->is_array()) return fail(place, *list, "expected a list, not " + type_text(*list));
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& row = (*list)[i];
    const bool fits = row.is_array() && row.size() >= columns && std::all_of(row.begin(), row.end(), [](const Json& n) {
                        return std::is_integral_v<Number> ? n.is_number_integer() : n.is_number();
                      });
    if (!fits) {
      const char* kind = std::is_integral_v<Number> ? "whole numbers" : "numbers";
      return fail(element_path(place, i), row, fmt::format("expected {} {}", columns, kind));
    }
    rows.push_back(row.get<std::vector<Number>>());
  }
  return true;
}

template <std::size_t size>
bool read_elements(const RigidIpcObject& body, const char* key, int num_vertices,
                   std::vector<std::array<int, size>>& elements) {
  std::vector<std::vector<int>> rows;
  if (!read_rows(body, key, size, rows)) return false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::array<int, size>& element = elements.emplace_back();
    std::copy_n(rows[i].begin(), size, element.begin());
    for (const int v : element) {
      if (v >= 0 && v < num_vertices) continue;
      body.issues().push_back({"", element_path(body.place_of(key), i), fmt::format("{}", v),
                               fmt::format("this vertex does not exist; there are {}, counted from 0", num_vertices)});
      return false;
    }
  }
  return true;
}

// Drops the edges of triangles, which the file lists too, because a mesh lists only the others.
void drop_edges_of_triangles(Mesh& mesh) {
  std::set<std::array<int, 2>> edges;
  for (const auto& [a, b, c] : mesh.triangles) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)}) {
      edges.insert({std::min(from, to), std::max(from, to)});
    }
  }
  std::erase_if(mesh.edges, [&](const std::array<int, 2>& edge) {
    return edges.contains({std::min(edge[0], edge[1]), std::max(edge[0], edge[1])});
  });
}

void add_lone_points(Mesh& mesh) {
  std::vector<char> is_used(mesh.vertices.size(), 0);
  mark_corners(mesh.triangles, is_used);
  mark_corners(mesh.edges, is_used);
  for (std::size_t v = 0; v < is_used.size(); ++v) {
    if (is_used[v] == 0) mesh.points.push_back(static_cast<int>(v));
  }
}

void measure(RigidIpcShape& shape) {
  // Points are no part of a body that has triangles.
  if (!shape.mesh.triangles.empty()) shape.mesh.points.clear();
  shape.box = bounding_box_of_elements(shape.mesh);
  // In 2D the reference has wires, closed or not.
  shape.is_solid = shape.mesh.dim == 3 && !mass_of_mesh(shape.mesh, 0.0).has_thin_parts;
}

}  // namespace

std::shared_ptr<const RigidIpcShape> RigidIpcMeshes::read(const RigidIpcObject& body) {
  const std::string name = body.word("mesh", "");
  if (name.empty()) return read_inline(body);
  const auto known = read_.find(name);
  if (known != read_.end()) return known->second;
  return read_.emplace(name, read_file(name, body)).first->second;
}

std::shared_ptr<const RigidIpcShape> RigidIpcMeshes::read_file(const std::string& name, const RigidIpcObject& body) {
  auto shape = std::make_shared<RigidIpcShape>();
  shape->path = find_rigid_ipc_mesh(name, scene_);
  if (shape->path.empty()) {
    body.error("mesh",
               "the mesh was found neither from here, nor beside the scene, nor in a folder `meshes` beside or above "
               "it, nor below CLEARANCE_PEER_DATA");
    return nullptr;
  }
  Result<Mesh> mesh = read_mesh(scene_.parent_path() / shape->path, {.dim = dim_});
  if (!mesh) {
    body.error("mesh", "the mesh cannot be read");
    body.issues().insert(body.issues().end(), mesh.issues().begin(), mesh.issues().end());
    return nullptr;
  }
  shape->mesh = std::move(mesh).value();
  measure(*shape);
  return shape;
}

std::shared_ptr<const RigidIpcShape> RigidIpcMeshes::read_inline(const RigidIpcObject& body) const {
  if (!body.has("vertices")) {
    body.error("mesh", "a body needs a `mesh` or `vertices`");
    return nullptr;
  }
  auto shape = std::make_shared<RigidIpcShape>();
  Mesh& mesh = shape->mesh;
  mesh.dim = dim_;
  std::vector<std::vector<double>> points;
  if (!read_rows(body, "vertices", dim_, points)) return nullptr;
  for (const std::vector<double>& point : points) {
    const Vec<3> v(point[0], point[1], dim_ == 3 ? point[2] : 0.0);
    if (!v.allFinite()) {
      body.error("vertices", "coordinates must be finite");
      return nullptr;
    }
    mesh.vertices.push_back(v);
  }
  const int num_vertices = static_cast<int>(mesh.vertices.size());
  const bool is_read = read_elements(body, "edges", num_vertices, mesh.edges) &&
                       (dim_ == 2 || read_elements(body, "faces", num_vertices, mesh.triangles));
  if (!is_read) return nullptr;
  if (mesh.vertices.empty()) {
    body.error("vertices", "this list needs at least one entry");
    return nullptr;
  }
  drop_edges_of_triangles(mesh);
  add_lone_points(mesh);
  measure(*shape);
  return shape;
}

GeometryDesc geometry_of(const Mesh& mesh) {
  return {.vertices = mesh.vertices, .edges = mesh.edges, .triangles = mesh.triangles};
}

}  // namespace clearance
