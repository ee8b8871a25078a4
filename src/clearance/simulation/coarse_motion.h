// Bodies that move by their own size in one step.
#pragma once

namespace clearance {

/// Of the two bodies where it is most.
struct CoarseMotion {
  double share = 0.0;  ///< by how much of the smaller one's size they move relative to each other in the step
  int body = -1, other = -1;
};

}  // namespace clearance
