#include "clearance/solver/friction_coupling.h"

#include "clearance/math/gmres.h"
#include "clearance/solver/accepted_move.h"

namespace clearance {

namespace {
constexpr double coupling_tolerance = 1e-3;
constexpr int max_coupling_iterations = 20;
/// Step of the differences that give derivatives of friction, as a share of the smallest gap.
constexpr double difference = 1e-4;
/// A part of a coupled direction must reduce the imbalance by at least this share of what a linear system would.
constexpr double least_progress = 0.5;
constexpr double least_part = 0.25;
/// Imbalance above which only whole coupled directions are tried. Parts of them lead astray there: marbles that still
/// settle took a third more directions.
constexpr double far_from_balance = 2.0;
}  // namespace

/// True if a coupled direction can be solved for. GMRES solves with the factor again and again, and iterative solvers
/// have none.
template <int dim>
bool FrictionCoupling<dim>::is_possible() const {
  if (in_.system.solver().counters().num_iterations > counters_t0_.num_iterations) return false;
  return lag_.wants_coupling() && lag_.is_fresh() && !problem_.friction().is_empty();
}

/// Returns the gradient of the objective with `friction` in place of its own.
template <int dim>
VecX FrictionCoupling<dim>::gradient_with(const Iterate& iterate, const FrictionPotential<dim>& friction) const {
  return problem_.free_sum(in_.coordinates(), iterate.x, problem_.term_gradients(iterate, friction));
}

/// Returns the change of the gradient along d that comes from friction that follows normal forces, directions and
/// points of contacts. It is the difference, a little further on, of the friction that agrees there and the lagged one.
template <int dim>
VecX FrictionCoupling<dim>::friction_change(const Iterate& at, const VecX& d) const {
  const VecX dx = in_.coordinates().expand(at.x, d);
  const double longest = dx.cwiseAbs().maxCoeff();
  if (!(longest > 0.0)) return VecX::Zero(d.size());
  const double part = difference * std::min(at.contacts.min_distance, in_.options.barrier.dhat) / longest;
  Iterate shifted;
  shifted.x = at.x + part * dx;
  shifted.x_surface = in_.model.surface_map.apply(shifted.x);
  shifted.contacts = at.contacts;
  VecX agreed = VecX::Zero(dx.size()), lagged = agreed;
  lag_.fresh(shifted).add_gradient(shifted.x_surface, agreed);
  problem_.friction().add_gradient(shifted.x_surface, lagged);
  return problem_.free_part(in_.coordinates(), at.x, (agreed - lagged) / part);
}

/// Solves for the coupled direction from the direction of the lagged problem. The search decides whether it is any
/// good.
template <int dim>
VecX FrictionCoupling<dim>::coupled(const Iterate& at, const VecX& dy) const {
  StageTimer timer(log_.profile(), Stage::linear_solve);
  // Preconditioned by A, the system is (I + A^-1 C) dy = -A^-1 g, and the lagged direction is its right-hand side.
  const auto apply = [&](const VecX& d) {
    VecX solved;
    const bool is_solved = in_.system.solver().solve(friction_change(at, d), solved) == LinearSolveStatus::solved;
    return is_solved ? solved : VecX(VecX::Zero(d.size()));
  };
  return solve_identity_plus(apply, dy, coupling_tolerance, max_coupling_iterations);
}

template <int dim>
Followed FrictionCoupling<dim>::follow(const VecX& lagged_dy, const VecX& gradient, Point& point) {
  if (!is_possible()) return {};
  const VecX dy = coupled(point.iterate, lagged_dy);
  const double smallest = lag_.imbalance() > far_from_balance ? 1.0 : least_part;
  for (double part = 1.0; dy.allFinite() && part >= smallest; part *= 0.25) {
    const Direction direction = bound_.feasible_direction(point.iterate, gradient, part * dy);
    VecX x = in_.coordinates().move(point.iterate.x, direction.dy, direction.alpha_limit);
    if (!problem_.is_feasible(x)) continue;
    Iterate trial = problem_.make_iterate(std::move(x), direction.candidates);
    // The natural monotonicity test asks that Newton's direction with the present matrix be shorter at the trial point.
    VecX left;
    const bool is_solved =
        in_.system.solver().solve(gradient_with(trial, lag_.fresh(trial)), left) == LinearSolveStatus::solved;
    if (!is_solved || !(left.norm() <= (1.0 - least_progress * part) * lagged_dy.norm())) continue;
    MoveListener::note(in_, point.iterate.x, trial.x, direction.dy, direction.alpha_limit);
    point.iterate = std::move(trial);
    lag_.take_up(point, 1.0);
    lag_.note_coupling(part == 1.0);
    const double alpha = part * direction.share * direction.alpha_limit;
    return {true, alpha, alpha, direction.limited_by, 0, "forces and friction at once"};
  }
  lag_.note_failed_coupling();
  return {};
}

template class FrictionCoupling<2>;
template class FrictionCoupling<3>;

}  // namespace clearance
