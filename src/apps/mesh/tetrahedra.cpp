#include "apps/mesh/tetrahedra.h"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Mesh_complex_3_in_triangulation_3.h>
#include <CGAL/Mesh_criteria_3.h>
#include <CGAL/Mesh_triangulation_3.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polyhedral_mesh_domain_with_features_3.h>
#include <CGAL/Random.h>
#include <CGAL/make_mesh_3.h>

#include <map>

namespace clearance::mesh {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Polyhedron = CGAL::Mesh_polyhedron_3<Kernel>::type;
using Domain = CGAL::Polyhedral_mesh_domain_with_features_3<Kernel>;
using Triangulation = CGAL::Mesh_triangulation_3<Domain, CGAL::Default, CGAL::Sequential_tag>::type;
using Complex = CGAL::Mesh_complex_3_in_triangulation_3<Triangulation, Domain::Corner_index, Domain::Curve_index>;
using Criteria = CGAL::Mesh_criteria_3<Triangulation>;

Polyhedron polyhedron_of(const Mesh& surface) {
  std::vector<Kernel::Point_3> points;
  for (const Vec<3>& x : surface.vertices) points.emplace_back(x[0], x[1], x[2]);
  std::vector<std::array<std::size_t, 3>> faces;
  for (const auto& [a, b, c] : surface.triangles) {
    faces.push_back({static_cast<std::size_t>(a), static_cast<std::size_t>(b), static_cast<std::size_t>(c)});
  }
  Polyhedron polyhedron;
  CGAL::Polygon_mesh_processing::polygon_soup_to_polygon_mesh(points, faces, polyhedron);
  return polyhedron;
}

/// Vertices in the order in which tetrahedra name them.
Mesh mesh_of(const Complex& complex) {
  Mesh mesh;
  std::map<Complex::Vertex_handle, int> numbers;
  for (auto cell = complex.cells_in_complex_begin(); cell != complex.cells_in_complex_end(); ++cell) {
    std::array<int, 4> tet{};
    for (int k = 0; k < 4; ++k) {
      const Complex::Vertex_handle vertex = cell->vertex(k);
      const auto [entry, is_new] = numbers.try_emplace(vertex, static_cast<int>(mesh.vertices.size()));
      if (is_new) mesh.vertices.emplace_back(vertex->point().x(), vertex->point().y(), vertex->point().z());
      tet[static_cast<std::size_t>(k)] = entry->second;
    }
    mesh.tets.push_back(tet);
  }
  return mesh;
}

}  // namespace

Mesh fill_with_tetrahedra(const Mesh& surface, const FillOptions& options) {
  const Polyhedron polyhedron = polyhedron_of(surface);
  CGAL::Random random(0);
  Domain domain(polyhedron, &random);
  if (options.feature_angle > 0.0) domain.detect_features(options.feature_angle);

  // Sizes of mesh_3 are radii of circumscribed spheres and bound the largest; these make the mean edge nearly as long
  // as asked for (measured on a sphere and a box: 0.85 to 0.95 of it).
  using namespace CGAL::parameters;
  const double length = options.edge_length;
  const Criteria criteria(edge_size = length, facet_angle = 25.0, facet_size = 0.7 * length,
                          facet_distance = options.facet_distance,
                          facet_topology = CGAL::FACET_VERTICES_ON_SAME_SURFACE_PATCH, cell_radius_edge_ratio = 2.0,
                          cell_size = 0.75 * length);
  // Slivers below 10 degrees are moved away: a bound of 12 took thirty times as long for 3 degrees more. Limits of time
  // would make the result depend on the machine.
  constexpr double sliver = 10.0;
  const Complex complex =
      CGAL::make_mesh_3<Complex>(domain, criteria, manifold(), perturb(time_limit = 0.0, sliver_bound = sliver),
                                 exude(time_limit = 0.0, sliver_bound = sliver), no_odt(), no_lloyd(),
                                 mesh_3_options(maximal_number_of_vertices = options.max_vertices));
  return mesh_of(complex);
}

}  // namespace clearance::mesh
