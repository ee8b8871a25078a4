#include "clearance/scene/validate_plasticity.h"

#include <string>

#include "clearance/scene/body_remesh.h"
#include "clearance/scene/enums.h"
#include "clearance/scene/scene_check.h"

namespace clearance {
namespace {

constexpr const char* no_softening = "softening is not supported: the result would depend on the size of the elements";

class PlasticityCheck : SceneCheck {
 public:
  using SceneCheck::SceneCheck;

  void run() {
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      const BodyDesc& body = scene_.bodies[i];
      const std::string place = element_path("bodies", i);
      check_material(body, body.material, place + ".material");
      for (std::size_t p = 0; p < body.material_parts.size(); ++p) {
        check_material(body, body.material_parts[p].material, element_path(place + ".material_parts", p) + ".material");
      }
    }
  }

 private:
  void check_material(const BodyDesc& body, const MaterialDesc& material, const std::string& place) {
    check_modulus(material, place);
    if (!material.yield_stress && material.hardening.empty()) return;
    const char* first_key = material.yield_stress ? ".yield_stress" : ".hardening";
    if (material.yield_stress && !material.hardening.empty()) {
      error(place + ".hardening",
            "the yield stress is given twice; remove `yield_stress`, with `hardening_modulus`, or `hardening`");
    }
    check_curve(material, place + ".hardening");
    check_kind(body, place + first_key);
    if (body.kind != BodyKind::deformable) return;
    warn_of_units(material, place);
    if (find_remesh(scene_, body) != nullptr) {
      error(place + first_key,
            "a body whose elements adapt (`remesh`) cannot yield: the choice of its elements knows elastic energy "
            "alone; remove one of the two");
    }
    const MaterialDesc defaults;
    if (material.model != defaults.model) {
      warning(place + ".model",
              "this key has no effect on a material that yields: its stress follows its logarithmic strain (Hencky)",
              std::string(enum_name(material.model)));
    }
  }

  void check_modulus(const MaterialDesc& material, const std::string& place) {
    const double modulus = material.hardening_modulus;
    if (modulus == 0.0) return;
    const std::string at = place + ".hardening_modulus", value = fmt::format("{:g}", modulus);
    if (modulus < 0.0) error(at, no_softening, value);
    if (!material.hardening.empty()) {
      error(at, "the curve `hardening` has slopes of its own; remove one of the two", value);
    } else if (!material.yield_stress) {
      error(at, "a material without `yield_stress` does not yield; give one, or remove this key", value);
    }
  }

  /// Warns of numbers that no material has: pascals and megapascals, and strains in percent, are easily mistaken.
  void warn_of_units(const MaterialDesc& material, const std::string& place) {
    // Yield strains of materials are between 1e-5 (lead) and 0.1.
    constexpr double least_strain = 1e-6, largest_strain = 0.2;
    const double e = material.youngs_modulus;
    const auto warn_of_yield = [&](double yield, const std::string& at) {
      if (yield <= 0.0 || (yield >= least_strain * e && yield <= largest_strain * e)) return;
      warning(
          at,
          fmt::format("this yield stress is {:.3g} times Young's modulus; both are in Pa, and materials have 1e-5 to "
                      "0.1",
                      yield / e),
          fmt::format("{:g}", yield));
    };
    if (material.yield_stress) warn_of_yield(*material.yield_stress, place + ".yield_stress");
    if (!material.hardening.empty()) warn_of_yield(material.hardening[0][1], place + ".hardening[0]");
    if (material.hardening_modulus > e) {
      warning(place + ".hardening_modulus",
              fmt::format("the material hardens more steeply than it is elastic ({:g} Pa); is the unit Pa?", e),
              fmt::format("{:g}", material.hardening_modulus));
    }
    if (!material.hardening.empty() && material.hardening.back()[0] > 2.0) {
      warning(place + ".hardening", "strains above 2 look like percent; 5 % is 0.05",
              fmt::format("{:g}", material.hardening.back()[0]));
    }
  }

  /// Checks the points of a curve. Negative numbers have the message of their range.
  void check_curve(const MaterialDesc& material, const std::string& place) {
    const auto& curve = material.hardening;
    for (std::size_t k = 0; k < curve.size(); ++k) {
      const std::string strain_at = element_path(element_path(place, k), 0),
                        stress_at = element_path(element_path(place, k), 1);
      const auto [strain, stress] = curve[k];
      if (k == 0 && strain != 0.0) {
        error(strain_at, "the curve must begin at the plastic strain 0, with the stress of first yield",
              fmt::format("{:g}", strain));
      }
      if (k > 0 && !(strain > curve[k - 1][0])) {
        error(strain_at, fmt::format("plastic strains must increase; expected more than {:g}", curve[k - 1][0]),
              fmt::format("{:g}", strain));
      }
      if (stress == 0.0) error(stress_at, "a yield stress must be positive", "0");
      if (k > 0 && stress < curve[k - 1][1]) error(stress_at, no_softening, fmt::format("{:g}", stress));
    }
  }

  void check_kind(const BodyDesc& body, const std::string& place) {
    const std::string kind(enum_name(body.kind));
    switch (body.kind) {
      case BodyKind::deformable:
        break;
      case BodyKind::shell:
      case BodyKind::rod:
        error(place, fmt::format("a body of kind {0} does not yield where it is stretched; for bending use "
                                 "`{0}.yield_curvature`, else remove this key",
                                 kind));
        break;
      case BodyKind::particles:
      case BodyKind::affine:
      case BodyKind::rigid:
      case BodyKind::obstacle:
        warning(place, fmt::format("this key has no effect on a body of kind {}", kind));
        break;
    }
  }
};

}  // namespace

void check_plasticity(const SceneDesc& scene, Issues& issues) {
  PlasticityCheck(scene, issues).run();
}

}  // namespace clearance
