#include "clearance/solver/target_pull.h"

#include <algorithm>

#include "clearance/model/stiff_strain.h"
#include "clearance/solver/accepted_move.h"

namespace clearance {

namespace {
/// Pulls without progress before the nodes count as blocked. The pull doubles from 1e6 to 1e8 within seven; then the
/// multipliers have their turn.
constexpr int max_vain_pulls = 15;
/// Growth of the strain in a step from which on the pull strains a stiff body. A strain that other loads have caused
/// before the step does not count. A larger value would let a body give way step by step.
constexpr double strain_growth = 1.02;
/// A stiff body that is only pushed along is strained at a few iterates of a step. A body that is strained at this many
/// is squeezed.
constexpr int max_strained = 30;
}  // namespace

template <int dim>
Direction TargetPull<dim>::towards_targets(const Iterate& from) {
  VecX x = from.x;
  set_targets<dim>(in_.targets, x);
  Direction direction = bound_.bound(from, in_.coordinates().from_to(from.x, x));
  if (x_unstrained_.size() == 0) {
    x_unstrained_ = from.x;
    candidates_unstrained_ = direction.candidates;
  }
  return direction;
}

template <int dim>
bool TargetPull<dim>::move(const Direction& direction, Iterate& iterate) {
  // Potentials bound straight paths; on the arcs of rigid bodies a joint could still pass its limits.
  double alpha = direction.alpha_limit;
  VecX x = in_.coordinates().move(iterate.x, direction.dy, alpha);
  for (int i = 0; i < 30 && !problem_.is_feasible(x); ++i) {
    alpha = i < 29 ? 0.5 * alpha : 0.0;
    x = in_.coordinates().move(iterate.x, direction.dy, alpha);
  }
  const bool arrives = alpha >= 1.0;
  if (arrives) set_targets<dim>(in_.targets, x);
  MoveListener::note(in_, iterate.x, x, direction.dy, alpha);
  iterate = problem_.make_iterate(std::move(x), direction.candidates);
  return arrives;
}

template <int dim>
bool TargetPull<dim>::has_arrived(Point& point) {
  if (!problem_.augmented().is_active()) return true;
  has_pulled_ = true;
  if (problem_.augmented().progress(point.iterate.x) < 0.999) return false;
  // The last thousandth is a straight line, if nothing is in its way.
  move(towards_targets(point.iterate), point.iterate);
  problem_.augmented().deactivate();
  problem_.fix_prescribed();
  point.energy = problem_.energy(point.iterate);
  log_.note("scripted nodes have arrived");
  return true;
}

template <int dim>
bool TargetPull<dim>::strains_stiff_body(const VecX& x) const {
  // Bodies that are moved themselves are pulled to where they are unstrained.
  const double strain = find_stiff_strain<dim>(in_.model, x, in_.targets.blocks).strain;
  if (!(strain > 0.0)) return false;
  return strain > strain_growth * find_stiff_strain<dim>(in_.model, in_.state.x, in_.targets.blocks).strain;
}

template <int dim>
void TargetPull<dim>::hold(Point& point) {
  is_held_ = true;
  problem_.augmented().deactivate();
  problem_.fix_prescribed();
  point.iterate = problem_.make_iterate(x_unstrained_, candidates_unstrained_);
  point.energy = problem_.energy(point.iterate);
  log_.note("scripted nodes held by a stiff body");
}

template <int dim>
bool TargetPull<dim>::hold_if_straining(Point& point) {
  if (!has_pulled_ || is_held_ || !strains_stiff_body(point.iterate.x)) return false;
  hold(point);
  return true;
}

template <int dim>
bool TargetPull<dim>::hold_if_strained_for_long(Point& point) {
  if (!problem_.augmented().is_active()) return false;
  if (!strains_stiff_body(point.iterate.x) || ++num_strained_ < max_strained) return false;
  hold(point);
  return true;
}

/// Leads the nodes to their targets from a balance with the pull. False, and the pull goes on, if something is in the
/// way.
template <int dim>
bool TargetPull<dim>::lead(Point& point) {
  problem_.augmented().deactivate();
  problem_.fix_prescribed();
  if (!response_.follow(point.iterate)) {
    problem_.pull_prescribed();
    return false;
  }
  point.energy = problem_.energy(point.iterate);
  log_.note("scripted nodes led to their targets");
  return true;
}

template <int dim>
bool TargetPull<dim>::pull_harder(Point& point) {
  if (hold_if_straining(point) || lead(point)) return true;
  x_unstrained_ = point.iterate.x;
  candidates_unstrained_ = point.iterate.candidates;
  // A pull is vain if the missing share of the motion has not fallen by a tenth.
  const double missing = 1.0 - problem_.augmented().progress(point.iterate.x);
  num_vain_pulls_ = missing < 0.9 * least_missing_ ? 0 : num_vain_pulls_ + 1;
  least_missing_ = std::min(least_missing_, missing);
  if (num_vain_pulls_ >= max_vain_pulls) return false;
  problem_.augmented().update(point.iterate.x);
  point.energy = problem_.energy(point.iterate);
  log_.note("scripted nodes pulled harder");
  return true;
}

template class TargetPull<2>;
template class TargetPull<3>;

}  // namespace clearance
