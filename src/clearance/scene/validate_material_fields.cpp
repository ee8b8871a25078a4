#include "clearance/scene/validate_material_fields.h"

#include <algorithm>
#include <string>

#include "clearance/scene/body_remesh.h"
#include "clearance/scene/enums.h"
#include "clearance/scene/expression.h"
#include "clearance/scene/scene_check.h"

namespace clearance {
namespace {

class FieldCheck : SceneCheck {
 public:
  using SceneCheck::SceneCheck;

  void run() {
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      const BodyDesc& body = scene_.bodies[i];
      const std::string place = element_path("bodies", i) + ".material_fields";
      for (std::size_t f = 0; f < body.material_fields.size(); ++f) check_field(body, f, element_path(place, f));
      if (!body.material_fields.empty() && find_remesh(scene_, body) != nullptr) {
        error(place, "elements that adapt have the numbers of their material; remove this key or `remesh`");
      }
    }
  }

 private:
  void check_field(const BodyDesc& body, std::size_t number, const std::string& place) {
    const MaterialFieldDesc& field = body.material_fields[number];
    const bool is_thin = body.kind == BodyKind::shell || body.kind == BodyKind::rod;
    if (!is_thin && body.kind != BodyKind::deformable) {
      error(place, "only the materials of deformable solids, shells and rods vary", std::string(enum_name(body.kind)));
      return;
    }
    const int given = !field.expression.empty() + !field.values.empty() + !field.array.empty();
    if (given != 1) {
      error(place, given == 0 ? "a field needs an `expression`, `values` or an `array`"
                              : "a field has one of `expression`, `values` and `array`, not several");
    } else if (!field.array.empty() && body.mesh.empty()) {
      error(place + ".array", "only a mesh file has arrays", field.array);
    } else if (!field.expression.empty()) {
      for (Issue issue : check_expressions({field.expression, "0", "0"}, place + ".expression")) {
        issue.place = place + ".expression";
        issues_.push_back(issue);
      }
    }
    const std::string name(enum_name(field.number));
    const bool is_of_solids = field.number == MaterialNumber::damping || field.number == MaterialNumber::yield_stress;
    if (is_thin && is_of_solids) {
      error(place + ".number",
            fmt::format("expected density, youngs_modulus or poisson_ratio for a {}", enum_name(body.kind)), name);
    } else if (field.number == MaterialNumber::yield_stress && !may_yield(body)) {
      error(place + ".number", "the field replaces the `yield_stress` of a material, and none of the body has one",
            name);
    }
    if (field.number == MaterialNumber::density && !body.element_densities.empty()) {
      error(place + ".number", "`element_densities` of the body gives this number already", name);
    }
    if (field.number == MaterialNumber::youngs_modulus) warn_of_no_effect(body, place + ".number");
    const auto end = body.material_fields.begin() + static_cast<std::ptrdiff_t>(number);
    if (std::any_of(body.material_fields.begin(), end,
                    [&](const MaterialFieldDesc& other) { return other.number == field.number; })) {
      error(place + ".number", "another field of the body gives this number already", name);
    }
  }

  /// Warns of a modulus that other numbers of the body replace.
  void warn_of_no_effect(const BodyDesc& body, const std::string& place) {
    const std::string name(enum_name(MaterialNumber::youngs_modulus));
    if (body.shell && body.shell->orthotropy) {
      warning(place, "the membrane has the moduli of `shell.orthotropy` everywhere; the field acts on bending alone",
              name);
    }
    if (body.rod && body.rod->stretching_stiffness && body.rod->bending_stiffness && body.rod->twisting_stiffness) {
      warning(place, "the field has no effect: the stiffnesses of the rod are given", name);
    }
  }

  static bool may_yield(const BodyDesc& body) {
    const auto yields = [](const MaterialDesc& material) { return material.yield_stress.has_value(); };
    return yields(body.material) || std::any_of(body.material_parts.begin(), body.material_parts.end(),
                                                [&](const MaterialPartDesc& part) { return yields(part.material); });
  }
};

}  // namespace

void check_material_fields(const SceneDesc& scene, Issues& issues) {
  FieldCheck(scene, issues).run();
}

}  // namespace clearance
