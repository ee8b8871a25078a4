#include "apps/mesh/triangles.h"

#include <CGAL/Constrained_Delaunay_triangulation_2.h>
#include <CGAL/Delaunay_mesh_face_base_2.h>
#include <CGAL/Delaunay_mesh_size_criteria_2.h>
#include <CGAL/Delaunay_mesh_vertex_base_2.h>
#include <CGAL/Delaunay_mesher_2.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>

#include <map>
#include <vector>

namespace clearance::mesh {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using VertexBase = CGAL::Delaunay_mesh_vertex_base_2<Kernel>;
using FaceBase = CGAL::Delaunay_mesh_face_base_2<Kernel>;
using Triangulation =
    CGAL::Constrained_Delaunay_triangulation_2<Kernel, CGAL::Triangulation_data_structure_2<VertexBase, FaceBase>>;
using Criteria = CGAL::Delaunay_mesh_size_criteria_2<Triangulation>;

/// Marks the triangles of the solid: counted from outside, every outline changes sides, so that an odd number of
/// outlines means inside.
void mark_inside(Triangulation& triangulation) {
  std::map<Triangulation::Face_handle, int> depth;
  std::vector<Triangulation::Face_handle> front = {triangulation.infinite_face()};
  depth[front.front()] = 0;
  for (int layer = 0; !front.empty(); ++layer) {
    std::vector<Triangulation::Face_handle> next;
    while (!front.empty()) {
      const Triangulation::Face_handle face = front.back();
      front.pop_back();
      if (depth.at(face) != layer) continue;
      face->set_in_domain(layer % 2 == 1);
      for (int k = 0; k < 3; ++k) {
        const bool is_crossing = triangulation.is_constrained({face, k});
        const auto [entry, is_new] = depth.try_emplace(face->neighbor(k), is_crossing ? layer + 1 : layer);
        if (!is_new && (is_crossing || entry->second <= layer)) continue;
        entry->second = is_crossing ? layer + 1 : layer;
        (is_crossing ? next : front).push_back(face->neighbor(k));
      }
    }
    front = std::move(next);
  }
}

}  // namespace

Mesh fill_with_triangles(const Mesh& outline, double edge_length) {
  Triangulation triangulation;
  std::vector<Triangulation::Vertex_handle> vertices;
  for (const Vec<3>& x : outline.vertices) vertices.push_back(triangulation.insert({x[0], x[1]}));
  for (const auto& [a, b] : outline.edges) {
    triangulation.insert_constraint(vertices[a], vertices[b]);
  }
  mark_inside(triangulation);

  CGAL::Delaunay_mesher_2<Triangulation, Criteria> mesher(triangulation, Criteria(0.125, edge_length));
  mesher.init(true);
  mesher.refine_mesh();

  // Number the vertices in the order in which triangles name them.
  Mesh mesh;
  mesh.dim = 2;
  std::map<Triangulation::Vertex_handle, int> numbers;
  for (const auto face : triangulation.finite_face_handles()) {
    if (!face->is_in_domain()) continue;
    std::array<int, 3> triangle{};
    for (int k = 0; k < 3; ++k) {
      const auto vertex = face->vertex(k);
      const auto [entry, is_new] = numbers.try_emplace(vertex, static_cast<int>(mesh.vertices.size()));
      if (is_new) mesh.vertices.emplace_back(vertex->point().x(), vertex->point().y(), 0.0);
      triangle[k] = entry->second;
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

}  // namespace clearance::mesh
