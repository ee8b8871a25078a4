#include "clearance/simulation/load/remesh_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "clearance/geometry/mass_properties.h"
#include "clearance/scene/body_remesh.h"

namespace clearance {

namespace {

/// Smallest edge as a share of the largest coordinate; rounding changes the strain of edges this long by 1e-6.
constexpr double least_edge = 1e-10;

}  // namespace

void check_remesh_of_mesh(const SceneDesc& scene, const BodyDesc& body, Issue where, const Mesh& mesh, Issues& issues,
                          Issues& warnings) {
  const RemeshDesc* remesh = find_remesh(scene, body);
  if (remesh == nullptr) return;
  const std::size_t num_cells = mesh.num_solid_cells();
  int highest = 1;
  for (std::size_t cell = 0; cell < num_cells; ++cell) highest = std::max(highest, mesh.order_of_cell(cell));
  const std::string of_body = where.place;
  if (highest > 1) {
    where.place = of_body + ".order";
    where.message = fmt::format(
        "the elements of the mesh of body '{}' are of order {}, but only linear elements can adapt (`remesh`); set "
        "`order` to 1, or give the body \"remesh\": {{\"enabled\": false}}",
        body.name, highest);
    issues.push_back(where);
  }
  // Place of the values in the scene.
  const std::string at = body.remesh ? of_body + ".remesh" : "remesh";
  where.severity = Severity::warning;
  if (remesh->split && remesh->largest_count > 0 && std::cmp_less_equal(remesh->largest_count, num_cells)) {
    where.place = at + ".largest_count";
    where.value = fmt::format("{}", remesh->largest_count);
    where.message = fmt::format("body '{}' starts with {} elements, so that none is split before others are collapsed",
                                body.name, num_cells);
    warnings.push_back(where);
  }
  const double size = bounding_box(mesh.vertices).diagonal();
  if (remesh->split && remesh->smallest_edge && 2.0 * *remesh->smallest_edge > size) {
    where.place = at + ".smallest_edge";
    where.value = fmt::format("{:g}", *remesh->smallest_edge);
    where.message =
        fmt::format("the size of body '{}' is {:.3g} m, so that none of its edges is ever split", body.name, size);
    warnings.push_back(where);
  }
  double reach = 0.0;  // [m] largest coordinate
  for (const Vec<3>& x : mesh.vertices) reach = std::max(reach, x.cwiseAbs().maxCoeff());
  if (remesh->split && remesh->smallest_edge && *remesh->smallest_edge < least_edge * reach) {
    where.place = at + ".smallest_edge";
    where.value = fmt::format("{:g}", *remesh->smallest_edge);
    where.message = fmt::format(
        "coordinates of body '{}' reach {:.3g} m, so that rounding changes the strains of elements this small; "
        "expected at least {:.1g} m",
        body.name, reach, least_edge * reach);
    warnings.push_back(where);
  }
}

}  // namespace clearance
