#include "clearance/simulation/hints/load_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/scene/validate.h"
#include "clearance/simulation/build/load_size.h"
#include "clearance/simulation/build/time_window.h"
#include "clearance/simulation/hints/body_facts.h"

namespace clearance {

namespace {

constexpr double gravity_of_earth = 9.80665;  // [m/s^2]
constexpr double most_weights = 1e3;
/// Error of the impulse of a load, as a share, that is told.
constexpr double off_share = 0.05;
constexpr double num_first_steps = 10.0, num_sizes = 10.0;

/// True unless joints or motions hold the body, or may. A motion whose region has no node holds nothing.
bool is_free(const SceneDesc& desc, const SceneModel& scene, int b) {
  const BodyDesc& body = desc.bodies[scene.bodies[b].desc];
  const std::array<bool, 3> none = {false, false, false};
  if (body.fixed_translation != none) return false;
  for (const PreparedMotion& motion : scene.motions) {
    if (motion.body == b && !motion.blocks.empty()) return false;
  }
  return std::none_of(desc.joints.begin(), desc.joints.end(), [&](const JointDesc& joint) {
    return std::any_of(joint.bodies.begin(), joint.bodies.end(),
                       [&](const std::string& name) { return name.starts_with(body.name); });
  });
}

bool is_whole(const MotionDesc& motion) {
  return motion.start <= 0.0 && motion.end == infinity && !motion.release &&
         motion.components == std::array<bool, 3>{true, true, true};
}

}  // namespace

void warn_of_throwing_loads(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  if (desc.time.integrator == TimeIntegrator::quasi_static) return;
  const std::vector<double> masses = body_masses(scene);
  const double time = num_first_steps * desc.time.step;
  const UnitSystem& units = unit_system_of(desc);
  const double gravity = units.from_si(gravity_of_earth, dimension::acceleration);
  int last_entry = -1;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    if (body.is_obstacle || body.desc == std::exchange(last_entry, body.desc) || !(masses[b] > 0.0)) continue;
    const BodyDesc& given = desc.bodies[body.desc];
    if (!is_free(desc, scene, static_cast<int>(b))) continue;
    const double size = bounding_box(body.mesh.vertices).diagonal();
    for (std::size_t i = 0; i < given.loads.size(); ++i) {
      const LoadDesc& load = given.loads[i];
      if (load.kind != LoadKind::force && load.kind != LoadKind::acceleration) continue;
      const double value = largest_value(load, body, desc.time.duration, *scene.controls).norm();
      const double acceleration = load.kind == LoadKind::force ? value / masses[b] : value;
      const double way = 0.5 * acceleration * time * time;
      if (!(acceleration > most_weights * gravity) || !(way > num_sizes * size)) continue;
      add_hint(
          hints, "throwing_load", fmt::format("bodies[{}].loads[{}]", body.desc, i),
          fmt::format(
              "body '{}' has a mass of {:.3g} kg, and {} of {:.3g} {} is {:.2g} times its weight; if nothing holds the "
              "body, it flies {:.3g} m, {:.2g} times its size, in ten steps; forces are in {}, masses in {}",
              body.name, masses[b], load.kind == LoadKind::force ? "a force" : "an acceleration", value,
              load.kind == LoadKind::force ? "N" : "m/s^2", acceleration / gravity, way, way / size, units.force_name,
              units.mass_name));
      break;
    }
  }
}

void warn_of_short_loads(const SceneDesc& desc, NamedHints& hints) {
  if (desc.time.integrator == TimeIntegrator::quasi_static) return;
  const double h = desc.time.step;
  const int num_all = num_steps(desc.time);
  for (std::size_t b = 0; b < desc.bodies.size(); ++b) {
    for (std::size_t i = 0; i < desc.bodies[b].loads.size(); ++i) {
      const LoadDesc& load = desc.bodies[b].loads[i];
      const double time = std::min(load.end, num_all * h) - load.start;
      if (!(time > 0.0) || time > h / off_share) continue;
      const int count = TimeWindow{load.start, load.end}.count_steps(num_all, h);
      if (std::abs(count * h - time) <= off_share * time) continue;
      add_hint(
          hints, "short_load", fmt::format("bodies[{}].loads[{}]", b, i),
          fmt::format("the load acts for {:.4g} s, but counts in {} of {:.4g} s, those that begin in its time, so "
                      "that its impulse is {:.2g} times what it should be; use a step of {:.3g} s or less, or times "
                      "that are multiples of the step",
                      time, count == 1 ? "1 step" : fmt::format("{} steps", count), h, count * h / time,
                      off_share * time));
    }
  }
}

void warn_of_wholly_held_bodies(const SceneModel& scene, NamedHints& hints) {
  int last_entry = -1;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    if (body.kind != BodyKind::deformable || body.is_obstacle) continue;
    if (body.desc == std::exchange(last_entry, body.desc)) continue;
    std::vector<int> held;
    for (const PreparedMotion& motion : scene.motions) {
      if (motion.body != static_cast<int>(b) || !is_whole(motion.desc)) continue;
      held.insert(held.end(), motion.blocks.begin(), motion.blocks.end());
    }
    std::sort(held.begin(), held.end());
    held.erase(std::unique(held.begin(), held.end()), held.end());
    const std::vector<int>& nodes = scene.blocks[b].block_of_node;
    const auto num_nodes = std::count_if(nodes.begin(), nodes.end(), [](int block) { return block >= 0; });
    if (held.empty() || std::ssize(held) < num_nodes) continue;
    add_hint(hints, "held_body", fmt::format("bodies[{}].motions", body.desc),
             fmt::format("motions prescribe all nodes of body '{}' ({}), so that it cannot deform; give the motion a "
                         "`region`, or make the body an obstacle (`\"kind\": \"obstacle\"`)",
                         body.name, num_nodes));
  }
}

}  // namespace clearance
