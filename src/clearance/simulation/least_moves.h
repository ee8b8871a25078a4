// The least moves that keep every pair of a list apart.
#pragma once

#include <array>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// normal . (u_first - u_second) >= least. Movers with a negative number stand still.
struct ApartCondition {
  int first = 0, second = -1;
  Vec<3> normal = Vec<3>::UnitY();  ///< of length one
  double least = 0.0;               ///< [m]
  double tolerance = 0.0;           ///< [m] by which it may be missed
};

struct LeastMoves {
  std::vector<Vec<3>> moves;  ///< [m]
  std::vector<int> missed;    ///< conditions that the moves do not meet: together they cannot be met
};

/// Moves u that minimise sum |u|^2 under the conditions, by Hildreth's method (C. Hildreth, "A quadratic programming
/// procedure", 1957): one condition after the other is met by as little as possible, and loosened where it holds too
/// much. `can_move`: per mover, along which axes.
LeastMoves find_least_moves(const std::vector<std::array<bool, 3>>& can_move,
                            const std::vector<ApartCondition>& conditions);

}  // namespace clearance
