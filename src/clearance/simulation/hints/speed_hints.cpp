#include "clearance/simulation/hints/speed_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/geometry/mass_properties.h"
#include "clearance/io/result/energy_monitor.h"
#include "clearance/math/rotation.h"
#include "clearance/scene/controls.h"
#include "clearance/scene/expression.h"
#include "clearance/simulation/watches/coarse_motion.h"

namespace clearance {

namespace {

/// Returns the size of a body [m]; a particle has that of its thickness.
double size_of(const SceneDesc& desc, const BodyInstance& body) {
  const double thickness = is_thin(body.kind) ? *desc.bodies[body.desc].thickness : 0.0;
  return std::max(bounding_box(body.mesh.vertices).diagonal(), thickness);
}

}  // namespace

void warn_of_fast_bodies(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  const bool has_inertia = desc.time.integrator != TimeIntegrator::quasi_static;
  if (!desc.contact.enabled || !has_inertia || scene.bodies.size() < 2) return;
  int last_entry = -1;
  for (const BodyInstance& body : scene.bodies) {
    if (body.is_obstacle || body.desc == last_entry) continue;
    last_entry = body.desc;
    const double speed = desc.bodies[body.desc].linear_velocity.norm();
    const double size = size_of(desc, body);
    const double way = speed * desc.time.step;
    if (!(way > coarse_motion_limit * size)) continue;
    add_hint(hints, "fast_body", fmt::format("bodies[{}].linear_velocity", body.desc),
             fmt::format(
                 "body '{}' moves {:.3g} m in a step, {:.2g} times its size; it cannot pass through a body in "
                 "its way, but may move around it instead of hitting it; for impacts use a time.step of at most {:.2g}",
                 body.name, way, way / size, resolved_motion * size / speed));
  }
}

namespace {

constexpr double half_turn = 180.0 * radians_per_degree;

/// Returns the largest turn [rad] that a drive asks for in a step, at steps spread over the run. A formula that cannot
/// be evaluated counts as no turn; the run will report it.
double largest_turn(const std::string& drive, const SceneDesc& desc, const Controls& controls) {
  constexpr int num_samples = 16;
  const double h = desc.time.step, num_steps = std::ceil(desc.time.duration / h);
  double largest = 0.0;
  for (int k = 0; k < num_samples; ++k) {
    const double t = h * std::floor(num_steps * k / num_samples);
    const Result<double> before = evaluate_time_formula(drive, "", t, controls);
    const Result<double> after = evaluate_time_formula(drive, "", t + h, controls);
    if (before && after) largest = std::max(largest, std::abs(after.value() - before.value()));
  }
  return largest * radians_per_degree;
}

void warn_of_turn(const std::string& place, const std::string& what, double turn, const SceneDesc& desc,
                  NamedHints& hints) {
  // The quasi-static limit only keeps the direction of a turn known.
  const bool is_static = desc.time.integrator == TimeIntegrator::quasi_static;
  const double limit = is_static ? half_turn : coarse_turn_limit, advised = is_static ? 0.5 * half_turn : resolved_turn;
  // Half a turn may go either way.
  constexpr double rounding = 1e-9;
  if (!(turn > (1.0 - rounding) * limit)) return;
  add_named_hint(
      hints, "coarse_turn", place,
      fmt::format("{} turns by {:.3g} degrees in one step. A step uses only the end of a turn: whole turns are lost, "
                  "and bodies in the way may be moved around instead of hit. Use a time.step of at most {:.2g} s",
                  what, turn / radians_per_degree, desc.time.step * advised / turn));
}

}  // namespace

void warn_of_coarse_turns(const SceneDesc& desc, NamedHints& hints) {
  const Controls controls = controls_of(desc);
  for (std::size_t j = 0; j < desc.joints.size(); ++j) {
    const JointDesc& joint = desc.joints[j];
    if (joint.kind != JointKind::hinge || joint.drive.empty()) continue;
    warn_of_turn(fmt::format("joints[{}].drive", j), fmt::format("joint '{}'", joint.name),
                 largest_turn(joint.drive, desc, controls), desc, hints);
  }
  for (std::size_t b = 0; b < desc.bodies.size(); ++b) {
    for (std::size_t m = 0; m < desc.bodies[b].motions.size(); ++m) {
      const double turn = desc.bodies[b].motions[m].angular_velocity.norm() * radians_per_degree * desc.time.step;
      warn_of_turn(fmt::format("bodies[{}].motions[{}].angular_velocity", b, m),
                   fmt::format("body '{}'", desc.bodies[b].name), turn, desc, hints);
    }
  }
}

void warn_of_long_steps(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  if (desc.time.integrator == TimeIntegrator::quasi_static) return;
  const double way = desc.gravity.norm() * desc.time.step * desc.time.step;
  for (const BodyInstance& body : scene.bodies) {
    const BodyDesc& given = desc.bodies[body.desc];
    const double size = size_of(desc, body);
    if (body.is_obstacle || !given.motions.empty() || !desc.joints.empty() || !(way > size)) continue;
    add_hint(
        hints, "long_step", "time.step",
        fmt::format(
            "gravity alone moves body '{}' by {:.3g} m in the first step, {:.2g} times its size, so that its motion is "
            "not resolved; use a step of at most {:.1g} s, or the integrator 'quasi_static' for bodies at rest",
            body.name, way, way / size, std::sqrt(resolved_motion * size / desc.gravity.norm())));
    return;
  }
}

}  // namespace clearance
