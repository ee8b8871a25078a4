#include "clearance/scene/validate_scripts.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "clearance/scene/body_names.h"
#include "clearance/scene/expression.h"
#include "clearance/scene/json.h"
#include "clearance/scene/nearest_name.h"
#include "clearance/scene/scene_check.h"

namespace clearance {
namespace {

class ScriptCheck : SceneCheck {
 public:
  using SceneCheck::SceneCheck;

  void run() {
    check_controls();
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      const BodyDesc& body = scene_.bodies[i];
      const std::string place = element_path("bodies", i);
      for (std::size_t m = 0; m < body.motions.size(); ++m) {
        check_motion(body, body.motions[m], element_path(place + ".motions", m));
      }
      if (body.kind == BodyKind::obstacle && !body.loads.empty()) {
        error(place + ".loads", "an obstacle feels no force; loads are for all other bodies");
      }
      for (std::size_t l = 0; l < body.loads.size(); ++l) {
        check_load(body.loads[l], element_path(place + ".loads", l));
      }
      check_velocity(body, place);
      check_static(place + ".static_friction", body.static_friction,
                   body.friction.value_or(scene_.friction.coefficient));
    }
    for (std::size_t i = 0; i < scene_.half_spaces.size(); ++i) {
      check_friction(scene_.half_spaces[i], element_path("half_spaces", i));
    }
    check_static("friction.static_coefficient", scene_.friction.static_coefficient, scene_.friction.coefficient);
    check_pairs(scene_.friction.pairs, "friction.pairs", true);
    for (std::size_t i = 0; i < scene_.friction.pairs.size(); ++i) {
      const FrictionPairDesc& pair = scene_.friction.pairs[i];
      check_static(element_path("friction.pairs", i) + ".static_coefficient", pair.static_coefficient,
                   pair.coefficient);
    }
    warn_of_idle_friction();
    check_pairs(scene_.contact.restitution_pairs, "contact.restitution_pairs", false);
    check_pairs(scene_.contact.ignored_pairs, "contact.ignored_pairs", true);
    check_restitution();
  }

 private:
  /// Warns if only one body has friction. Two bodies rub with the geometric mean of their coefficients, so that this
  /// body has no friction with any other.
  void warn_of_idle_friction() {
    if (scene_.friction.coefficient > 0.0 || !scene_.half_spaces.empty() || !scene_.friction.pairs.empty()) return;
    std::size_t count = 0, last = 0;
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      if (scene_.bodies[i].friction.value_or(0.0) == 0.0) continue;
      ++count;
      last = i;
    }
    if (count != 1 || scene_.bodies.size() < 2) return;
    const BodyDesc& only = scene_.bodies[last];
    const bool meets_its_like = num_copies(only) > 1.0 || only.split_components || has_nodes(only.kind);
    if (meets_its_like) return;
    warning(element_path("bodies", last) + ".friction",
            "this friction has no effect: two bodies rub with the geometric mean of their coefficients, and the "
            "coefficient of all other bodies is 0; see `friction.coefficient`",
            fmt::format("{}", *only.friction));
  }

  void check_velocity(const BodyDesc& body, const std::string& place) {
    if (!body.velocity) return;
    if (!has_nodes(body.kind)) {
      error(place + ".velocity", "only deformable and thin bodies can have formulas for their velocity");
    }
    check_formulas(*body.velocity, place + ".velocity");
  }

  void check_components(const BodyDesc& body, const MotionDesc& motion, const std::string& place) {
    if (motion.components == MotionDesc{}.components) return;
    const auto last = motion.components.begin() + (is_plane() ? 2 : 3);
    if (!has_nodes(body.kind)) {
      error(place + ".components",
            "only deformable and thin bodies can have nodes with some components prescribed and others free");
    } else if (std::find(motion.components.begin(), last, true) == last) {
      error(place + ".components", "the motion prescribes no component; remove the motion");
    }
  }

  void check_motion(const BodyDesc& body, const MotionDesc& motion, const std::string& place) {
    check_window(motion.start, motion.end, place);
    check_components(body, motion, place);
    check_in_plane(place + ".linear_velocity", motion.linear_velocity);
    check_rotation_in_plane(place + ".angular_velocity", motion.angular_velocity);
    check_region(motion.region, place + ".region");
    if (is_plane() && motion.release && motion.release->axis == 2) {
      error(place + ".release.axis", "there is no third axis in 2D", "2");
    }
    if (motion.displacement) check_formulas(*motion.displacement, place + ".displacement");
    if (motion.is_absolute()) check_alone(motion, place);
    check_sequence_values(motion, place);
    for (std::size_t p = 0; p < motion.poses.size(); ++p) {
      const std::string pose = element_path(place + ".poses", p);
      check_in_plane(pose + ".position", motion.poses[p].position);
      check_rotation_in_plane(pose + ".rotation", motion.poses[p].rotation);
    }
  }

  // Checks that a motion which gives the positions of the vertices has no velocities or formulas.
  void check_alone(const MotionDesc& motion, const std::string& place) {
    const bool has_sequence = motion.has_mesh_sequence();
    std::string others;
    const auto add = [&](bool is_given, const char* key) {
      if (is_given) others += (others.empty() ? "`" : ", `") + std::string(key) + "`";
    };
    add(!motion.linear_velocity.isZero(0.0), "linear_velocity");
    add(!motion.angular_velocity.isZero(0.0), "angular_velocity");
    add(has_sequence && motion.center.has_value(), "center");
    add(motion.displacement.has_value(), "displacement");
    add(has_sequence && !motion.poses.empty(), "poses");
    add(!motion.mesh_sequence.empty() && !motion.mesh_files.empty(), "mesh_files");
    if (others.empty()) return;
    const char* key = !motion.mesh_sequence.empty() ? ".mesh_sequence" : has_sequence ? ".mesh_files" : ".poses";
    error(place + key, "this key determines the positions of the vertices; it cannot be combined with " + others,
          motion.mesh_sequence);
  }

  /// Values that say how a sequence of meshes is read need one.
  void check_sequence_values(const MotionDesc& motion, const std::string& place) {
    const auto refuse = [&](bool is_given, const std::string& key, const char* of) {
      if (is_given) error(place + key, std::string("this key has no effect without ") + of);
    };
    const char* any = "`mesh_sequence` or `mesh_files`";
    refuse(!motion.has_mesh_sequence() && motion.mesh_rate != 0.0, ".mesh_rate", any);
    refuse(!motion.has_mesh_sequence() && !motion.mesh_is_placed, ".mesh_is_placed", any);
    refuse(motion.mesh_sequence.empty() && motion.mesh_sequence_first != MotionDesc{}.mesh_sequence_first,
           ".mesh_sequence_first", "`mesh_sequence`");
  }

  void check_load(const LoadDesc& load, const std::string& place) {
    check_window(load.start, load.end, place);
    check_region(load.region, place + ".region");
    check_pressure(load, place);
    const bool is_torque = load.kind == LoadKind::torque;
    if (is_torque) {
      check_rotation_in_plane(place + ".value", load.value, "[0, 0, torque]");
    } else {
      check_in_plane(place + ".value", load.value);
    }
    if (!load.expression) return;
    check_formulas(*load.expression, place + ".expression", is_torque);
    if (!load.value.isZero(0.0)) {
      error(place, "`value` and `expression` exclude each other; remove one of them", text(load.value));
    }
  }

  void check_pressure(const LoadDesc& load, const std::string& place) {
    const bool is_pressure = load.kind == LoadKind::pressure;
    if (!is_pressure && !load.pressure.empty()) {
      error(place + ".pressure", "only a load of kind `pressure` has this key", '"' + load.pressure + '"');
    }
    if (!is_pressure) return;
    if (load.pressure.empty()) {
      return error(place,
                   "a load of kind `pressure` needs the key `pressure`, a number or a formula in t; it acts along the "
                   "surface's normal");
    }
    if (!load.value.isZero(0.0) || load.expression) {
      error(place, "a pressure acts along the surface's normal; give `pressure`, and neither `value` nor `expression`");
    }
    const Issues found = check_time_formula(load.pressure, place + ".pressure", controls_of(scene_));
    issues_.insert(issues_.end(), found.begin(), found.end());
  }

  void check_controls() {
    std::set<std::string> names;
    for (std::size_t i = 0; i < scene_.controls.size(); ++i) {
      const std::string &name = scene_.controls[i].name, place = element_path("controls", i) + ".name";
      const std::string problem = problem_of_control_name(name);
      if (!problem.empty()) {
        error(place, problem, '"' + name + '"');
      } else if (!names.insert(name).second) {
        error(place, "another control has this name", '"' + name + '"');
      } else if (!is_used(name)) {
        warning(
            place,
            "the control has no effect, because no drive, effort, rest, length, tension, load or displacement uses it",
            '"' + name + '"');
      }
    }
  }

  bool is_used(const std::string& control) const {
    const auto has = [&](const std::string& formula) { return has_word(formula, control); };
    const auto have = [&](const Expressions& formulas) { return std::any_of(formulas.begin(), formulas.end(), has); };
    for (const JointDesc& joint : scene_.joints) {
      if (has(joint.drive) || has(joint.effort) || has(joint.rest)) return true;
    }
    for (const AttachmentDesc& attachment : scene_.attachments) {
      if (has(attachment.length) || (attachment.displacement && have(*attachment.displacement))) return true;
    }
    for (const SpringDesc& spring : scene_.springs) {
      if (has(spring.length) || has(spring.tension)) return true;
    }
    return std::any_of(scene_.bodies.begin(), scene_.bodies.end(), [&](const BodyDesc& body) {
      return std::any_of(body.loads.begin(), body.loads.end(),
                         [&](const LoadDesc& load) {
                           return has(load.pressure) || (load.expression && have(*load.expression));
                         }) ||
             std::any_of(body.motions.begin(), body.motions.end(),
                         [&](const MotionDesc& motion) { return motion.displacement && have(*motion.displacement); });
    });
  }
  static bool has_word(const std::string& formula, const std::string& word) {
    const auto is_part = [&](std::size_t i) {
      return i < formula.size() && (std::isalnum(static_cast<unsigned char>(formula[i])) != 0 || formula[i] == '_');
    };
    for (std::size_t at = formula.find(word); at != std::string::npos; at = formula.find(word, at + 1)) {
      if ((at == 0 || !is_part(at - 1)) && !is_part(at + word.size())) return true;
    }
    return false;
  }

  void check_window(double start, double end, const std::string& place) {
    if (end > start) return;
    error(place + ".end", fmt::format("must be later than start ({})", start), fmt::format("{}", end));
  }

  static bool is_zero(const std::string& formula) {
    char* end = nullptr;
    return std::strtod(formula.c_str(), &end) == 0.0 && *end == '\0';
  }

  // Checks formulas. In 2D nothing moves along z, and bodies turn about z only.
  void check_formulas(const Expressions& formulas, const std::string& place, bool is_about_axes = false) {
    const Issues found = check_expressions(formulas, place, controls_of(scene_));
    issues_.insert(issues_.end(), found.begin(), found.end());
    if (!is_plane()) return;
    if (!is_about_axes) {
      if (!is_zero(formulas[2])) error(place + "[2]", "the third formula must be 0 in 2D", formulas[2]);
    } else if (!is_zero(formulas[0]) || !is_zero(formulas[1])) {
      error(place, "only a torque about z is possible in 2D: the first two formulas must be 0");
    }
  }

  void check_static(const std::string& place, const std::optional<double>& sticking, double sliding) {
    if (!sticking || *sticking >= sliding) return;
    error(place, fmt::format("must not be below the kinetic coefficient ({})", sliding), fmt::format("{}", *sticking));
  }

  void check_friction(const HalfSpaceDesc& half_space, const std::string& place) {
    if (half_space.friction) {
      check_static(place + ".static_friction", half_space.static_friction, *half_space.friction);
      warn_of_overridden(*half_space.friction, place + ".friction");
    } else if (half_space.static_friction) {
      error(place + ".static_friction", "a static coefficient needs a kinetic one; give `friction`, too",
            fmt::format("{}", *half_space.static_friction));
    }
  }

  /// Warns of a body's own coefficient that a half-space overrides; the user may have meant it to count on the floor.
  void warn_of_overridden(double friction, const std::string& place) {
    const auto& bodies = scene_.bodies;
    const auto found = std::find_if(bodies.begin(), bodies.end(), [&](const BodyDesc& body) {
      return body.kind != BodyKind::obstacle && body.friction && *body.friction != friction;
    });
    if (found == bodies.end()) return;
    warning(place,
            fmt::format("this friction holds for all bodies on the half-space, even for '{}' with its own friction of "
                        "{:g}; without this key each body keeps its own coefficient there",
                        found->name, *found->friction),
            fmt::format("{:g}", friction));
  }

  void check_restitution() {
    const bool has_any =
        scene_.contact.restitution > 0.0 || !scene_.contact.restitution_pairs.empty() ||
        std::any_of(scene_.half_spaces.begin(), scene_.half_spaces.end(),
                    [](const HalfSpaceDesc& half_space) { return half_space.restitution.value_or(0.0) > 0.0; });
    if (!has_any) return;
    const TimeIntegrator integrator = scene_.time.integrator;
    if (integrator == TimeIntegrator::implicit_newmark || integrator == TimeIntegrator::quasi_static) {
      const char* reason = integrator == TimeIntegrator::quasi_static
                               ? "quasi_static has no velocities that could rebound"
                               : "implicit_newmark carries the acceleration of an impact into the next step, where it "
                                 "would act once more on the speed of the rebound";
      error("contact.restitution",
            fmt::format(
                "restitution needs another `time.integrator` (implicit_euler, bdf2_in_flight, bdf2_restarted or bdf2), "
                "because {}",
                reason));
    }
    const bool has_stiff = std::any_of(scene_.bodies.begin(), scene_.bodies.end(), [](const BodyDesc& body) {
      return body.kind == BodyKind::affine || body.kind == BodyKind::rigid;
    });
    if (!has_stiff) {
      warning("contact.restitution",
              "restitution has no effect: the scene has no affine or rigid body, and deformable bodies rebound by "
              "their elasticity alone");
    }
  }

  template <class Pair>
  void check_pairs(const std::vector<Pair>& pairs, const std::string& key, bool may_have_half_space) {
    std::vector<std::string_view> names;
    for (const BodyDesc& body : scene_.bodies) names.push_back(body.name);
    std::map<std::array<std::string, 2>, std::size_t> first_with_bodies;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Pair& pair = pairs[i];
      const std::string place = element_path(key, i);
      bool has_half_space = false;
      for (std::size_t b = 0; b < 2; ++b) {
        const std::string of_name = element_path(place + ".bodies", b);
        if (!may_have_half_space || !find_half_space(scene_, pair.bodies[b])) {
          check_name(pair.bodies[b], names, of_name, may_have_half_space);
        } else if (std::exchange(has_half_space, true)) {
          error(of_name, "two half-spaces never meet; one of the two names must be the name of a body",
                '"' + pair.bodies[b] + '"');
        }
      }
      std::array<std::string, 2> bodies = pair.bodies;
      std::sort(bodies.begin(), bodies.end());
      const auto [known, is_new] = first_with_bodies.try_emplace(bodies, i);
      if (!is_new) error(place, fmt::format("{}[{}] has the same bodies", key, known->second));
    }
  }

  void check_name(const std::string& name, const std::vector<std::string_view>& names, const std::string& place,
                  bool may_have_half_space) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    const std::string_view nearest = nearest_name(name, names);
    const std::string hint = nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest);
    const char* planes = scene_.half_spaces.empty() ? ""
                         : may_have_half_space      ? "; half-spaces have numbers: `half_spaces[0]`"
                                                    : "; half-spaces have no names: see `half_spaces[0].restitution`";
    error(place, "no body has this name" + hint + planes, '"' + name + '"');
  }
};

}  // namespace

void check_scripts(const SceneDesc& scene, Issues& issues) {
  ScriptCheck(scene, issues).run();
}

}  // namespace clearance
