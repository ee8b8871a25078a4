// Potentials as a state has left them, and the test that its positions are free of inverted elements and of joints
// beyond their limits.
#pragma once

#include <memory>
#include <span>

#include "clearance/model/model.h"

namespace clearance {

/// Returns what a potential of the model remembers at the state; empty if nothing has happened yet.
inline std::span<const double> history_of(const State& state, std::size_t potential) {
  if (potential >= state.history.size()) return {};
  return state.history[potential];
}

/// Returns a potential of the model with the turns of hinges and the history of the state.
inline std::shared_ptr<const Potential> potential_at(const Model& model, const State& state, std::size_t potential) {
  const std::span<const double> history = history_of(state, potential);
  if (state.turns.empty() && history.empty()) return model.potentials[potential];
  std::unique_ptr<Potential> copy = model.potentials[potential]->clone();
  copy->set_turns(state.x, state.turns);
  copy->set_history(history);
  return copy;
}

/// True if x is feasible. x is `state.x` or where the step from there leads; the turns of hinges count from those of
/// the state.
inline bool are_feasible(const Model& model, const State& state, const VecX& x) {
  for (std::size_t k = 0; k < model.potentials.size(); ++k) {
    if (!potential_at(model, state, k)->is_feasible(x)) return false;
  }
  return true;
}

}  // namespace clearance
