// Two bodies that meet at the start of a scene.
#pragma once

#include <string>

namespace clearance {

struct StartOverlap {
  /// Names of bodies; the second may also be `half_spaces[0]`; both are the same if a body meets itself.
  std::string first, second;
  /// Shortest shift [m] found that takes the two apart by themselves; 0 if they only touch.
  double depth = 0.0;
};

}  // namespace clearance
