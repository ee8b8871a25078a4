#include "clearance/geometry/mesh_mass.h"

#include <algorithm>
#include <utility>

#include "clearance/geometry/shells.h"

namespace clearance {

namespace {

/// Returns the properties of the closed parts as solids, with cavities subtracted. Facets of all other parts go to
/// `thin`.
template <std::size_t n>
MassProperties integrate_closed_parts(const Mesh& mesh, const Facets<n>& facets, Facets<n>& thin, MeshMass& mass) {
  std::vector<Shell<n>> shells = find_shells(mesh.vertices, facets);
  for (const Shell<n>& shell : shells) {
    const std::vector<int>& openings = shell.part.openings;
    if (!openings.empty()) {
      if (mass.num_openings == 0) mass.opening = mesh.vertices[openings.front()];
      mass.num_openings += static_cast<int>(openings.size());
    }
    if (shell.encloses_nothing()) thin.insert(thin.end(), shell.part.facets.begin(), shell.part.facets.end());
    if (!shell.is_inside_of_solid) continue;
    if (mass.num_nested++ == 0) mass.nested = mesh.vertices[shell.part.facets.front()[0]];
  }
  // Cavities come last, because they are subtracted from the solids.
  std::stable_partition(shells.begin(), shells.end(),
                        [](const Shell<n>& shell) { return shell.kind == ShellKind::solid; });
  MassProperties sum;
  for (const Shell<n>& shell : shells) {
    if (!shell.encloses_nothing()) sum = combine(sum, shell.properties);
  }
  return sum;
}

}  // namespace

MeshMass mass_of_mesh(const Mesh& mesh, double thickness) {
  MeshMass mass;
  if (mesh.dim == 2) {
    Edges strips;
    mass.properties = combine(mass_properties_of_triangles(mesh.vertices, mesh.triangles),
                              integrate_closed_parts(mesh, mesh.edges, strips, mass));
    mass.properties = combine(mass.properties, mass_properties_of_strips(mesh.vertices, strips, thickness));
    mass.properties = combine(mass.properties, mass_properties_of_disks(mesh.vertices, mesh.points, thickness));
    mass.has_thin_parts = !strips.empty() || !mesh.points.empty();
    return mass;
  }
  Triangles sheets;
  mass.properties = combine(mass_properties_of_tets(mesh.vertices, mesh.tets),
                            integrate_closed_parts(mesh, mesh.triangles, sheets, mass));
  mass.properties = combine(mass.properties, mass_properties_of_sheet(mesh.vertices, sheets, thickness));
  mass.properties = combine(mass.properties, mass_properties_of_rods(mesh.vertices, mesh.edges, thickness));
  mass.properties = combine(mass.properties, mass_properties_of_balls(mesh.vertices, mesh.points, thickness));
  mass.has_thin_parts = !sheets.empty() || !mesh.edges.empty() || !mesh.points.empty();
  return mass;
}

}  // namespace clearance
