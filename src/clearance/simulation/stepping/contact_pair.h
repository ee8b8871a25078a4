// A contact between two features, as users of a simulation see it.
#pragma once

#include <array>

#include "clearance/math/types.h"

namespace clearance {

/// Two features that are closer than the activation distance, with vertices numbered as in `positions()`.
struct ContactPair {
  std::array<int, 2> bodies = {-1, -1};            ///< indices into bodies(); -1 - k for half-space k
  std::array<int, 4> vertices = {-1, -1, -1, -1};  ///< vertices of the first feature, then of the second; -1 for none
  int num_first = 1;                               ///< number of vertices of the first feature
  double distance = 0.0;                           ///< [m]
  Vec<3> normal = Vec<3>::Zero();                  ///< unit vector from the second to the first
  Vec<3> force = Vec<3>::Zero();                   ///< [N] force of the barrier on the first feature
};

}  // namespace clearance
