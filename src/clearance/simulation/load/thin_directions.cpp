#include "clearance/simulation/load/thin_directions.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

#include "clearance/geometry/mass_properties.h"
#include "clearance/math/rotation.h"

namespace clearance {

namespace {

/// Sine of the angle below which a direction counts as along another one.
constexpr double least_sine = 1e-3;
/// Share of a body's size from which its thickness is doubtful.
constexpr double largest_thickness = 0.5;
/// Share of a body's size below which it is doubtful, too. A spider's thread of a metre has 3e-6, gold leaf 1e-6.
constexpr double least_thickness = 1.5e-6;

/// Returns a direction of the body's mesh in the scene.
Vec<3> in_scene(const BodyDesc& body, const Vec<3>& direction) {
  const Vec<3> scaled = body.transform.scale.cwiseProduct(direction);
  return (rotation_from_euler_xyz(body.transform.rotation) * scaled).normalized();
}

/// Returns a problem of a key of the scene.
Issue problem_of(const Issue& where, const char* key, std::string value, std::string message,
                 Severity severity = Severity::error) {
  return {"", where.place + key, std::move(value), std::move(message), severity};
}

std::string text_of(const Vec<3>& v) {
  return fmt::format("[{:g}, {:g}, {:g}]", v[0], v[1], v[2]);
}

}  // namespace

void check_thin_directions(const BodyDesc& body, const Issue& where, const Mesh& placed, Issues& issues,
                           Issues& warnings) {
  const double size = bounding_box(placed.vertices).diagonal();
  const bool has_shape = body.kind == BodyKind::shell || body.kind == BodyKind::rod;
  if (has_shape && body.thickness &&
      (*body.thickness > largest_thickness * size || *body.thickness < least_thickness * size)) {
    warnings.push_back(problem_of(
        where, ".thickness", fmt::format("{:g}", *body.thickness),
        fmt::format("'{}' is {:.4g} m long: is its thickness [m], or its mesh, in another unit?", body.name, size),
        Severity::warning));
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
      issues.push_back(
          problem_of(where, ".shell.orthotropy.warp", text_of(body.shell->orthotropy->warp),
                     "the warp is at right angles to the sheet everywhere; expected a direction along it"));
    }
  }
  if (body.rod && body.rod->up && !body.rod->up->isZero(0.0)) {
    const Vec<3> up = in_scene(body, *body.rod->up);
    const bool is_along = std::all_of(placed.edges.begin(), placed.edges.end(), [&](const auto& e) {
      const Vec<3> edge = at(e[1]) - at(e[0]);
      return up.cross(edge).norm() < least_sine * edge.norm();
    });
    if (is_along) {
      issues.push_back(problem_of(
          where, ".rod.up", text_of(*body.rod->up),
          "this direction is along the rod everywhere; expected one across it: the first axis of the section"));
    }
  }
}

}  // namespace clearance
