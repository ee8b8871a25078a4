#include "clearance/simulation/load/thin_directions.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "clearance/geometry/mass_properties.h"
#include "clearance/math/rotation.h"

namespace clearance {

namespace {

/// Sine of the angle below which a direction counts as along another one.
constexpr double least_sine = 1e-3;
/// Share of a body's size from which its thickness is doubtful.
constexpr double largest_thickness = 0.5;

/// Returns a direction of the body's mesh in the scene.
Vec<3> in_scene(const BodyDesc& body, const Vec<3>& direction) {
  const Vec<3> scaled = body.transform.scale.cwiseProduct(direction);
  return (rotation_from_euler_xyz(body.transform.rotation) * scaled).normalized();
}

void report(const Issue& where, const char* key, const Vec<3>& value, const std::string& message, Issues& issues) {
  Issue issue = where;
  issue.file.clear();
  issue.place += key;
  issue.value = fmt::format("[{:g}, {:g}, {:g}]", value[0], value[1], value[2]);
  issue.message = message;
  issues.push_back(std::move(issue));
}

}  // namespace

void check_thin_directions(const BodyDesc& body, const Issue& where, const Mesh& placed, Issues& issues,
                           Issues& warnings) {
  const double size = bounding_box(placed.vertices).diagonal();
  const bool has_shape = body.kind == BodyKind::shell || body.kind == BodyKind::rod;
  const bool is_thick = has_shape && body.thickness && *body.thickness > largest_thickness * size;
  if (is_thick) {
    Issue issue = where;
    issue.file.clear();
    issue.place += ".thickness";
    issue.value = fmt::format("{:g}", *body.thickness);
    issue.message = fmt::format("'{}' is {:.3g} m long: is its thickness [m] in another unit?", body.name, size);
    issue.severity = Severity::warning;
    warnings.push_back(std::move(issue));
  }
  const auto at = [&](int v) -> const Vec<3>& { return placed.vertices[v]; };
  // The warp of a pattern lies in the pattern.
  if (body.shell && body.shell->orthotropy && !body.shell->pattern && !body.shell->orthotropy->warp.isZero(0.0)) {
    const Vec<3> warp = in_scene(body, body.shell->orthotropy->warp);
    const bool is_across = std::all_of(placed.triangles.begin(), placed.triangles.end(), [&](const auto& t) {
      const Vec<3> normal = (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0]));
      return warp.cross(normal).norm() < least_sine * normal.norm();
    });
    if (is_across) {
      report(where, ".shell.orthotropy.warp", body.shell->orthotropy->warp,
             "the warp is at right angles to the sheet everywhere; expected a direction along it", issues);
    }
  }
  if (body.rod && body.rod->up && !body.rod->up->isZero(0.0)) {
    const Vec<3> up = in_scene(body, *body.rod->up);
    const bool is_along = std::all_of(placed.edges.begin(), placed.edges.end(), [&](const auto& e) {
      const Vec<3> edge = at(e[1]) - at(e[0]);
      return up.cross(edge).norm() < least_sine * edge.norm();
    });
    if (is_along) {
      report(where, ".rod.up", *body.rod->up,
             "this direction is along the rod everywhere; expected one across it: the first axis of the section",
             issues);
    }
  }
}

}  // namespace clearance
