#include "clearance/solver/step.h"

#include <algorithm>

namespace clearance {

namespace {
/// The pull doubles from 1e6 to 1e8 within seven; then the multipliers have their turn.
constexpr int max_vain_pulls = 15;
}  // namespace

/// Scripted nodes from the current iterate straight to their targets.
template <int dim>
auto Step<dim>::towards_targets() -> Direction {
  Direction direction;
  VecX x = current_.x;
  for (std::size_t k = 0; k < targets_.blocks.size(); ++k) {
    block<dim>(x, targets_.blocks[k]) = block<dim>(targets_.positions, static_cast<int>(k));
  }
  direction.dy = coordinates_.from_to(current_.x, x);
  bound_direction(direction);
  return direction;
}

/// Moves scripted nodes as far as nothing is hit or inverted. True if they arrive.
template <int dim>
bool Step<dim>::move_prescribed(const Direction& direction) {
  // Potentials bound straight paths; on the arcs of rigid bodies a joint could still pass its limits.
  double alpha = direction.alpha_limit;
  VecX x = coordinates_.move(current_.x, direction.dy, alpha);
  for (int i = 0; i < 30 && !problem_.is_feasible(x); ++i) {
    alpha = i < 29 ? 0.5 * alpha : 0.0;
    x = coordinates_.move(current_.x, direction.dy, alpha);
  }
  const bool arrives = alpha >= 1.0;
  for (std::size_t k = 0; arrives && k < targets_.blocks.size(); ++k) {
    block<dim>(x, targets_.blocks[k]) = block<dim>(targets_.positions, static_cast<int>(k));
  }
  current_ = problem_.make_iterate(std::move(x), direction.candidates);
  return arrives;
}

/// True once every scripted node is where it should be; then they are fixed.
template <int dim>
bool Step<dim>::has_reached_targets() {
  if (!problem_.augmented().is_active()) return true;
  if (problem_.augmented().progress(current_.x) < 0.999) return false;
  // The last thousandth in a straight line, if nothing is in its way.
  move_prescribed(towards_targets());
  problem_.augmented().deactivate();
  problem_.fix_prescribed();
  current_energy_ = problem_.energy(current_);
  return true;
}

/// Stiffens the pull on scripted nodes. False if that has not brought them nearer for a while: something holds them.
template <int dim>
bool Step<dim>::pull_harder() {
  const double missing = 1.0 - problem_.augmented().progress(current_.x);
  num_vain_pulls_ = missing < 0.9 * least_missing_ ? 0 : num_vain_pulls_ + 1;
  least_missing_ = std::min(least_missing_, missing);
  if (num_vain_pulls_ >= max_vain_pulls) return false;
  problem_.augmented().update(current_.x);
  current_energy_ = problem_.energy(current_);
  if (!report_.iterations.empty()) report_.iterations.back().event = "scripted nodes pulled harder";
  return true;
}

template Step<2>::Direction Step<2>::towards_targets();
template bool Step<2>::move_prescribed(const Step<2>::Direction&);
template bool Step<2>::has_reached_targets();
template bool Step<2>::pull_harder();
template Step<3>::Direction Step<3>::towards_targets();
template bool Step<3>::move_prescribed(const Step<3>::Direction&);
template bool Step<3>::has_reached_targets();
template bool Step<3>::pull_harder();

}  // namespace clearance
