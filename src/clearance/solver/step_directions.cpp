#include "clearance/solver/step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/base/log.h"

namespace clearance {

namespace {

/// A direction is swept this many times as far as the last one was feasible; at the start of a step this many edges.
constexpr double sweep_reach = 4.0;
/// Where nothing is hit, the next part is this many times as long: it costs most, and all before it little.
constexpr double sweep_growth = 8.0;

}  // namespace

template <int dim>
void Step<dim>::assemble() {
  StageTimer timer(report_.profile, Stage::assembly);
  is_exact_ = wants_exact_;
  problem_.assemble(current_, system_, gradient_, is_exact_ ? HessianKind::exact : HessianKind::projected);
  if (!has_forces()) return;
  const BlockSparseMatrix& matrix = system_.matrix();
  stiffness_.resize(matrix.num_blocks());
  for (int b = 0; b < matrix.num_blocks(); ++b) {
    stiffness_[b] = matrix.diagonal_block<dim>(b).diagonal().cwiseAbs().maxCoeff();
  }
}

/// Near the solution with the exact Hessian, which converges quadratically, if that is positive definite; projected
/// ones converge linearly.
template <int dim>
bool Step<dim>::solve_exact_direction(VecX& dy) {
  StageTimer timer(report_.profile, Stage::linear_solve);
  return system_.solver().factorize(system_.matrix()) == LinearSolveStatus::solved &&
         system_.solver().solve(-gradient_, dy) == LinearSolveStatus::solved && dy.allFinite() &&
         gradient_.dot(dy) <= 0.0;
}

/// dy = -H^-1 g. A Hessian that rounding or a missing inertia leaves singular is shifted along its diagonal.
template <int dim>
bool Step<dim>::solve_direction(VecX& dy) {
  if (is_exact_) {
    if (solve_exact_direction(dy)) return true;
    wants_exact_ = false;
    exact_limit_ = 0.1 * report_.imbalance;
    assemble();
  }
  StageTimer timer(report_.profile, Stage::linear_solve);
  BlockSparseMatrix& matrix = system_.matrix();
  double shift = 0.0;
  for (int attempt = 0; attempt < 12; ++attempt) {
    if (system_.solver().factorize(matrix) == LinearSolveStatus::solved &&
        system_.solver().solve(-gradient_, dy) == LinearSolveStatus::solved && dy.allFinite()) {
      // The direction must descend; rounding can spoil that when the system is all but singular.
      if (gradient_.dot(dy) <= 0.0) return true;
    }
    double largest = 0.0;
    for (int b = 0; b < matrix.num_blocks(); ++b) {
      for (int c = 0; c < dim; ++c) {
        const auto at = static_cast<std::size_t>(matrix.find_slot(b, b) + c * (matrix.slot_stride(b) + 1));
        largest = std::max(largest, std::abs(matrix.values()[at]));
      }
    }
    const double wanted = attempt == 0 ? 1e-12 * largest : 100.0 * shift;
    for (int b = 0; b < matrix.num_blocks(); ++b) {
      matrix.add_to_slot<dim>(matrix.find_slot(b, b), matrix.slot_stride(b),
                              Mat<dim>((wanted - shift) * Mat<dim>::Identity()));
    }
    log_warning("step {}: linear system shifted by {:.3g}", state_.step + 1, wanted);
    shift = wanted;
  }
  return false;
}

/// [m] How far any block starts to move.
template <int dim>
double Step<dim>::length(const VecX& dy) const {
  return coordinates_.expand(current_.x, dy).cwiseAbs().maxCoeff();
}

/// A nearly singular system without inertia can ask for any length, and sweeping that would pair everything with
/// everything.
template <int dim>
void Step<dim>::shorten(VecX& dy) const {
  const double longest = (target_.has_inertia ? 1e3 : 1.0) * model_.bbox_diagonal;
  const double present = length(dy);
  if (present > longest) dy *= longest / present;
}

/// A factor of the next direction. Where the objective curves down, projected Hessians take it for steep and go away
/// from the saddle by steps that grow by a hundredth each: a mat that bends over a knife needed 90. As long as whole
/// directions leave imbalance and length as they are, twice as much is tried; the line search finds what of it lowers
/// the energy.
template <int dim>
double Step<dim>::choose_reach() {
  constexpr double largest = 64.0, stagnation = 0.9;
  const bool is_crawling = has_forces() && !is_exact_ && reach_.taken >= 1.0 && detour_.length == 0 &&
                           !detour_.is_wanted && report_.imbalance > stagnation * reach_.imbalance &&
                           report_.residual > 0.5 * reach_.residual;
  reach_.tried = is_crawling ? std::min(largest, 2.0 * std::min(reach_.tried, reach_.taken)) : 1.0;
  return reach_.tried;
}

/// After a direction was followed at `reach_.tried` times its length: its fractions are those of Newton's direction
/// again.
template <int dim>
void Step<dim>::measure_reach() {
  if (reach_.tried > 1.0) {
    iteration_.alpha *= reach_.tried;
    iteration_.alpha_limit = std::min(reach_.tried * iteration_.alpha_limit, std::max(1.0, iteration_.alpha));
    // That less was taken than tried tells nothing of the direction.
    if (iteration_.alpha >= 1.0) detour_.is_wanted = false;
  }
  reach_ = {reach_.tried, iteration_.alpha, report_.imbalance, report_.residual};
}

/// Affine bodies turn without being stretched, unless that would climb. False if nothing is bent.
template <int dim>
bool Step<dim>::bend(VecX& dy) const {
  if (model_.stiff_bodies.empty()) return false;
  VecX bent = coordinates_.bent(current_.x, dy, problem_.is_fixed());
  if (gradient_.dot(bent) > 0.5 * gradient_.dot(dy)) return false;
  dy = std::move(bent);
  return true;
}

/// Bends a direction and bounds it. What bending adds is of second order in the whole turn, but grows linearly on the
/// way: where little of the way is feasible it pushes bodies together against any barrier (a crank's pin was driven
/// from 6e-5 m to 1e-16 m of its rod), so that there the direction stays straight, which hardly stretches a body then.
template <int dim>
void Step<dim>::bound_bent(Direction& direction) {
  Direction straight;
  straight.dy = direction.dy;
  const bool is_bent = bend(direction.dy);
  bound_direction(direction);
  if (!is_bent || direction.alpha_limit >= 0.5) return;
  const double gap = std::min(options_.barrier.dhat, current_.contacts.min_distance - options_.barrier.min_separation);
  if (direction.alpha_limit * length(direction.dy - straight.dy) < 0.1 * gap) return;
  bound_direction(straight);
  if (straight.alpha_limit > direction.alpha_limit) direction = std::move(straight);
}

/// Largest feasible part of the direction: first the inversion-free bound, which shortens the sweep, then broad phase
/// and CCD. Early directions can be a hundred times as long as what is feasible, and a sweep of the whole would pair
/// everything with everything on the way: it is swept in growing parts until something is hit.
template <int dim>
void Step<dim>::bound_direction(Direction& direction) {
  double alpha = 1.0;
  {
    StageTimer timer(report_.profile, Stage::ccd);
    const auto limit = problem_.max_feasible_step(current_.x, coordinates_.expand(current_.x, direction.dy));
    if (limit.alpha < alpha) {
      alpha = limit.alpha;
      iteration_.limited_by = fmt::format("{} element {}", limit.term, limit.element);
      if (alpha < report_.smallest_alpha) {
        report_.smallest_alpha = alpha;
        report_.limited_by = iteration_.limited_by;
      }
    }
  }
  direction.alpha_limit = alpha;
  if (!options_.has_contact) return;

  const double size = length(direction.dy);
  // Sweeps shorter than the activation distance find the same pairs.
  const double reach = sweep_reach * std::max(feasible_length_, options_.barrier.dhat);
  double part = reach < alpha * size ? reach / size : alpha;
  sweep(direction, part);
  while (direction.alpha_limit >= part && part < alpha) {
    part = std::min(sweep_growth * part, alpha);
    sweep(direction, part);
  }
  feasible_length_ = direction.alpha_limit * size;
}

/// One swept broad phase of the first part of the direction; its candidates serve CCD and every trial energy.
template <int dim>
void Step<dim>::sweep(Direction& direction, double part) {
  const double activation = options_.barrier.dhat + options_.barrier.min_separation;
  SurfacePath path;
  SweptCandidates swept;
  {
    StageTimer timer(report_.profile, Stage::broad_phase);
    path = coordinates_.surface_path(current_.x, current_.x_surface, direction.dy, part);
    swept = measure_candidates(
        dim, model_.surface, path,
        find_contact_candidates(broad_phase_, model_, options_.barrier, path.x_t0, path.x_t1, path.deviation));
  }
  if (dim == 3 && options_.on_ccd_query) {
    for_each_straight_query(model_.surface, path, swept.pairs, options_.on_ccd_query);
  }
  StageTimer timer(report_.profile, Stage::ccd);
  const FeasibleStep feasible = find_feasible_step(dim, model_, path, swept, options_);
  direction.alpha_limit = part * feasible.alpha;
  direction.candidates = reachable_candidates(swept, feasible.alpha, activation);
  report_.counters.candidates += static_cast<long>(swept.distance.size());
  report_.counters.ccd_calls += feasible.num_ccd_calls;
  if (feasible.alpha < 1.0) iteration_.limited_by = feasible.limited_by;
  if (feasible.alpha < 1.0 && direction.alpha_limit < report_.smallest_alpha) {
    report_.smallest_alpha = direction.alpha_limit;
    report_.limited_by = feasible.limited_by;
  }
}

template void Step<2>::assemble();
template bool Step<2>::solve_exact_direction(VecX&);
template bool Step<2>::solve_direction(VecX&);
template double Step<2>::length(const VecX&) const;
template void Step<2>::shorten(VecX&) const;
template double Step<2>::choose_reach();
template void Step<2>::measure_reach();
template bool Step<2>::bend(VecX&) const;
template void Step<2>::bound_bent(Step<2>::Direction&);
template void Step<2>::bound_direction(Step<2>::Direction&);
template void Step<2>::sweep(Step<2>::Direction&, double);
template void Step<3>::assemble();
template bool Step<3>::solve_exact_direction(VecX&);
template bool Step<3>::solve_direction(VecX&);
template double Step<3>::length(const VecX&) const;
template void Step<3>::shorten(VecX&) const;
template double Step<3>::choose_reach();
template void Step<3>::measure_reach();
template bool Step<3>::bend(VecX&) const;
template void Step<3>::bound_bent(Step<3>::Direction&);
template void Step<3>::bound_direction(Step<3>::Direction&);
template void Step<3>::sweep(Step<3>::Direction&, double);

}  // namespace clearance
