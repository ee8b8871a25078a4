#include "clearance/scene/validate_thin.h"

#include <algorithm>
#include <cmath>

#include "clearance/scene/enums.h"
#include "clearance/scene/scene_check.h"

namespace clearance {
namespace {

class ThinCheck : SceneCheck {
 public:
  using SceneCheck::SceneCheck;

  void run() {
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      const BodyDesc& body = scene_.bodies[i];
      const std::string place = element_path("bodies", i);
      if (body.shell && body.kind != BodyKind::shell) {
        error(place + ".shell", "only a body of kind shell has this key", std::string(enum_name(body.kind)));
      }
      if (body.rod && body.kind != BodyKind::rod) {
        error(place + ".rod", "only a body of kind rod has this key", std::string(enum_name(body.kind)));
      }
      for (std::size_t m = 0; m < body.motions.size(); ++m) {
        if (body.motions[m].clamp) check_clamp(body, body.motions[m], element_path(place + ".motions", m));
      }
      if (!is_thin(body.kind)) continue;
      check_thin(body, place);
      if (body.kind == BodyKind::shell) check_shell(body, place);
      if (body.kind == BodyKind::rod) check_rod(body, place);
    }
    const bool has_thin = std::any_of(scene_.bodies.begin(), scene_.bodies.end(),
                                      [](const BodyDesc& body) { return is_thin(body.kind); });
    if (has_thin) check_scene();
  }

 private:
  /// Warns of what thin bodies have no part in.
  void check_scene() {
    for (std::size_t f = 0; f < scene_.output.fields.size(); ++f) {
      const OutputField field = scene_.output.fields[f];
      const bool is_of_solids = field == OutputField::plastic_strain || field == OutputField::stress;
      const bool is_of_shells = field == OutputField::von_mises || field == OutputField::principal_stress ||
                                field == OutputField::strain || field == OutputField::energy_density;
      const bool has_others = std::any_of(scene_.bodies.begin(), scene_.bodies.end(), [](const BodyDesc& body) {
        return is_thin(body.kind) && body.kind != BodyKind::shell;
      });
      if (!is_of_solids && !(is_of_shells && has_others)) continue;
      warning(element_path("output.fields", f),
              is_of_solids ? "shells, rods and particles do not have this field: it is 0 there, whatever they carry; "
                             "see `von_mises` and `resultants`"
                           : "rods and particles do not have this field: it is 0 there; see `resultants`",
              std::string(enum_name(field)));
    }
    if (scene_.start.overlaps == OverlapHandling::separate) {
      warning("start.overlaps", "shells, rods and particles that overlap by their thickness are not moved apart",
              "separate");
    }
  }

  void check_thin(const BodyDesc& body, const std::string& place) {
    const std::string kind(enum_name(body.kind));
    if (is_plane()) error(place + ".kind", "a 2D scene has no shells, rods and particles", kind);
    if (!body.thickness) {
      error(place + ".thickness", fmt::format("a body of kind {} needs a thickness [m]{}", kind,
                                              body.kind == BodyKind::shell ? "" : ", which is its diameter"));
    }
    if (!is_plain(scene_.contact.options)) {
      error("contact.formulation",
            fmt::format("bodies with a thickness ({}) need the formulation ipc without options", place),
            std::string(enum_name(formulation_of(scene_.contact.options))));
    }
    for (std::size_t l = 0; l < body.loads.size() && body.kind != BodyKind::shell; ++l) {
      const LoadKind load = body.loads[l].kind;
      if (load != LoadKind::pressure && load != LoadKind::traction) continue;
      error(element_path(place + ".loads", l) + ".kind",
            fmt::format("a body of kind {} has no faces; use a force or an acceleration", kind),
            std::string(enum_name(load)));
    }
    if (body.volume_mesh) error(place + ".volume_mesh", fmt::format("a body of kind {} has no inside", kind));
  }

  void check_shell(const BodyDesc& body, const std::string& place) {
    const MaterialDesc& material = body.material;
    if (material.model != ElasticModel::neo_hookean && material.model != ElasticModel::st_venant_kirchhoff) {
      error(place + ".material.model", "a shell stretches by \"neo_hookean\" or \"st_venant_kirchhoff\"",
            std::string(enum_name(material.model)));
    }
    if (material.damping > 0.0) {
      error(place + ".material.damping", "a shell has no stiffness-proportional damping",
            fmt::format("{:g}", material.damping));
    }
    if (!body.shell) return;
    const ShellDesc& shell = *body.shell;
    if (shell.bending == BendingModel::none && shell.bending_stiffness) {
      error(place + ".shell.bending_stiffness", "a shell whose `bending` is \"none\" has no stiffness of bending",
            fmt::format("{:g}", *shell.bending_stiffness));
    }
    if (shell.strain_limit && *shell.strain_limit > 1.0) {
      warning(place + ".shell.strain_limit", "the limit is a strain: 0.05 lets the sheet grow by 5 %",
              fmt::format("{:g}", *shell.strain_limit));
    }
    if (shell.yield_curvature && shell.bending == BendingModel::none) {
      error(place + ".shell.yield_curvature", "a shell whose `bending` is \"none\" has no stiffness of bending",
            fmt::format("{:g}", *shell.yield_curvature));
    }
    if (shell.pattern) check_pattern(body, *shell.pattern, place);
    if (shell.pattern && shell.is_flat_at_rest) {
      error(place + ".shell.flat_at_rest",
            "the pattern is the shape at rest, bent as it is; remove this key or `pattern`", "true");
    }
    if (!shell.orthotropy) return;
    const OrthotropyDesc& of = *shell.orthotropy;
    const std::string at = place + ".shell.orthotropy";
    if (of.warp.isZero(0.0)) error(at + ".warp", "must not be zero", text(of.warp));
    // Moduli out of range have their own message.
    if (std::min(of.youngs_modulus_warp, of.youngs_modulus_weft) > 0.0 &&
        !(of.poisson_ratio * of.poisson_ratio < of.youngs_modulus_warp / of.youngs_modulus_weft)) {
      error(at + ".poisson_ratio",
            fmt::format("expected a magnitude below {:.6g}, the root of the ratio of the moduli, warp over weft",
                        std::sqrt(of.youngs_modulus_warp / of.youngs_modulus_weft)),
            fmt::format("{:g}", of.poisson_ratio));
    }
  }

  void check_pattern(const BodyDesc& body, const PatternDesc& pattern, const std::string& place) {
    const std::string at = place + ".shell.pattern";
    if (pattern.mesh.empty() && body.mesh.empty()) {
      error(at + ".mesh", "a shell without a mesh file needs the file of its pattern");
    }
    if (pattern.mesh.empty() && !pattern.is_texture && !body.mesh.empty()) {
      error(at + ".mesh", "expected the file of the pattern, or `\"texture\": true` for that of the body");
    }
    const auto refuse = [&](bool is_refused, const char* key) {
      if (is_refused) {
        error(at, fmt::format("the triangles of a pattern are those of the file; remove `{}`", key));
      }
    };
    refuse(body.refinements > 0, "refinements");
    refuse(body.split_components, "split_components");
  }

  void check_rod(const BodyDesc& body, const std::string& place) {
    if (body.material.model != ElasticModel::neo_hookean) {
      error(place + ".material.model", "a rod stretches linearly and has no `model`; remove this key",
            std::string(enum_name(body.material.model)));
    }
    if (body.material.damping > 0.0) {
      error(place + ".material.damping", "a rod has no stiffness-proportional damping",
            fmt::format("{:g}", body.material.damping));
    }
    if (!body.rod) return;
    const RodDesc& rod = *body.rod;
    if (rod.section && body.thickness) check_section(*rod.section, *body.thickness, place);
    const bool has_sides = (rod.section && (*rod.section)[0] != (*rod.section)[1]) ||
                           (rod.bending_stiffness && (*rod.bending_stiffness)[0] != (*rod.bending_stiffness)[1]) ||
                           (rod.natural_curvature && (*rod.natural_curvature != std::array<double, 2>{}));
    if (has_sides && !rod.up) {
      warning(place + ".rod.up",
              "the rod bends in another way towards its two axes, and their directions are any across "
              "it; give `up`, the direction of the first");
    }
    if (rod.up && rod.up->isZero(0.0)) error(place + ".rod.up", "must not be zero", text(*rod.up));
    if (rod.is_straight_at_rest && rod.natural_curvature) {
      error(place + ".rod.natural_curvature", "`straight_at_rest` and `natural_curvature` exclude each other");
    }
  }

  /// Warns of a section that does not fit the diameter with which the rod touches.
  void check_section(const std::array<double, 2>& section, double thickness, const std::string& place) {
    constexpr double largest_ratio = 100.0;
    const double longest = std::max(section[0], section[1]);
    if (longest <= largest_ratio * thickness && thickness <= largest_ratio * longest) return;
    warning(place + ".rod.section",
            fmt::format("the longer side is {:.3g} m, and the diameter with which the rod touches, its `thickness`, "
                        "{:.3g} m: is one of them in another unit?",
                        longest, thickness),
            fmt::format("[{:g}, {:g}]", section[0], section[1]));
  }

  void check_clamp(const BodyDesc& body, const MotionDesc& motion, const std::string& place) {
    const auto refuse = [&](bool is_refused, const char* message) {
      if (is_refused) error(place + ".clamp", message, "true");
    };
    const bool has_slopes =
        body.kind == BodyKind::shell && (!body.shell || body.shell->bending == BendingModel::slopes);
    refuse(!has_slopes && body.kind != BodyKind::rod,
           "only a rod, and a shell whose `bending` is \"slopes\", can be clamped at its edges");
    refuse(motion.release.has_value(), "a clamp holds from `start` to `end`; remove `release`");
    refuse(motion.has_mesh_sequence(), "files of a sequence do not tell how the edges turn");
    refuse(motion.start > 0.0, "edges are held as they are at the scene's start; the motion must start at 0");
  }
};

}  // namespace

void check_thin_bodies(const SceneDesc& scene, Issues& issues) {
  ThinCheck(scene, issues).run();
}

}  // namespace clearance
