#include "clearance/simulation/hints/rolling_hints.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "clearance/math/elementary.h"
#include "clearance/math/rotation.h"
#include "clearance/model/half_space_pairs.h"
#include "clearance/simulation/hints/round_bodies.h"

namespace clearance {

namespace {

constexpr double degrees = 1.0 / radians_per_degree;
constexpr double loss_limit = 0.03;

/// Rolling of a body on one half-space if the body were round.
struct Rolling {
  double slope = 0.0;     ///< gravity along the plane and across the axis, divided by gravity onto the plane
  double distance = 0.0;  ///< [m] distance in the time of the scene
};

class RollingCheck {
 public:
  RollingCheck(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints)
      : desc_(desc), scene_(scene), hints_(hints) {}

  void run() {
    const bool has_inertia = desc_.time.integrator != TimeIntegrator::quasi_static;
    if (!desc_.contact.enabled || !has_inertia || scene_.model.half_spaces.empty()) return;
    int last_entry = -1;
    std::vector<StartedBody> bodies;
    for (const BodyInstance& body : scene_.bodies) {
      const bool is_generated = desc_.bodies[body.desc].generator.has_value();
      bodies.push_back({body.desc, body.kind, is_generated ? body.mesh.vertices : Vertices()});
    }
    for (const RoundBody& body : find_round_bodies(desc_, bodies)) {
      const int entry = scene_.bodies[body.body].desc;
      if (entry != last_entry && check_body(body)) last_entry = entry;
    }
  }

 private:
  /// Warns about a body on the first half-space that gives a reason. Returns true if it has warned.
  bool check_body(const RoundBody& body) {
    const int vertex = surface_vertex_of(body.body);
    for (int h = 0; h < static_cast<int>(scene_.model.half_spaces.size()) && vertex >= 0; ++h) {
      if (!meets_half_space(scene_.model, h, vertex)) continue;
      if (friction_with_half_space(scene_.model.friction, body.body, h).is_zero()) continue;
      if (warn_of(body, h, dhat_of(vertex))) return true;
    }
    return false;
  }

  bool warn_of(const RoundBody& body, int half_space, double dhat) {
    const std::optional<Rolling> rolling = rolling_on(body, half_space);
    if (!rolling) return false;
    const double share = body.share_of_sides(dhat), held = body.barrier() * share;
    // Each side costs (2 pi / n)^2 / (1 + k) of the energy of rolling. Energy that is gained on the way is lost only in
    // part.
    const double lost = 2.0 * std::numbers::pi / body.sides / (1.0 + body.gyration) * rolling->distance / body.radius;
    const double loss = share * lost / (lost + 2.0);
    const bool is_held = rolling->slope > 0.0 && rolling->slope < held;
    if (!is_held && !(loss > loss_limit)) return false;
    const BodyInstance& instance = scene_.bodies[body.body];
    const std::string found =
        is_held
            ? fmt::format(
                  "and rests on half_spaces[{}], which slopes by {:.3g} degrees, although a round body would roll down",
                  half_space, degrees * elementary::atan2(rolling->slope, 1.0))
            : fmt::format("which remove about {:.2g} % of the energy with which it rolls on half_spaces[{}]",
                          100.0 * loss, half_space);
    add_hint(
        hints_, "faceted_rolling", fmt::format("bodies[{}].generator.resolution", instance.desc),
        fmt::format("faceted_rolling: body '{}' has {} flat sides around, on which it stands on slopes of up to "
                    "{:.3g} degrees, {}; a resolution of {} makes about 192 sides{}",
                    instance.name, body.sides, degrees * elementary::atan2(body.barrier(), 1.0), found, body.resolution,
                    instance.kind == BodyKind::deformable
                        ? ", which is cheap for bodies of the kinds `rigid` and `affine` only"
                        : ""));
    return true;
  }

  /// Returns how the body would roll on a half-space; nothing if it stands on a flat end or gravity does not press it
  /// on.
  std::optional<Rolling> rolling_on(const RoundBody& body, int half_space) const {
    const HalfSpace& plane = scene_.model.half_spaces[half_space];
    const Vec<3>& n = plane.normal;
    constexpr double lies = 0.2;
    if (!body.is_ball && std::abs(body.axis.dot(n)) > lies) return std::nullopt;
    Vec<3> gravity = desc_.gravity;
    if (scene_.dim == 2) gravity[2] = 0.0;
    const double onto = -gravity.dot(n);
    if (!(onto > 0.0)) return std::nullopt;
    const auto along = [&](const Vec<3>& v) {
      const Vec<3> in_plane = v - v.dot(n) * n;
      return body.is_ball ? in_plane.norm() : std::abs(in_plane.dot(n.cross(body.axis)));
    };
    const BodyDesc& of = desc_.bodies[scene_.bodies[body.body].desc];
    // The larger of the two speeds is about the one that it slides and rolls with.
    const double speed =
        std::max(along(of.linear_velocity), body.radius * radians_per_degree * of.angular_velocity.norm());
    Rolling rolling;
    constexpr double rounding = 1e-9;
    const double fall = along(gravity);
    rolling.slope = fall > rounding * onto ? fall / onto : 0.0;
    const double time = desc_.time.duration, acceleration = rolling.slope * onto / (1.0 + body.gyration);
    rolling.distance = speed * time + 0.5 * acceleration * time * time;
    return rolling;
  }

  int surface_vertex_of(int body) const {
    const auto& of_vertex = scene_.model.surface.vertex_body;
    const auto found = std::find(of_vertex.begin(), of_vertex.end(), body);
    return found == of_vertex.end() ? -1 : static_cast<int>(found - of_vertex.begin());
  }
  double dhat_of(int vertex) const {
    const ContactScales& scales = scene_.model.contact_scales;
    return scales.is_empty() ? scene_.options.barrier.dhat : scales.dhat[vertex];
  }

  const SceneDesc& desc_;
  const SceneModel& scene_;
  NamedHints& hints_;
};

}  // namespace

void warn_of_faceted_rolling(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  RollingCheck(desc, scene, hints).run();
}

}  // namespace clearance
