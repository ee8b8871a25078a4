// The smallest moves that keep every pair of a list apart.
#pragma once

#include <array>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// The condition normal . (u_first - u_second) >= least. Movers with a negative number stand still.
struct ApartCondition {
  int first = 0, second = -1;
  Vec<3> normal = Vec<3>::UnitY();  ///< unit vector
  double least = 0.0;               ///< [m]
  double tolerance = 0.0;           ///< [m] by which the condition may be missed
};

struct LeastMoves {
  std::vector<Vec<3>> moves;  ///< [m]
  std::vector<int> missed;    ///< conditions that the moves do not meet because they cannot all be met together
};

/// Finds the moves u that minimise sum |u|^2 under the conditions, by Hildreth's method (C. Hildreth, "A quadratic
/// programming procedure", 1957): it visits one condition after the other, meets it by the smallest possible change,
/// and loosens it where it pushes too much. `can_move` tells for each mover along which axes it can move.
LeastMoves find_least_moves(const std::vector<std::array<bool, 3>>& can_move,
                            const std::vector<ApartCondition>& conditions);

}  // namespace clearance
