#include "apps/mesh/wrap.h"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/alpha_wrap_3.h>

namespace clearance::mesh {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;

Mesh wrap_surface(const Mesh& surface, const WrapOptions& options) {
  std::vector<Kernel::Point_3> points;
  for (const Vec<3>& x : surface.vertices) points.emplace_back(x[0], x[1], x[2]);
  CGAL::Surface_mesh<Kernel::Point_3> wrap;
  CGAL::alpha_wrap_3(points, surface.triangles, options.alpha, options.offset, wrap);

  Mesh mesh;
  for (const auto vertex : wrap.vertices()) {
    const Kernel::Point_3& x = wrap.point(vertex);
    mesh.vertices.emplace_back(x.x(), x.y(), x.z());
  }
  for (const auto face : wrap.faces()) {
    std::array<int, 3> triangle{};
    std::size_t k = 0;
    for (const auto vertex : wrap.vertices_around_face(wrap.halfedge(face)))
      triangle.at(k++) = static_cast<int>(vertex);
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

}  // namespace clearance::mesh
