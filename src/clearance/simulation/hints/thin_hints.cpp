#include "clearance/simulation/hints/thin_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/math/elementary.h"
#include "clearance/math/rotation.h"

namespace clearance {

namespace {

constexpr const char* name_of_hint = "doubtful_thin_body";
/// Largest angle between neighbouring segments of a rod at rest [rad]. A loop of six segments has as much.
constexpr double largest_angle = 1.1;
/// Smallest limit of strain. Rounding strains a sheet of a thousand cells by 1e-10; metals yield at 1e-3.
constexpr double least_strain_limit = 1e-6;

/// Returns the mean length of the segments of a rod [m]; 0 without any.
double mean_segment_length(const Mesh& mesh) {
  double sum = 0.0;
  for (const auto& [a, b] : mesh.edges) sum += (mesh.vertices[a] - mesh.vertices[b]).norm();
  return mesh.edges.empty() ? 0.0 : sum / static_cast<double>(mesh.edges.size());
}

void warn_of_rod(const RodDesc& rod, const BodyInstance& body, NamedHints& hints) {
  const double length = mean_segment_length(body.mesh);
  const std::string place = fmt::format("bodies[{}].rod", body.desc);
  if (rod.natural_curvature) {
    const double curvature = elementary::hypot((*rod.natural_curvature)[0], (*rod.natural_curvature)[1]);
    if (curvature * length > largest_angle) {
      add_hint(hints, name_of_hint, place + ".natural_curvature",
               fmt::format("rod '{}' bends at rest by {:.3g} rad from one segment of {:.3g} m to the next, with a "
                           "curvature of {:g} 1/m; curvatures are in 1/m, the inverse of a radius in metres; check the "
                           "unit, or use segments of less than {:.2g} m",
                           body.name, curvature * length, length, curvature, 1.0 / curvature));
    }
  }
  if (!rod.natural_twist) return;
  const double twist = std::abs(*rod.natural_twist) * radians_per_degree;
  if (!(twist * length > largest_angle)) return;
  add_hint(hints, name_of_hint, place + ".natural_twist",
           fmt::format("rod '{}' is twisted at rest by {:.3g} rad from one segment of {:.3g} m to the next, with {:g} "
                       "degrees per metre; check the unit, or use segments of less than {:.2g} m",
                       body.name, twist * length, length, *rod.natural_twist, 1.0 / twist));
}

void warn_of_shell(const ShellDesc& shell, const BodyInstance& body, NamedHints& hints) {
  if (!shell.strain_limit || *shell.strain_limit >= least_strain_limit) return;
  add_hint(hints, name_of_hint, fmt::format("bodies[{}].shell.strain_limit", body.desc),
           fmt::format("shell '{}' may stretch by {:g} of its length at most, which is next to nothing, so that steps "
                       "may not converge; the limit is a share (0.05 is 5 %)",
                       body.name, *shell.strain_limit));
}

}  // namespace

void warn_of_thin_bodies(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  int last_desc = -1;
  for (const BodyInstance& body : scene.bodies) {
    // Copies of an entry are alike.
    if (body.desc == last_desc) continue;
    last_desc = body.desc;
    const BodyDesc& of_body = desc.bodies[body.desc];
    if (of_body.rod) warn_of_rod(*of_body.rod, body, hints);
    if (of_body.shell) warn_of_shell(*of_body.shell, body, hints);
  }
}

}  // namespace clearance
