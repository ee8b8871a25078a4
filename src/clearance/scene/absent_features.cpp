#include "clearance/scene/absent_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace clearance {
namespace {

constexpr AbsentFeature features[] = {
    {"plasticity other than von Mises with isotropic hardening", false,
     "materials of solids have `yield_stress`, `hardening_modulus` and `hardening`, `shell` and `rod` have "
     "`yield_curvature`",
     "plastic yield hardening softening von_mises_yield drucker mohr_coulomb"},
    {"viscoelasticity", false, "`damping` of solids is a stress in proportion to the rate of strain",
     "viscoelastic viscosity prony maxwell relaxation_time"},
    {"creep", false, "", "creep"},
    {"fracture and damage", false, "", "fracture damage cohesive_zone toughness breakable"},
    {"adhesion", false, "", "adhesion adhesive stickiness cohesion"},
    {"wear", false, "", "wear_rate archard"},
    {"heat", false, "", "temperature thermal heat conductivity specific_heat expansion_coefficient"},
    {"electromagnetism", false, "", "magnet electric voltage"},
    {"fluids", true, "", "fluid liquid sph smoke viscous_fluid"},
    {"anisotropic solids", true, "shells have `orthotropy`", "anisotropic orthotropic transversely fiber fibre"},
    {"stitches of a body", true, "`attachments` of the scene hold nodes to other bodies, with `tied` as glue",
     "stitch stitches seam attach tie_constraint glue weld_nodes"},
    {"muscles and activation", true, "", "muscle activation"},
    {"hexahedra, prisms and quadrilaterals as elements", true, "split them into tetrahedra or triangles",
     "hexahedr hex8 hex20 hexa prism wedge quadrilateral quad4"},
    {"optimisation within a scene", true,
     "`clearance gradient` finds derivatives, and `clearance optimise` fits numbers of a scene to measurements",
     "adjoint gradient_of optimis optimiz differentiable"},
    {"responses to harmonic and random loads", true, "`clearance modes` finds natural frequencies",
     "modal eigenmode eigenfrequenc harmonic"},
    {"periodic boundaries", true, "", "periodic"},
    {"GPUs", true, "`--threads` sets how many processors a run uses", "gpu cuda"},
};

// True if the text contains the word alone or at the start of a part of a key: `heat` asks for heat, `cheat` and
// `wheat` do not.
bool asks_for(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if (at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1]))) return true;
  }
  return false;
}

}  // namespace

std::span<const AbsentFeature> absent_features() {
  return features;
}

std::string absent_feature_text(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const AbsentFeature& feature : features) {
    for (std::size_t begin = 0; begin < feature.words.size();) {
      const std::size_t end = std::min(feature.words.find(' ', begin), feature.words.size());
      if (asks_for(text, feature.words.substr(begin, end - begin))) {
        return fmt::format("{} {} not supported (docs/limits.md){}{}", feature.name, feature.is_plural ? "are" : "is",
                           feature.instead.empty() ? "" : "; ", feature.instead);
      }
      begin = end + 1;
    }
  }
  return {};
}

}  // namespace clearance
