#include "clearance/solver/newton_system.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "clearance/base/log.h"
#include "clearance/model/blocks.h"

namespace clearance {

namespace {
/// Imbalance below which Hessians are not projected.
constexpr double exact_imbalance = 1.0;
/// Least share of the projected Hessian that is added to an exact one on the way out of an unstable balance, and the
/// factor between the shares that are tried.
constexpr double least_share = 1.0 / 1024, share_factor = 4.0;
/// Growth, with each projected direction, of the imbalance below which an exact Hessian is tried again where loads
/// alone soften a body: ten directions later at the latest.
constexpr double limit_growth = 1.2589254117941673;

/// True if only loads can make an exact Hessian indefinite: neither inertia nor contacts count.
template <int dim>
bool is_softened_by_loads(const StepProblem<dim>& problem, const NewtonState& at) {
  return !problem.target().has_inertia && at.point.iterate.contacts.contacts.empty();
}
}  // namespace

template <int dim>
void NewtonSystem<dim>::assemble(const Iterate& iterate, const MovingPart<dim>& part) {
  StageTimer timer(log_.profile(), Stage::assembly);
  is_exact_ = wants_exact_;
  has_factor_ = false;
  problem_.assemble(iterate, in_.system, gradient_, is_exact_ ? HessianKind::exact : HessianKind::projected);
  if (!part.is_everything()) return;
  const BlockSparseMatrix& matrix = in_.system.matrix();
  stiffness_.resize(matrix.num_blocks());
  for (int b = 0; b < matrix.num_blocks(); ++b) {
    stiffness_[b] = matrix.diagonal_block<dim>(b).diagonal().cwiseAbs().maxCoeff();
  }
}

template <int dim>
void NewtonSystem<dim>::want_exact(bool is_near, double imbalance) {
  imbalance_ = imbalance;
  wants_exact_ = is_near && imbalance < std::min(exact_imbalance, exact_limit_);
}

/// Puts off the next exact Hessian until the imbalance has fallen to a tenth.
template <int dim>
void NewtonSystem<dim>::put_exact_off() {
  wants_exact_ = false;
  exact_limit_ = 0.1 * imbalance_;
}

/// An exact Hessian whose direction the line search had to cut is as little use as an indefinite one: it is right at
/// the iterate alone, where friction begins to slide or a contact turns. Of 69 directions of a step of 200 marbles, 22
/// were such ones, and less than a hundredth of each was taken.
template <int dim>
void NewtonSystem<dim>::note_followed(const Followed& followed) {
  constexpr double served_share = 0.5;
  const bool is_cut = followed.alpha < served_share * std::min(1.0, followed.alpha_limit);
  if (is_exact_ && is_cut && !leads_out_) put_exact_off();
}

template <int dim>
void NewtonSystem<dim>::start_anew() {
  gradient_.resize(0);
  stable_at_.resize(0);
  has_factor_ = wants_exact_ = false;
  exact_limit_ = infinity;
  leads_out_ = true;
}

/// Solves with the exact Hessian near the solution if that is positive definite, since it converges quadratically;
/// projected ones converge linearly.
template <int dim>
bool NewtonSystem<dim>::solve(const NewtonState& at, const MovingPart<dim>& part, VecX& dy) {
  if (!part.is_everything()) return solve_part(part.blocks(), dy);
  is_shifted_ = false;
  if (is_exact_) {
    has_factor_ = solve_exact(at, dy);
    if (has_factor_) return true;
    if (leads_out_ || is_softened_by_loads(problem_, at)) {
      has_factor_ = solve_between(at, part, dy);
      if (has_factor_) return true;
    } else {
      put_exact_off();
      assemble(at.point.iterate, part);
    }
  } else if (is_softened_by_loads(problem_, at)) {
    exact_limit_ *= limit_growth;
  }
  has_factor_ = solve_projected(dy);
  return has_factor_;
}

template <int dim>
bool NewtonSystem<dim>::solve_again(const VecX& gradient, VecX& dy) {
  StageTimer timer(log_.profile(), Stage::linear_solve);
  return in_.system.solver().solve(-gradient, dy) == LinearSolveStatus::solved && dy.allFinite();
}

template <int dim>
bool NewtonSystem<dim>::respond(const Iterate& from, const VecX& moved, VecX& dy) {
  bool is_solved = false;
  for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
    BlockSparseMatrix whole;
    {
      StageTimer timer(log_.profile(), Stage::assembly);
      problem_.assemble(from, in_.system, gradient_, kind, &whole, Coupling::of_all_nodes);
    }
    StageTimer timer(log_.profile(), Stage::linear_solve);
    // The forces on the free nodes change by H_fp p where the held ones move by p.
    const VecX right_side = -gradient_ - problem_.free_part(in_.coordinates(), from.x, whole.multiply(moved));
    LinearSolver& solver = in_.system.solver();
    is_solved = solver.factorize(in_.system.matrix()) == LinearSolveStatus::solved &&
                solver.solve(right_side, dy) == LinearSolveStatus::solved && dy.allFinite();
    if (is_solved) break;
  }
  gradient_.resize(0);
  has_factor_ = false;
  return is_solved;
}

template <int dim>
bool NewtonSystem<dim>::solve_exact(const NewtonState& at, VecX& dy) {
  StageTimer timer(log_.profile(), Stage::linear_solve);
  LinearSolver& solver = in_.system.solver();
  const bool is_factored = solver.factorize(in_.system.matrix()) == LinearSolveStatus::solved;
  // Forecasts of contacts add stiffness that the objective does not have.
  const bool is_plain = problem_.forecast().is_empty();
  if (is_factored && is_plain && solver.proves_definiteness()) stable_at_ = at.point.iterate.x;
  return is_factored && solver.solve_roughly(-gradient_, dy) == LinearSolveStatus::solved && is_descent(dy);
}

/// Solves with the sum of the assembled exact Hessian and the least share of the projected one that makes it positive
/// definite. Where loads soften a body until it buckles, the exact one is indefinite, and directions of the projected
/// one are as much too short: a column that had to turn from one direction of bending to the softest one took more than
/// 1000, and a slender one that passed Euler's load in a step took 9000. False, with the projected Hessian assembled,
/// if no share below one does.
template <int dim>
bool NewtonSystem<dim>::solve_between(const NewtonState& at, const MovingPart<dim>& part, VecX& dy) {
  const std::uint64_t pattern = in_.system.matrix().pattern_id();
  const std::vector<double> exact = in_.system.matrix().values();
  wants_exact_ = false;
  assemble(at.point.iterate, part);
  BlockSparseMatrix& matrix = in_.system.matrix();
  if (matrix.pattern_id() != pattern) return false;
  StageTimer timer(log_.profile(), Stage::linear_solve);
  const std::vector<double> projected = matrix.values();
  LinearSolver& solver = in_.system.solver();
  for (double share = std::max(least_share, share_ / share_factor); share < 1.0; share *= share_factor) {
    for (std::size_t i = 0; i < exact.size(); ++i) matrix.values()[i] = exact[i] + share * projected[i];
    if (solver.factorize(matrix) == LinearSolveStatus::solved &&
        solver.solve_roughly(-gradient_, dy) == LinearSolveStatus::solved && is_descent(dy)) {
      share_ = share;
      is_exact_ = true;
      return true;
    }
  }
  matrix.values() = projected;
  return false;
}

/// Solves with the projected Hessian. If rounding or missing inertia leaves it singular, its diagonal is shifted;
/// rounding can also spoil the descent if the system is all but singular.
template <int dim>
bool NewtonSystem<dim>::solve_projected(VecX& dy) {
  StageTimer timer(log_.profile(), Stage::linear_solve);
  LinearSolver& solver = in_.system.solver();
  BlockSparseMatrix& matrix = in_.system.matrix();
  double shift = 0.0;
  for (int attempt = 0; attempt < 12; ++attempt) {
    if (solver.factorize(matrix) == LinearSolveStatus::solved &&
        solver.solve_roughly(-gradient_, dy) == LinearSolveStatus::solved && is_descent(dy)) {
      return true;
    }
    // The matrix is not positive definite because of rounding: a multiple of the identity is added, more each time.
    double largest = 0.0;
    for (int b = 0; b < matrix.num_blocks(); ++b) {
      for (int c = 0; c < dim; ++c) {
        const std::size_t at = matrix.find_slot(b, b) + c * (matrix.slot_stride(b) + 1);
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
    is_shifted_ = true;
  }
  return false;
}

/// Solves for the blocks of a part. The order of eliminations is kept as long as it serves, since the parts of one step
/// are much the same.
template <int dim>
bool NewtonSystem<dim>::solve_part(const std::vector<int>& blocks, VecX& dy) {
  StageTimer timer(log_.profile(), Stage::linear_solve);
  if (!part_solver_) part_solver_ = make_cholmod_solver();
  const BlockSparseMatrix matrix = in_.system.matrix().principal(blocks);
  VecX forces(dim * static_cast<Eigen::Index>(blocks.size())), solution;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    block<dim>(forces, static_cast<int>(k)) = -block<dim>(gradient_, blocks[k]);
  }
  if (part_solver_->factorize(matrix) != LinearSolveStatus::solved ||
      part_solver_->solve(forces, solution) != LinearSolveStatus::solved) {
    return false;
  }
  dy.setZero(gradient_.size());
  for (std::size_t k = 0; k < blocks.size(); ++k) block<dim>(dy, blocks[k]) = block<dim>(solution, static_cast<int>(k));
  return is_descent(dy);
}

template class NewtonSystem<2>;
template class NewtonSystem<3>;

}  // namespace clearance
