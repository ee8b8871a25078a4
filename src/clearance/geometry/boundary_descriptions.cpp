#include "clearance/geometry/boundary_descriptions.h"

#include <algorithm>
#include <utility>

#include "clearance/geometry/element_corners.h"
#include "clearance/geometry/surface.h"

namespace clearance {

namespace {

template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

std::vector<std::array<int, 3>> sorted_faces(const Mesh& mesh) {
  std::vector<std::array<int, 3>> faces;
  faces.reserve(4 * mesh.tets.size());
  for (const auto& tet : mesh.tets) {
    for (const auto& [a, b, c] : outward_faces) faces.push_back(sorted_corners<3>({tet[a], tet[b], tet[c]}));
  }
  sort_unique(faces);
  return faces;
}

std::vector<std::array<int, 2>> sorted_edges(const Mesh& mesh) {
  std::vector<std::array<int, 2>> edges;
  const auto add_all = [&](const auto& elements) {
    for (const auto& element : elements) {
      for (std::size_t i = 0; i < element.size(); ++i) {
        for (std::size_t j = i + 1; j < element.size(); ++j)
          edges.push_back(sorted_corners<2>({element[i], element[j]}));
      }
    }
  };
  add_all(mesh.triangles);
  add_all(mesh.tets);
  sort_unique(edges);
  return edges;
}

void drop_boundary_descriptions(Mesh& mesh) {
  if (!mesh.tets.empty() && !mesh.triangles.empty()) {
    const std::vector<std::array<int, 3>> faces = sorted_faces(mesh);
    std::erase_if(mesh.triangles,
                  [&](const auto& t) { return std::binary_search(faces.begin(), faces.end(), sorted_corners(t)); });
  }
  if (!mesh.edges.empty() && mesh.tets.size() + mesh.triangles.size() > 0) {
    const auto edges = sorted_edges(mesh);
    std::erase_if(mesh.edges,
                  [&](const auto& e) { return std::binary_search(edges.begin(), edges.end(), sorted_corners(e)); });
  }
  // A lone vertex is a body of its own, so no other element uses it.
  std::vector<char> is_used(mesh.vertices.size(), 0);
  mark_corners(mesh.tets, is_used);
  mark_corners(mesh.triangles, is_used);
  mark_corners(mesh.edges, is_used);
  for (const int v : mesh.cell_nodes) is_used[v] = 1;
  std::erase_if(mesh.points, [&](int v) { return std::exchange(is_used[v], char{1}) != 0; });
}

BoundingBox bounding_box_of_elements(const Mesh& mesh) {
  BoundingBox box;
  const auto extend = [&](int v) { box.extend(mesh.vertices[v]); };
  const auto extend_all = [&](const auto& elements) {
    for (const auto& element : elements) std::for_each(element.begin(), element.end(), extend);
  };
  extend_all(mesh.tets);
  extend_all(mesh.triangles);
  extend_all(mesh.edges);
  std::for_each(mesh.cell_nodes.begin(), mesh.cell_nodes.end(), extend);
  if (mesh.tets.empty() && mesh.triangles.empty()) std::for_each(mesh.points.begin(), mesh.points.end(), extend);
  return box;
}

}  // namespace clearance
