// Test that positions are free of inverted elements and of joints beyond their limits.
#pragma once

#include <algorithm>

#include "clearance/model/model.h"

namespace clearance {

/// True if x is feasible. x is `state.x` or where the step from there leads; the turns of hinges count from those of
/// the state.
inline bool are_feasible(const Model& model, const State& state, const VecX& x) {
  return std::all_of(model.potentials.begin(), model.potentials.end(), [&](const auto& potential) {
    if (state.turns.empty()) return potential->is_feasible(x);
    const std::unique_ptr<Potential> copy = potential->clone();
    copy->set_turns(state.x, state.turns);
    return copy->is_feasible(x);
  });
}

}  // namespace clearance
