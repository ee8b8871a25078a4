// The forces that a step ended with: those that its balance was judged by.
#pragma once

#include <map>
#include <utility>

#include "clearance/math/types.h"

namespace clearance {

/// [N] What contacts do to one body; 2D: z = 0.
struct PairForce {
  Vec<3> normal = Vec<3>::Zero();
  Vec<3> friction = Vec<3>::Zero();
};

/// Forces are in newtons, in 2D for a slice one metre deep. Vectors are flat, dim numbers each.
struct StepForces {
  VecX normal;    ///< per surface vertex: of all barriers, with the stiffness of each contact
  VecX friction;  ///< per surface vertex: of the friction that agrees with these barriers
  /// Each prescribed block of unknowns has the force that holds it or moves it as prescribed, against inertia,
  /// potentials and contacts; all others have zero. That of a column of a stiff body is a force on the column
  /// (AffineFrame): it counts in torques only.
  VecX reaction;
  /// Force on the first body by the second, or by the half-space -1 - second; not of a body on itself.
  std::map<std::pair<int, int>, PairForce> between;
};

}  // namespace clearance
