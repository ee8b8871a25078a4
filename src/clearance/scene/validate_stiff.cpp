#include "clearance/scene/validate_stiff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "clearance/scene/body_inertia.h"
#include "clearance/scene/body_names.h"
#include "clearance/scene/body_shapes.h"
#include "clearance/scene/default_units.h"
#include "clearance/scene/enums.h"
#include "clearance/scene/expression.h"
#include "clearance/scene/json.h"
#include "clearance/scene/scene_check.h"

namespace clearance {
namespace {

class StiffCheck : SceneCheck {
 public:
  using SceneCheck::SceneCheck;

  void run() {
    check_groups();
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      const BodyDesc& body = scene_.bodies[i];
      const std::string place = element_path("bodies", i);
      if (body.geometry) check_geometry(*body.geometry, body.kind, place + ".geometry");
      check_kind(body, place);
      check_round(body, place);
      check_fixed(body, place);
      for (std::size_t p = 0; p < body.stiff_parts.size(); ++p) {
        check_region(body.stiff_parts[p].region, element_path(place + ".stiff_parts", p) + ".region");
      }
      for (std::size_t m = 0; m < body.motions.size(); ++m) {
        check_motion(body, body.motions[m], element_path(place + ".motions", m));
        check_fixed_motion(body, body.motions[m], element_path(place + ".motions", m));
      }
      for (std::size_t l = 0; l < body.loads.size(); ++l) {
        check_load(body, body.loads[l], element_path(place + ".loads", l));
      }
    }
  }

 private:
  /// Checks collision groups of obstacles. A body in the group of an obstacle passes through all obstacles, so two such
  /// groups would have to be one.
  void check_groups() {
    int group = -1;
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      const BodyDesc& body = scene_.bodies[i];
      if (body.kind != BodyKind::obstacle || body.collision_group < 0) continue;
      if (group >= 0 && body.collision_group != group) {
        error(element_path("bodies", i) + ".collision_group",
              "all obstacles must have the same group, because bodies in the group of an obstacle pass through all "
              "obstacles",
              std::to_string(body.collision_group));
      }
      group = body.collision_group;
    }
  }

  void check_geometry(const GeometryDesc& geometry, BodyKind kind, const std::string& place) {
    if (geometry.vertices.empty()) error(place + ".vertices", "the geometry needs at least one vertex");
    for (std::size_t i = 0; i < geometry.vertices.size(); ++i) {
      check_in_plane(element_path(place + ".vertices", i), geometry.vertices[i]);
    }
    check_indices(geometry.edges, geometry.vertices.size(), place + ".edges");
    check_indices(geometry.triangles, geometry.vertices.size(), place + ".triangles");
    check_indices(geometry.tets, geometry.vertices.size(), place + ".tets");
    if (is_plane() && !geometry.tets.empty()) error(place + ".tets", "a 2D scene has no tetrahedra");
    const bool has_elements = is_plane() ? !geometry.triangles.empty() : !geometry.tets.empty();
    if (kind == BodyKind::deformable && !has_elements) {
      error(place, is_plane() ? "a deformable body needs triangles" : "a deformable body needs `tets`");
    }
    if (kind == BodyKind::shell && geometry.triangles.empty() && geometry.tets.empty()) {
      error(place, "a shell needs `triangles`");
    }
    if (kind == BodyKind::rod && geometry.edges.empty()) error(place, "a rod needs `edges`");
  }

  // Reports only the first problem of a list, because a list that counts from 1 has hundreds.
  template <std::size_t size>
  void check_indices(const std::vector<std::array<int, size>>& list, std::size_t num_vertices,
                     const std::string& place) {
    const auto is_vertex = [&](int index) { return index >= 0 && std::cmp_less(index, num_vertices); };
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::array<int, size> corners = list[i];
      for (std::size_t k = 0; k < size; ++k) {
        if (is_vertex(corners[k])) continue;
        error(element_path(element_path(place, i), k),
              fmt::format("this vertex does not exist; the number of vertices is {}", num_vertices),
              fmt::format("{}", corners[k]));
        return;
      }
      std::sort(corners.begin(), corners.end());
      if (std::adjacent_find(corners.begin(), corners.end()) == corners.end()) continue;
      error(element_path(place, i), "this element has the same vertex twice");
      return;
    }
  }

  /// Checks a body that collides as spheres and capsules.
  void check_round(const BodyDesc& body, const std::string& place) {
    const bool is_exact = body.generator && body.generator->is_exact.value_or(false);
    if (!is_exact && body.capsules.empty()) return;
    const std::string of = place + (is_exact ? ".generator.exact" : ".capsules");
    if (is_exact && !body.capsules.empty()) {
      error(place + ".capsules", "a body with `generator.exact` is a round shape already; give one of the two");
    }
    if (!is_stiff(body.kind)) {
      error(of, "only a body of kind rigid or affine collides as a round shape", std::string(enum_name(body.kind)));
    }
    if (is_plane()) error(of, "a 2D scene has no spheres and capsules; a disk collides by its sides");
    if (body.split_components) error(of, "a body that is split into components cannot collide as a round shape");
    if (!is_plain(scene_.contact.options)) {
      error("contact.formulation",
            fmt::format("spheres and capsules ({}) need the formulation ipc without options; others know facets alone",
                        of),
            std::string(enum_name(formulation_of(scene_.contact.options))));
    }
    if (!keeps_round(body.transform)) {
      const Vec<3>& scale = body.transform.scale;
      error(place + ".transform.scale", "a round shape needs the same scale along x, y and z",
            fmt::format("[{}, {}, {}]", scale[0], scale[1], scale[2]));
    }
    for (std::size_t c = 0; c < body.capsules.size(); ++c) {
      const std::vector<Vec<3>>& ends = body.capsules[c].ends;
      const std::string at = element_path(place + ".capsules", c) + ".ends";
      if (ends.empty() || ends.size() > 2) {
        error(at, "expected one point (a sphere) or two (a capsule)", fmt::format("{} points", ends.size()));
      } else if (ends.size() == 2 && ends[0] == ends[1]) {
        error(at, "the ends of a capsule are the same point; give one point for a sphere");
      }
    }
  }

  void check_kind(const BodyDesc& body, const std::string& place) {
    if (body.kind != BodyKind::deformable && !body.stiff_parts.empty()) {
      error(place + ".stiff_parts", "only a deformable body has stiff parts");
    }
    if (has_nodes(body.kind) && body.split_components) {
      error(place + ".split_components",
            "only stiff bodies and obstacles can be split into components; parts of other bodies may lie apart",
            "true");
    }
    if (has_nodes(body.kind) && !body.collides) {
      error(place + ".collides",
            "deformable and thin bodies always collide; `contact.ignored_pairs` lets them pass through other bodies",
            "false");
    }
    warn_of_unused(body, place + ".material");
    if (is_stiff(body.kind)) {
      check_inertia(body, place);
      return;
    }
    const auto refuse = [&](bool is_given, const char* key) {
      if (is_given) error(place + "." + key, "only a stiff body (affine or rigid) has this key");
    };
    const std::array<bool, 3> none = {false, false, false};
    refuse(body.mass.has_value(), "mass");
    refuse(body.center_of_mass.has_value(), "center_of_mass");
    refuse(body.inertia.has_value(), "inertia");
    if (body.thickness && !is_thin(body.kind)) {
      error(place + ".thickness", "only stiff and thin bodies have a thickness");
    }
    refuse(body.fixed_translation != none, "fixed_translation");
    refuse(body.fixed_rotation != none, "fixed_rotation");
  }

  void check_inertia(const BodyDesc& body, const std::string& place) {
    if (body.center_of_mass) check_in_plane(place + ".center_of_mass", *body.center_of_mass);
    if (body.split_components && (body.center_of_mass || body.inertia)) {
      error(place, "`split_components` makes several bodies, which cannot share one centre of mass and one inertia");
    }
    if (!body.inertia) return;
    if (is_plane()) {
      error(place + ".inertia", "only a 3D body has this key; in 2D the inertia follows from shape and mass");
    } else if (!is_inertia_of_a_body(*body.inertia)) {
      error(place + ".inertia",
            "no body can have this inertia: a principal moment is negative or larger than the sum of the other two "
            "(the moments are integrals of y^2 + z^2, x^2 + z^2 and x^2 + y^2)",
            fmt::format("moments {}, products {}", text(body.inertia->moments), text(body.inertia->products)));
    }
  }

  /// Warns of fields without effect. A field counts as given if it differs from its default.
  void warn_of_unused(const BodyDesc& body, const std::string& place) {
    const MaterialDesc &given = body.material, defaults = defaults_of<MaterialDesc>(scene_);
    const auto warn = [&](bool is_given, const char* key, const char* instead) {
      if (!is_given) return;
      warning(place + "." + key,
              fmt::format("this key has no effect on a body of kind {}{}", enum_name(body.kind), instead));
    };
    if (is_stiff(body.kind)) {
      const bool is_rigid = body.kind == BodyKind::rigid;
      const char* instead = is_rigid ? ", which keeps its shape" : "; see `stiffness`";
      warn(given.model != defaults.model, "model", instead);
      warn(given.youngs_modulus != defaults.youngs_modulus, "youngs_modulus", instead);
      warn(given.poisson_ratio != defaults.poisson_ratio, "poisson_ratio", instead);
      warn(given.damping != defaults.damping, "damping", "");
      warn(is_rigid && given.stiffness.has_value(), "stiffness", instead);
    } else if (has_nodes(body.kind)) {
      warn(given.stiffness.has_value(), "stiffness", "; see `youngs_modulus`");
    }
    if (body.kind == BodyKind::particles) {
      warn(given.model != defaults.model, "model", "");
      warn(given.youngs_modulus != defaults.youngs_modulus, "youngs_modulus", "");
      warn(given.poisson_ratio != defaults.poisson_ratio, "poisson_ratio", "");
      warn(given.damping != defaults.damping, "damping", "");
    }
  }

  void check_fixed(const BodyDesc& body, const std::string& place) {
    if (!is_plane()) return;
    if (body.fixed_translation[2]) error(place + ".fixed_translation[2]", "there is no third axis in 2D", "true");
    if (body.fixed_rotation[0] || body.fixed_rotation[1]) {
      error(place + ".fixed_rotation", "in 2D bodies turn about z alone; expected true or [false, false, true]");
    }
  }

  static bool is_whole_body(const RegionDesc& region) {
    return !region.box && !region.surface_only && region.nodes.empty() && region.tags.empty();
  }

  void check_motion(const BodyDesc& body, const MotionDesc& motion, const std::string& place) {
    if (!motion.poses.empty() && num_copies(body) > 1.0) {
      error(place + ".poses", "the poses would move all copies of the array to the same place");
    }
    if (!is_stiff(body.kind)) return;
    if (!is_whole_body(motion.region)) error(place + ".region", "a stiff body moves as a whole; remove the region");
    if (motion.has_mesh_sequence()) {
      error(place + (motion.mesh_files.empty() ? ".mesh_sequence" : ".mesh_files"),
            "the vertices of a stiff body cannot move one by one; use poses", motion.mesh_sequence);
    }
    if (!motion.displacement || has_errors(check_expressions(*motion.displacement, "", controls_of(scene_)))) return;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string& formula = (*motion.displacement)[i];
      if (check_time_formula(formula, "", controls_of(scene_)).empty()) continue;
      error(element_path(place + ".displacement", i),
            "a stiff body moves as a whole, so that its formulas may only use t", formula);
    }
  }

  /// Checks that a motion does not move the body along or about an axis in which it is fixed.
  void check_fixed_motion(const BodyDesc& body, const MotionDesc& motion, const std::string& place) {
    if (!is_stiff(body.kind) || motion.start >= scene_.time.duration) return;
    constexpr const char* axes = "xyz";
    const auto refuse = [&](const std::string& key, std::size_t axis, const char* moves, const char* fixed,
                            const std::string& value) {
      error(place + key,
            fmt::format("the motion {} {}, which `{}` of the body forbids; remove one of the two", moves, axes[axis],
                        fixed),
            value);
    };
    for (std::size_t i = 0; i < 3; ++i) {
      const auto c = static_cast<Eigen::Index>(i);
      const auto moves = [&](const std::string& key, const std::string& value) {
        if (body.fixed_translation[i]) refuse(key, i, "moves the body along", "fixed_translation", value);
      };
      const auto turns = [&](const std::string& key, const std::string& value) {
        if (body.fixed_rotation[i]) refuse(key, i, "turns the body about", "fixed_rotation", value);
      };
      if (motion.linear_velocity[c] != 0.0) moves(".linear_velocity", text(motion.linear_velocity));
      if (motion.angular_velocity[c] != 0.0) turns(".angular_velocity", text(motion.angular_velocity));
      if (displaces(motion, i)) moves(element_path(".displacement", i), (*motion.displacement)[i]);
      if (const auto pose = find_turned_pose(motion, c)) {
        turns(element_path(".poses", *pose) + ".rotation", text(motion.poses[*pose].rotation));
      }
      if (const auto pose = find_moved_pose(motion, c)) {
        moves(element_path(".poses", *pose) + ".position", text(motion.poses[*pose].position));
      }
    }
  }

  /// True if a formula has another value than 0 at one of 65 times of the motion.
  bool displaces(const MotionDesc& motion, std::size_t axis) const {
    if (!motion.displacement) return false;
    constexpr int num_times = 64;
    constexpr double rounding = 1e-12;  // [m]
    const std::string& formula = (*motion.displacement)[axis];
    const double end = std::min(motion.end, scene_.time.duration);
    for (int k = 0; k <= num_times; ++k) {
      const double t = motion.start + (end - motion.start) * k / num_times;
      const Result<double> way = evaluate_time_formula(formula, "", t, controls_of(scene_));
      if (!way) return false;  // reported with the formulas
      if (std::abs(*way) > rounding) return true;
    }
    return false;
  }

  static std::optional<std::size_t> find_turned_pose(const MotionDesc& motion, Eigen::Index axis) {
    for (std::size_t p = 0; p < motion.poses.size(); ++p) {
      if (motion.poses[p].rotation[axis] != 0.0) return p;
    }
    return std::nullopt;
  }

  /// Returns the first pose in another place than the pose before, with the same rotation: around another centre, a
  /// rotation also moves the centre of mass, which is not known here.
  static std::optional<std::size_t> find_moved_pose(const MotionDesc& motion, Eigen::Index axis) {
    for (std::size_t p = 1; p < motion.poses.size(); ++p) {
      const PoseDesc &before = motion.poses[p - 1], &pose = motion.poses[p];
      if (pose.rotation == before.rotation && pose.position[axis] != before.position[axis]) return p;
    }
    return std::nullopt;
  }

  void check_load(const BodyDesc& body, const LoadDesc& load, const std::string& place) {
    const std::string kind(enum_name(load.kind));
    if (load.kind == LoadKind::torque && has_nodes(body.kind)) {
      error(place + ".kind", "only a stiff body (affine or rigid) can have a torque", kind);
    }
    if (!is_stiff(body.kind)) return;
    if (load.kind == LoadKind::traction || load.kind == LoadKind::pressure) {
      error(place + ".kind", "a load on a stiff body must be a force, a torque or an acceleration", kind);
    }
    if (!is_whole_body(load.region)) {
      error(place + ".region", "a load acts on a stiff body as a whole; remove the region");
    }
  }
};

}  // namespace

void check_stiff_bodies(const SceneDesc& scene, Issues& issues) {
  StiffCheck(scene, issues).run();
}

}  // namespace clearance
