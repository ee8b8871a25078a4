#include "clearance/simulation/build/contact_properties.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "clearance/scene/body_names.h"

namespace clearance {

namespace {

FrictionCoefficients coefficients(double sliding, const std::optional<double>& sticking) {
  return {sticking.value_or(sliding), sliding};
}

/// Returns the classes of two names in ascending order: the entry of a body, or -1 - half-space.
std::array<int, 2> classes_of(const SceneDesc& desc, const std::array<std::string, 2>& names) {
  std::array<int, 2> classes{};
  for (std::size_t i = 0; i < 2; ++i) {
    if (const auto half_space = find_half_space(desc, names[i])) {
      classes[i] = -1 - static_cast<int>(*half_space);
      continue;
    }
    const auto found = std::find_if(desc.bodies.begin(), desc.bodies.end(),
                                    [&](const BodyDesc& body) { return body.name == names[i]; });
    classes[i] = static_cast<int>(found - desc.bodies.begin());
  }
  std::sort(classes.begin(), classes.end());
  return classes;
}

}  // namespace

FrictionTable friction_table(const SceneDesc& desc, const std::vector<BodyInstance>& bodies) {
  FrictionTable table;
  for (const BodyDesc& body : desc.bodies) {
    table.of_class.push_back(
        body.friction ? coefficients(*body.friction, body.static_friction)
                      : coefficients(desc.friction.coefficient,
                                     body.static_friction ? body.static_friction : desc.friction.static_coefficient));
  }
  for (const BodyInstance& body : bodies) table.class_of_body.push_back(body.desc);
  for (const HalfSpaceDesc& half_space : desc.half_spaces) {
    table.of_half_space.push_back(half_space.friction
                                      ? std::optional(coefficients(*half_space.friction, half_space.static_friction))
                                      : std::nullopt);
  }
  for (const FrictionPairDesc& pair : desc.friction.pairs) {
    table.of_pair[classes_of(desc, pair.bodies)] = coefficients(pair.coefficient, pair.static_coefficient);
  }
  return table;
}

RestitutionTable restitution_table(const SceneDesc& desc, const FrictionTable& friction) {
  RestitutionTable table;
  table.of_scene = desc.contact.restitution;
  table.class_of_body = friction.class_of_body;
  for (const HalfSpaceDesc& half_space : desc.half_spaces) table.of_half_space.push_back(half_space.restitution);
  for (const RestitutionPairDesc& pair : desc.contact.restitution_pairs) {
    table.of_pair[classes_of(desc, pair.bodies)] = pair.restitution;
  }
  return table;
}

}  // namespace clearance
