#include "clearance/simulation/hints/friction_hints.h"

#include <fmt/format.h>

#include <algorithm>

namespace clearance {

namespace {

constexpr double largest_coefficient = 10.0;

/// Returns the larger coefficient, and the field that contains it.
std::pair<double, const char*> larger(const char* kinetic_field, const std::optional<double>& kinetic,
                                      const char* static_field, const std::optional<double>& sticking) {
  const double k = kinetic.value_or(0.0), s = sticking.value_or(0.0);
  return k >= s ? std::pair{k, kinetic_field} : std::pair{s, static_field};
}

}  // namespace

void warn_of_friction(const SceneDesc& desc, NamedHints& hints) {
  if (!desc.contact.enabled) return;
  const auto check = [&](const std::string& place, const std::pair<double, const char*>& found) {
    if (!(found.first > largest_coefficient)) return;
    add_hint(hints, "doubtful_friction", fmt::format("{}.{}", place, found.second),
             fmt::format("the coefficient is {:g}, but no pair of materials has more than about 2 (rubber on rubber); "
                         "a coefficient is the tangential force divided by the normal force, not an angle or a "
                         "percentage. Use at most 10 for bodies that should stick",
                         found.first));
  };
  check("friction",
        larger("coefficient", desc.friction.coefficient, "static_coefficient", desc.friction.static_coefficient));
  for (std::size_t p = 0; p < desc.friction.pairs.size(); ++p) {
    const FrictionPairDesc& pair = desc.friction.pairs[p];
    check(fmt::format("friction.pairs[{}]", p),
          larger("coefficient", pair.coefficient, "static_coefficient", pair.static_coefficient));
  }
  for (std::size_t b = 0; b < desc.bodies.size(); ++b) {
    const BodyDesc& body = desc.bodies[b];
    check(fmt::format("bodies[{}]", b), larger("friction", body.friction, "static_friction", body.static_friction));
  }
  for (std::size_t s = 0; s < desc.half_spaces.size(); ++s) {
    const HalfSpaceDesc& plane = desc.half_spaces[s];
    check(fmt::format("half_spaces[{}]", s),
          larger("friction", plane.friction, "static_friction", plane.static_friction));
  }
}

}  // namespace clearance
