#include "clearance/solver/newton_system.h"

#include <algorithm>
#include <cmath>

#include "clearance/base/log.h"

namespace clearance {

namespace {
/// Share of the forces left from which on Hessians are not projected.
constexpr double exact_imbalance = 1.0;
}  // namespace

template <int dim>
void NewtonSystem<dim>::assemble(const Iterate& iterate) {
  StageTimer timer(report_.profile, Stage::assembly);
  is_exact_ = wants_exact_;
  problem_.assemble(iterate, in_.system, gradient_, is_exact_ ? HessianKind::exact : HessianKind::projected);
  if (!in_.has_forces()) return;
  const BlockSparseMatrix& matrix = in_.system.matrix();
  stiffness_.resize(matrix.num_blocks());
  for (int b = 0; b < matrix.num_blocks(); ++b) {
    stiffness_[b] = matrix.diagonal_block<dim>(b).diagonal().cwiseAbs().maxCoeff();
  }
}

template <int dim>
void NewtonSystem<dim>::want_exact(bool is_near, double imbalance) {
  wants_exact_ = is_near && imbalance < std::min(exact_imbalance, exact_limit_);
}

/// Near the solution with the exact Hessian, which converges quadratically, if that is positive definite; projected
/// ones converge linearly.
template <int dim>
bool NewtonSystem<dim>::solve(const Iterate& iterate, VecX& dy) {
  if (is_exact_) {
    if (solve_exact(dy)) return true;
    wants_exact_ = false;
    exact_limit_ = 0.1 * report_.imbalance;
    assemble(iterate);
  }
  return solve_projected(dy);
}

template <int dim>
bool NewtonSystem<dim>::solve_exact(VecX& dy) {
  StageTimer timer(report_.profile, Stage::linear_solve);
  LinearSolver& solver = in_.system.solver();
  return solver.factorize(in_.system.matrix()) == LinearSolveStatus::solved &&
         solver.solve(-gradient_, dy) == LinearSolveStatus::solved && is_descent(dy);
}

/// A Hessian that rounding or a missing inertia leaves singular is shifted along its diagonal; rounding can also spoil
/// the descent when the system is all but singular.
template <int dim>
bool NewtonSystem<dim>::solve_projected(VecX& dy) {
  StageTimer timer(report_.profile, Stage::linear_solve);
  LinearSolver& solver = in_.system.solver();
  BlockSparseMatrix& matrix = in_.system.matrix();
  double shift = 0.0;
  for (int attempt = 0; attempt < 12; ++attempt) {
    if (solver.factorize(matrix) == LinearSolveStatus::solved &&
        solver.solve(-gradient_, dy) == LinearSolveStatus::solved && is_descent(dy)) {
      return true;
    }
    // Not positive definite but for rounding: a multiple of the identity is added, more each time.
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
    log_warning("step {}: linear system shifted by {:.3g}", in_.state.step + 1, wanted);
    shift = wanted;
  }
  return false;
}

template class NewtonSystem<2>;
template class NewtonSystem<3>;

}  // namespace clearance
