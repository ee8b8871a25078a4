#include "clearance/simulation/hints/support_hints.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/scene/body_names.h"
#include "clearance/simulation/build/supports.h"

namespace clearance {

std::string free_bodies_text(const SceneDesc& desc, const SceneModel& scene) {
  if (desc.time.integrator != TimeIntegrator::quasi_static) return {};
  const std::vector<int> free = find_free_bodies(desc, scene);
  if (free.empty()) return "; a body that is held can still be free to slide or to turn";
  return fmt::format("; nothing holds body '{}'{} in any direction", scene.bodies[free[0]].name,
                     and_more(free.size() - 1));
}

void warn_of_free_bodies(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  if (desc.time.integrator != TimeIntegrator::quasi_static || desc.statics.hold_free) return;
  const std::vector<int> free = find_free_bodies(desc, scene);
  if (free.empty()) return;
  const BodyInstance& first = scene.bodies[free[0]];
  add_named_hint(
      hints, "no_equilibrium", fmt::format("bodies[{}].motions", first.desc),
      fmt::format("body '{}'{} is free in a quasi-static run: no motion, joint or contact at the start holds it at {}, "
                  "so that its equilibrium is undetermined; hold a region of it by a motion of velocity zero, let it "
                  "start within dhat ({:.4g} m) of the body that supports it, let soft springs hold it "
                  "(`static.hold_free`), or choose another integrator",
                  first.name, and_more(free.size() - 1), place_text(first.mesh.vertices[0]),
                  scene.options.barrier.dhat));
}

namespace {

std::string vector_text(const Vec<3>& v, int dim) {
  // Adding 0.0 turns negative zeros into zeros.
  std::string text = fmt::format("[{:.4g}, {:.4g}", v[0] + 0.0, v[1] + 0.0);
  return dim == 2 ? text + "]" : text + fmt::format(", {:.4g}]", v[2] + 0.0);
}

bool is_left_to_gravity(const BodyDesc& body) {
  return body.loads.empty() && body.linear_velocity.isZero(0.0) && body.angular_velocity.isZero(0.0) && !body.velocity;
}

}  // namespace

void warn_of_endless_falls(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  if (desc.time.integrator == TimeIntegrator::quasi_static || !desc.contact.enabled || desc.half_spaces.empty()) return;
  const double gravity = desc.gravity.norm();
  constexpr double rounding = 1e-9;
  const auto is_below = [&](const HalfSpaceDesc& plane) {
    return plane.normal.dot(desc.gravity) < -rounding * gravity * plane.normal.norm();
  };
  if (!(gravity > 0.0) || std::any_of(desc.half_spaces.begin(), desc.half_spaces.end(), is_below)) return;
  const auto faller = std::find_if(scene.bodies.begin(), scene.bodies.end(), [&](const BodyInstance& body) {
    return is_left_to_gravity(desc.bodies[body.desc]);
  });
  // A body that is held may be in the way of the others.
  if (faller == scene.bodies.end() || find_unheld_bodies(desc, scene).size() < scene.bodies.size()) return;
  const Vec<3> normal = desc.half_spaces[0].normal.normalized();
  add_hint(hints, "endless_fall", "gravity",
           fmt::format("body '{}' falls for ever, because gravity {} does not draw it towards {}; write a gravity of "
                       "{}, or give half_spaces[0] the normal {}, which points up",
                       faller->name, vector_text(desc.gravity, scene.dim),
                       desc.half_spaces.size() == 1 ? "half_spaces[0]" : "any half-space",
                       vector_text(-gravity * normal, scene.dim), vector_text(-desc.gravity / gravity, scene.dim)));
}

}  // namespace clearance
