// Names of single bodies: `link` is the body itself, `link[3]` one of its copies or components, counted from 0.
#pragma once

#include <optional>
#include <string_view>

#include "clearance/scene/scene.h"

namespace clearance {

/// Returns the number of copies that a body's array makes; 1 without an array. As a double it cannot overflow.
double num_copies(const BodyDesc& body);

struct NamedBody {
  std::size_t body = 0;  ///< index into SceneDesc::bodies
  std::optional<int> copy;
};

/// Returns the body that a name means, without checking that it has that copy. A body whose own name ends in brackets
/// takes precedence.
std::optional<NamedBody> find_body(const SceneDesc& scene, std::string_view name);

/// Returns the index that `half_spaces[1]` means, if the scene has it.
std::optional<std::size_t> find_half_space(const SceneDesc& scene, std::string_view name);

}  // namespace clearance
