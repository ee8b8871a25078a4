#include "clearance/scene/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "clearance/scene/body_names.h"
#include "clearance/scene/body_remesh.h"
#include "clearance/scene/enums.h"
#include "clearance/scene/joint_conflicts.h"
#include "clearance/scene/json.h"
#include "clearance/scene/nearest_name.h"
#include "clearance/scene/range_check.h"
#include "clearance/scene/scene_check.h"
#include "clearance/scene/validate_attachments.h"
#include "clearance/scene/validate_axisymmetric.h"
#include "clearance/scene/validate_generator.h"
#include "clearance/scene/validate_joints.h"
#include "clearance/scene/validate_material_fields.h"
#include "clearance/scene/validate_output.h"
#include "clearance/scene/validate_plasticity.h"
#include "clearance/scene/validate_remesh.h"
#include "clearance/scene/validate_scripts.h"
#include "clearance/scene/validate_springs.h"
#include "clearance/scene/validate_stiff.h"
#include "clearance/scene/validate_thin.h"

namespace clearance {
namespace {

/// Smallest accuracy of time steps. What is left of the forces at the end of Newton's method is more than this.
constexpr double least_accuracy = 1e-6;

class Checker : SceneCheck {
 public:
  using SceneCheck::SceneCheck;

  void run() {
    check_bodies();
    for (std::size_t i = 0; i < scene_.half_spaces.size(); ++i) check_half_space(scene_.half_spaces[i], i);
    check_time();
    check_contact();
  }

 private:
  void check_time() {
    if (!(scene_.time.step > 0.0 && scene_.time.duration > 0.0)) return;  // reported by the range check
    if (scene_.time.duration / scene_.time.step > std::numeric_limits<int>::max()) {
      error("time", "the run has too many steps; duration / step must be at most 2147483647",
            fmt::format("{:g}", scene_.time.duration / scene_.time.step));
    }
    if (std::isfinite(scene_.time.step) && scene_.time.step > scene_.time.duration) {
      warning("time.step",
              fmt::format(
                  "the step is longer than time.duration ({:g} s), so that the run is a single step and ends at {:g} s",
                  scene_.time.duration, scene_.time.step),
              fmt::format("{:g}", scene_.time.step));
    }
    if (scene_.time.accuracy > 0.0) check_accuracy();
  }

  void check_accuracy() {
    const TimeDesc& time = scene_.time;
    const std::string value = fmt::format("{:g}", time.accuracy);
    const bool is_static = time.integrator == TimeIntegrator::quasi_static;
    const bool has_euler =
        time.integrator == TimeIntegrator::implicit_euler || time.integrator == TimeIntegrator::bdf2_in_flight;
    if (is_static || has_euler) {
      const char* reason = is_static ? "quasi_static has no time that errors could be made in"
                                     : "the errors of implicit Euler add up, however short its steps are";
      error(
          "time.accuracy",
          fmt::format("an accuracy needs another `time.integrator` (bdf2_restarted, bdf2 or implicit_newmark), because "
                      "{}",
                      reason),
          value);
    }
    if (time.accuracy < least_accuracy) {
      error("time.accuracy",
            fmt::format("steps do not converge as accurately; expected {:g} or more, or 0 for whole steps",
                        least_accuracy),
            value);
    }
    if (time.max_halvings == 0) {
      error("time.accuracy", "an accuracy needs steps that may be halved: `time.max_halvings` is 0", value);
    }
    if (std::ldexp(time.duration / time.step, time.max_halvings) > std::numeric_limits<int>::max()) {
      error(
          "time.accuracy",
          fmt::format("the run has too many parts of steps; duration / step times 2^max_halvings ({}) must be at most "
                      "2147483647",
                      time.max_halvings),
          value);
    }
    for (const BodyDesc& body : scene_.bodies) {
      if (find_remesh(scene_, body) != nullptr) {
        error("time.accuracy", fmt::format("'{}' has elements that adapt, which need whole steps", body.name), value);
      }
      for (const MotionDesc& motion : body.motions) {
        if (motion.poses.empty() && !(motion.has_mesh_sequence() && motion.mesh_rate == 0.0)) continue;
        error(
            "time.accuracy",
            fmt::format("a motion of '{}' says where it is at the end of each step, but not between: give its files a "
                        "`mesh_rate`, or its motion as an expression",
                        body.name),
            value);
      }
    }
  }

  void check_contact() {
    const ContactDesc& contact = scene_.contact;
    // dhat and close_distance have the same unit; the stiffness rule only sees contacts, which are nearer than dhat.
    const bool is_used = contact.kappa == 0.0 && contact.stiffness == ContactStiffnessKind::published;
    if (is_used && contact.close_distance > contact.dhat) {
      error("contact.close_distance", fmt::format("must not exceed contact.dhat ({:g})", contact.dhat),
            fmt::format("{:g}", contact.close_distance));
    }
    warn_of_kappa();
  }

  /// Warns of a kappa in the wrong unit: other formulations, and scenes of other programs, have another unit.
  void warn_of_kappa() {
    const ContactDesc& contact = scene_.contact;
    double softest = infinity, stiffest = 0.0;
    for (const BodyDesc& body : scene_.bodies) {
      if (body.kind != BodyKind::deformable) continue;
      softest = std::min(softest, body.material.youngs_modulus);
      stiffest = std::max(stiffest, body.material.youngs_modulus);
    }
    constexpr double least_share = 1e-5, largest_share = 1e6;
    if (!has_physical_barrier(contact.options) || !(contact.kappa > 0.0) || stiffest == 0.0) return;
    const auto warn = [&](const char* side, double modulus, const char* consequence) {
      warning("contact.kappa",
              fmt::format("the stiffness is far {} the Young's modulus of all bodies ({:g} Pa), so that {}; with a "
                          "physical barrier kappa is in Pa, and 0 sets it to a tenth of the modulus",
                          side, modulus, consequence),
              fmt::format("{:g}", contact.kappa));
    };
    if (contact.kappa < least_share * softest) warn("below", softest, "contacts will be squeezed to almost no gap");
    if (contact.kappa > largest_share * stiffest) warn("above", stiffest, "steps may not converge");
  }

  void check_half_space(const HalfSpaceDesc& half_space, std::size_t i) {
    const std::string place = element_path("half_spaces", i);
    if (half_space.normal.isZero(0.0)) error(place + ".normal", "must not be zero", text(half_space.normal));
    check_in_plane(place + ".normal", half_space.normal);
  }

  void check_bodies() {
    check_in_plane("gravity", scene_.gravity);
    bool has_moving = false;
    std::map<std::string, std::size_t> first_with_name;
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      const BodyDesc& body = scene_.bodies[i];
      has_moving = has_moving || body.kind != BodyKind::obstacle;
      check_body(body, element_path("bodies", i));
      if (body.name.empty()) continue;
      const auto [known, is_new] = first_with_name.try_emplace(body.name, i);
      if (!is_new) {
        error(element_path("bodies", i) + ".name",
              fmt::format("bodies[{}] has the same name; names must be unique", known->second), '"' + body.name + '"');
      }
    }
    if (!has_moving) error("bodies", "a scene needs at least one body that is not an obstacle");
  }

  void check_body(const BodyDesc& body, const std::string& place) {
    check_source(body, place);
    if (body.generator) check_generator(scene_, body, place + ".generator", issues_);
    check_transform(body, place + ".transform");
    check_in_plane(place + ".linear_velocity", body.linear_velocity);
    check_rotation_in_plane(place + ".angular_velocity", body.angular_velocity);
    if (body.array) check_array(*body.array, num_copies(body), place + ".array");
    const bool has_velocity = !body.linear_velocity.isZero(0.0) || !body.angular_velocity.isZero(0.0);
    if (body.kind == BodyKind::obstacle && has_velocity) {
      error(place, "an obstacle cannot have a start velocity; prescribe its motion in `motions`");
    }
    if (body.order != 0 && body.kind != BodyKind::deformable) {
      error(place + ".order", "only deformable bodies have elements; remove this key", fmt::format("{}", body.order));
    }
    if (body.keep_shape) check_keep_shape(body, place);
    if (body.collision_surface) check_collision_surface(body, place + ".collision_surface");
    check_material(body, place + ".material");
    check_material_parts(body, place + ".material_parts");
    if (!body.element_densities.empty() && body.kind != BodyKind::deformable) {
      error(place + ".element_densities", "only deformable bodies have elements; remove this key");
    }
  }

  void check_keep_shape(const BodyDesc& body, const std::string& place) {
    const auto refuse = [&](bool is_refused, const std::string& key, const std::string& message) {
      if (is_refused) error(place + key, message);
    };
    refuse(body.kind != BodyKind::deformable, ".keep_shape",
           "only deformable bodies have this key; other bodies always keep their shape");
    refuse(body.kind == BodyKind::deformable && body.order == 0, ".keep_shape",
           "`keep_shape` needs an `order` of the displacements that is lower than the order of the mesh");
    refuse(!body.stiff_parts.empty(), ".stiff_parts",
           "a stiff part cannot rotate elements with `keep_shape`; remove `keep_shape`, so that displacements and "
           "shape have the same order");
    for (std::size_t i = 0; i < body.loads.size(); ++i) {
      refuse(body.loads[i].kind == LoadKind::pressure, element_path(".loads", i) + ".kind",
             "a pressure needs displacements and shape of the same order; remove `keep_shape`");
    }
    for (std::size_t i = 0; i < scene_.start.moved.size(); ++i) {
      const std::string& moved = scene_.start.moved[i].body;
      if (moved != body.name && !moved.starts_with(body.name + '[')) continue;
      if (!scene_.start.moved[i].displacements) continue;
      error(element_path("start.moved", i) + ".displacements",
            "a body with `keep_shape` cannot start with displacements");
    }
  }

  void check_collision_surface(const BodyDesc& body, const std::string& place) {
    if (body.kind != BodyKind::deformable) {
      error(place,
            "only deformable bodies have a collision surface; stiff bodies and obstacles collide with their meshes");
    }
    if (!body.collision_surface->mesh.empty() && body.collision_surface->segments > 0) {
      error(place, "`mesh` and `segments` exclude each other; remove one of them");
    }
    const CollisionSurfaceDesc& surface = *body.collision_surface;
    check_input_surface(body, surface, place);
    if (surface.tolerance != CollisionSurfaceDesc().tolerance && (surface.segments > 0 || !surface.mesh.empty())) {
      warning(place + ".tolerance",
              fmt::format("the tolerance has no effect, because `{}` already determines the surface",
                          surface.segments > 0 ? "segments" : "mesh"),
              fmt::format("{:g}", surface.tolerance));
    }
    check_weights(body, place + ".weights");
  }

  void check_input_surface(const BodyDesc& body, const CollisionSurfaceDesc& surface, const std::string& place) {
    if (!surface.input) return;
    if (!surface.mesh.empty() || surface.segments > 0) {
      error(place, fmt::format("`input` and `{}` exclude each other; remove one of them",
                               surface.segments > 0 ? "segments" : "mesh"));
    }
    if (!body.volume_mesh) {
      error(place,
            "`input` means the surface that `volume_mesh` fills, and the body has none; add `\"volume_mesh\": "
            "{}`, or give the file of the surface as `mesh`",
            "input");
    }
  }

  void check_weights(const BodyDesc& body, const std::string& place) {
    const std::string& weights = body.collision_surface->weights;
    if (weights.empty()) return;
    const auto refuse = [&](bool is_refused, const std::string& message) {
      if (is_refused) error(place, message, '"' + weights + '"');
    };
    refuse(body.collision_surface->mesh.empty(), "weights need a separate collision surface; give its file as `mesh`");
    refuse(body.refinements > 0,
           "weights refer to the nodes of the mesh file, and `refinements` add nodes; remove one of the two");
    refuse(body.volume_mesh.has_value(),
           "weights refer to the nodes of the mesh file, and `volume_mesh` makes other nodes; remove one of the two");
  }

  void check_source(const BodyDesc& body, const std::string& place) {
    std::vector<std::string_view> given;
    if (!body.mesh.empty()) given.emplace_back("mesh");
    if (body.generator) given.emplace_back("generator");
    if (body.geometry) given.emplace_back("geometry");
    if (given.empty()) error(place, "the body has no shape; give it a `mesh` (a path), a `generator` or a `geometry`");
    if (given.size() > 1) error(place, fmt::format("the body has {}; give only one of them", quoted_list(given)));
    check_mesh_file(body, place);
  }

  void check_mesh_file(const BodyDesc& body, const std::string& place) {
    if (is_plane() && body.up == UpAxis::z)
      error(place + ".up", "must be \"y\" in 2D, where z points at the reader", "\"z\"");
    if (!body.mesh.empty()) return;
    const auto refuse = [&](bool is_given, const char* key) {
      if (is_given)
        error(place + "." + key,
              "only a body with a `mesh` file has this key; other shapes are in the unit of the scene, with y up");
    };
    refuse(body.units.has_value(), "units");
    refuse(body.up != UpAxis::y, "up");
    refuse(body.volume_mesh.has_value(), "volume_mesh");
  }

  void check_material(const BodyDesc& body, const std::string& place) {
    check_plane_stress(body, body.material, place);
    if (body.kind != BodyKind::deformable || body.material.plane_stress) return;
    if (body.order <= 1 && body.material.poisson_ratio > 0.495 && body.material.poisson_ratio < 0.5) {
      warning(place + ".poisson_ratio", "Poisson's ratio is so close to 0.5 that linear elements lock",
              fmt::format("{}", body.material.poisson_ratio));
    }
  }

  void check_plane_stress(const BodyDesc& body, const MaterialDesc& material, const std::string& place) {
    if (!material.plane_stress) return;
    const std::string at = place + ".plane_stress";
    if (!is_plane()) {
      error(at, "only 2D scenes have plane stress; in 3D use a shell (`\"kind\": \"shell\"`) for a thin plate", "true");
    } else if (body.kind != BodyKind::deformable) {
      error(at, fmt::format("a body of kind {} has no stress", enum_name(body.kind)), "true");
    } else if (material.yield_stress || !material.hardening.empty()) {
      error(at, "a material that yields has no plane stress; remove one of the two", "true");
    } else if (material.poisson_ratio < 0.0) {
      error(place + ".poisson_ratio", "expected at least 0 in plane stress", fmt::format("{}", material.poisson_ratio));
    }
  }

  void check_plane_stress_of_part(const BodyDesc& body, const MaterialDesc& material, const std::string& place) {
    if (!body.material.plane_stress) {
      if (material.plane_stress) {
        error(place + ".plane_stress", "the `material` of the body decides this for all of its parts; give it there",
              "true");
      }
    } else if (is_plane() && body.kind == BodyKind::deformable) {
      MaterialDesc checked = material;
      checked.plane_stress = true;
      check_plane_stress(body, checked, place);
    }
  }

  void check_material_parts(const BodyDesc& body, const std::string& place) {
    if (!body.material_parts.empty() && body.kind != BodyKind::deformable) {
      error(place, "only a deformable body can be made of several materials");
    }
    for (std::size_t i = 0; i < body.material_parts.size(); ++i) {
      const MaterialPartDesc& part = body.material_parts[i];
      const std::string of_part = element_path(place, i);
      if (part.region) check_region(*part.region, of_part + ".region");
      check_plane_stress_of_part(body, part.material, of_part + ".material");
      if (part.elements.empty() == part.region.has_value()) continue;
      error(of_part, "a material part needs either `elements` or a `region`");
    }
  }

  void check_transform(const BodyDesc& body, const std::string& place) {
    const TransformDesc& transform = body.transform;
    const int dim = is_plane() ? 2 : 3;
    if ((transform.scale.head(dim).array() == 0.0).any()) {
      error(place + ".scale", "no entry of the scale may be 0", text(transform.scale));
    }
    check_rotation_in_plane(place + ".rotation", transform.rotation);
    check_in_plane(place + ".translation", transform.translation);
  }

  void check_array(const ArrayDesc& array, double copies, const std::string& place) {
    if (copies > 1e6)
      error(place + ".counts", "an array can have at most a million copies", fmt::format("{:g}", copies));
    if (is_plane() && array.counts[2] != 1)
      error(place + ".counts", "the third count must be 1 in 2D", fmt::format("{}", array.counts[2]));
    for (int d = 0; d < 3; ++d) {
      const std::size_t axis = d;
      if (array.counts[axis] > 1 && array.spacing[d] == 0.0) {
        error(element_path(place + ".spacing", axis),
              "the copies would lie on top of each other; expected a spacing other than 0", "0");
      }
    }
  }
};

std::string base_name(const BodyDesc& body, std::size_t index) {
  const std::string stem = std::filesystem::path(body.mesh).stem().string();
  if (!stem.empty()) return stem;
  if (body.generator) return std::string(enum_name(body.generator->kind));
  return fmt::format("body {}", index);
}

}  // namespace

Issues validate(const SceneDesc& scene) {
  Issues issues;
  check_ranges(scene, issues);
  Checker(scene, issues).run();
  check_stiff_bodies(scene, issues);
  check_scripts(scene, issues);
  check_joints(scene, issues);
  check_attachments(scene, issues);
  check_springs(scene, issues);
  warn_of_joint_conflicts(scene, issues);
  check_output(scene, issues);
  check_remesh(scene, issues);
  check_thin_bodies(scene, issues);
  check_plasticity(scene, issues);
  check_material_fields(scene, issues);
  check_axisymmetry(scene, issues);
  return issues;
}

void name_bodies(SceneDesc& scene) {
  std::set<std::string> taken;
  for (const BodyDesc& body : scene.bodies) taken.insert(body.name);
  std::map<std::string, int> next_number;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    std::string& name = scene.bodies[i].name;
    if (!name.empty()) continue;
    const std::string base = base_name(scene.bodies[i], i);
    int& number = next_number.try_emplace(base, 2).first->second;
    name = base;
    while (!taken.insert(name).second) name = fmt::format("{} {}", base, number++);
  }
}

int num_steps(const TimeDesc& time) {
  const double quotient = time.duration / time.step;
  if (!(quotient > 0.0)) return 0;
  // 6 / 0.025 is 240.00000000000003 in some roundings: a few units in the last place are no extra step.
  const double nearest = std::round(quotient);
  const double steps = std::abs(quotient - nearest) <= 1e-9 * nearest ? nearest : std::ceil(quotient);
  return steps < std::numeric_limits<int>::max() ? static_cast<int>(steps) : std::numeric_limits<int>::max();
}

}  // namespace clearance
