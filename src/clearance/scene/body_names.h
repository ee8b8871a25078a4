// Names of single bodies: `link` is the body itself, `link[3]` one of its copies or components, counted from 0.
#pragma once

#include <optional>
#include <string_view>

#include "clearance/scene/scene.h"

namespace clearance {

/// Number of copies that its array makes of a body; 1 without an array. As a double it cannot overflow.
double num_copies(const BodyDesc& body);

struct NamedBody {
  std::size_t body = 0;  ///< index into SceneDesc::bodies
  std::optional<int> copy;
};

/// The body that a name means, whether or not it has that copy. A body whose own name ends in brackets goes first.
std::optional<NamedBody> find_body(const SceneDesc& scene, std::string_view name);

/// The index that `half_spaces[1]` means, if the scene has it.
std::optional<std::size_t> find_half_space(const SceneDesc& scene, std::string_view name);

}  // namespace clearance
