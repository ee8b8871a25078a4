// Blocks that something besides contact holds or pulls: joints, attachments, springs and dampers.
#pragma once

#include <string_view>
#include <vector>

#include "clearance/model/blocks.h"

namespace clearance {

/// Returns 1 for each block that a joint, an attachment, a spring or a damper acts on.
inline std::vector<char> held_flags(const Model& model) {
  std::vector<char> is_held = joined_flags(model);
  for (const auto& potential : model.potentials) {
    const std::string_view name = potential->name();
    if (name != "attachment" && name != "spring" && name != "dashpot") continue;
    for (const BlockKey key : potential->pattern()) is_held[block_row(key)] = is_held[block_column(key)] = 1;
  }
  return is_held;
}

}  // namespace clearance
