#include "clearance/io/ipc/ipc_script_contact.h"

#include <fmt/format.h>

#include <algorithm>

namespace clearance {
namespace {

Issue warning_at(int line, std::string message) {
  return {"", fmt::format("line {}", line), "", std::move(message), Severity::warning};
}

double tuning(const IpcScript& script, std::size_t i, double fallback) {
  return i < script.tuning.size() ? script.tuning[i] : fallback;
}

// Halves the first value until it does not exceed the second, as the reference does while it solves.
double reduced(double first, double last, const char* name, Issues& issues) {
  if (!(last > 0.0) || first <= last) return first;
  while (first > last) first *= 0.5;
  issues.push_back({"", "tuning", "",
                    fmt::format("{} is {:g} from the start; IPC reduces it to this value while it solves", name, first),
                    Severity::warning});
  return first;
}

}  // namespace

ContactDesc contact_of(const IpcScript& script, ContactDesc contact, Issues& issues) {
  contact.kappa = tuning(script, 0, 0.0);
  contact.dhat = reduced(tuning(script, 1, 1e-3), tuning(script, 2, 0.0), "dHat", issues);
  contact.close_distance = tuning(script, 3, 1e-9);
  contact.dhat_is_absolute = script.has_absolute_parameters;
  contact.kappa_min_multiplier = script.kappa_min_multiplier;
  return contact;
}

FrictionDesc friction_of(const IpcScript& script, FrictionDesc friction, Issues& issues) {
  friction.coefficient = script.self_friction;
  friction.eps_v = reduced(tuning(script, 4, 1e-3), tuning(script, 5, 0.0), "epsv", issues);
  friction.eps_v_is_absolute = script.has_absolute_parameters;
  friction.iterations = script.friction_iterations;
  return friction;
}

// Two bodies rub with the geometric mean of their coefficients, but the script gives the coefficient of a contact with
// the obstacle.
void set_obstacle_friction(const std::vector<double>& friction, std::size_t num_shapes, SceneDesc& scene) {
  for (std::size_t b = num_shapes; b < scene.bodies.size(); ++b) {
    const double mu = friction[b];
    if (mu == scene.friction.coefficient) continue;
    scene.bodies[b].friction = mu;
    if (mu == 0.0) continue;
    for (std::size_t i = 0; i < num_shapes; ++i) {
      if (scene.bodies[i].kind == BodyKind::obstacle) continue;
      scene.friction.pairs.push_back({.bodies = {scene.bodies[i].name, scene.bodies[b].name}, .coefficient = mu});
    }
  }
}

// Without self-collision, shapes do not collide with each other or themselves, but they do collide with half-spaces and
// `meshCO`. Colliders among the shapes then touch nothing and are left out.
void switch_off_self_collision(const IpcScript& script, SceneDesc& scene, Issues& issues) {
  if (script.has_self_collision) return;
  if (script.half_spaces.empty() && script.mesh_obstacles.empty()) {
    scene.contact.enabled = false;
    return;
  }
  scene.contact.obstacles_only = true;
  const auto end = scene.bodies.begin() + static_cast<std::ptrdiff_t>(script.shapes.size());
  const auto rest =
      std::remove_if(scene.bodies.begin(), end, [](const BodyDesc& body) { return body.kind == BodyKind::obstacle; });
  if (rest == end) return;
  scene.bodies.erase(rest, end);
  issues.push_back(warning_at(script.self_collision_line,
                              "without self-collision, shapes without volume touch nothing and are left out"));
}

void warn_of_obstacle_friction(const IpcScript& script, Issues& issues) {
  for (const IpcMeshObstacle& obstacle : script.mesh_obstacles) {
    if (!(obstacle.friction > 0.0)) continue;
    issues.push_back(
        warning_at(obstacle.line, "friction on `meshCO` uses its coefficient, which IPC reads but does not use"));
    return;
  }
}

}  // namespace clearance
