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
#include <stdexcept>

#include "apps/mesh/local_size.h"
#include "clearance/meshing/pinches.h"

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

/// Counts queries over all copies, because a refinement that goes round in circles asks again and again.
class Work {
 public:
  explicit Work(std::size_t limit) : limit_(limit) {}
  void add_one() {
    if (++count_ > limit_ && limit_ > 0) throw std::runtime_error("refinement found no end");
  }

 private:
  std::size_t count_ = 0, limit_;
};

/// A share of the local edge length, as a field that CGAL queries.
struct Length {
  using FT = Kernel::FT;
  using Point_3 = Kernel::Point_3;
  using Index = Domain::Index;

  const LocalSize* size;
  Work* work;
  double share;

  FT operator()(const Point_3& x, int, const Index&) const {
    work->add_one();
    return share * size->at({x.x(), x.y(), x.z()});
  }
};

/// Returns all tetrahedra, also those between the solid and the hull.
CellComplex cells_of(const Complex& complex) {
  CellComplex cells;
  std::map<Complex::Vertex_handle, int> numbers;
  const Triangulation& triangulation = complex.triangulation();
  for (auto cell = triangulation.finite_cells_begin(); cell != triangulation.finite_cells_end(); ++cell) {
    std::array<int, 4> tet{};
    for (int k = 0; k < 4; ++k) {
      const Complex::Vertex_handle vertex = cell->vertex(k);
      const auto [entry, is_new] = numbers.try_emplace(vertex, static_cast<int>(cells.vertices.size()));
      if (is_new) cells.vertices.emplace_back(vertex->point().x(), vertex->point().y(), vertex->point().z());
      tet[k] = entry->second;
    }
    cells.tets.push_back(tet);
    const Triangulation::Cell_handle handle = cell;
    cells.is_solid.push_back(complex.is_in_complex(handle) ? 1 : 0);
  }
  return cells;
}

/// Returns the solid with its vertices in the order in which tetrahedra name them.
Mesh solid_of(const CellComplex& cells) {
  Mesh mesh;
  std::vector<int> numbers(cells.vertices.size(), -1);
  for (std::size_t c = 0; c < cells.tets.size(); ++c) {
    if (cells.is_solid[c] == 0) continue;
    std::array<int, 4> tet = cells.tets[c];
    for (int& v : tet) {
      int& number = numbers[v];
      if (number < 0) {
        number = static_cast<int>(mesh.vertices.size());
        mesh.vertices.push_back(cells.vertices[v]);
      }
      v = number;
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

  // Sizes of mesh_3 are upper bounds of the radii of circumscribed spheres; these factors make the mean edge nearly as
  // long as asked for (measured on a sphere and a box: 0.85 to 0.95 of it).
  using namespace CGAL::parameters;
  const LocalSize size(surface,
                       {options.edge_length, options.thin_share, options.feature_angle, options.facet_distance});
  Work work(options.max_work);
  const auto length = [&](double share) { return Length{&size, &work, share}; };
  const double longest = options.edge_length;
  const auto make_criteria = [&](const auto& facets, const auto& distances, const auto& cells) {
    return Criteria(edge_size = length(1.0), facet_angle = 25.0, facet_size = facets, facet_distance = distances,
                    facet_topology = CGAL::FACET_VERTICES_ON_SAME_SURFACE_PATCH, cell_radius_edge_ratio = 2.0,
                    cell_size = cells);
  };
  const Criteria criteria = size.is_uniform()
                                ? make_criteria(0.7 * longest, options.facet_distance * longest, 0.75 * longest)
                                : make_criteria(length(0.7), length(options.facet_distance), length(0.75));
  // Estimates are too low by up to a half, most where sharp edges are not kept.
  const std::size_t most = options.max_vertices == 0 ? 0 : options.max_vertices + 4 * size.num_in_walls();
  // Slivers below 10 degrees are moved away: a bound of 12 took thirty times as long for 3 degrees more. Time limits
  // are off because they would make the result depend on the machine.
  constexpr double sliver = 10.0;
  const Complex complex =
      CGAL::make_mesh_3<Complex>(domain, criteria, manifold(), perturb(time_limit = 0.0, sliver_bound = sliver),
                                 exude(time_limit = 0.0, sliver_bound = sliver), no_odt(), no_lloyd(),
                                 mesh_3_options(maximal_number_of_vertices = most));
  CellComplex cells = cells_of(complex);
  mend_pinches(cells);
  return solid_of(cells);
}

}  // namespace clearance::mesh
