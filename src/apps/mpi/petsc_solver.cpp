#include "apps/mpi/petsc_solver.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "apps/mpi/messages.h"
#include "apps/mpi/processes.h"
#include "clearance/base/profile.h"

namespace clearance::mpi {

namespace {

// Relative residual above which one step of iterative refinement follows, as in the library's own factorisation.
constexpr double refinement_residual = 1e-10;

int num_made = 0;

class PetscSolver final : public LinearSolver {
 public:
  explicit PetscSolver(const PetscOptions& options);
  ~PetscSolver() override;
  PetscSolver(const PetscSolver&) = delete;
  PetscSolver& operator=(const PetscSolver&) = delete;
  LinearSolveStatus factorize(const BlockSparseMatrix& matrix) override;
  LinearSolveStatus solve(const VecX& b, VecX& x) override;
  void set_common_pattern(const BlockSparseMatrix& matrix) override { part_of_ = cut_rows(matrix, num_processes_); }
  bool needs_rigid_motions() const override { return true; }
  void set_rigid_motions(const MatX& motions) override;
  void forget_history() override { starts_anew_ = true; }
  const LinearSolverCounters& counters() const override { return counters_; }

 private:
  void ask(Request request) const { give_command({request, number_}); }
  void set_pattern(const BlockSparseMatrix& matrix);
  void hand_out_motions(const BlockSparseMatrix& matrix);
  LinearSolveStatus solve_once(const VecX& b, VecX& x);

  PetscOptions options_;
  int num_processes_ = num_processes();
  int number_ = num_made++;
  std::optional<PetscSystem> own_;  // the share of this process
  LinearSolverCounters counters_;
  std::vector<int> part_of_;  // per block: the process that has its row
  RowParts parts_;
  std::uint64_t pattern_id_ = 0;
  MatX motions_;
  bool are_motions_new_ = false;
  bool starts_anew_ = false;
  std::vector<double> values_;
  const BlockSparseMatrix* matrix_ = nullptr;  // null unless factorised
};

PetscSolver::PetscSolver(const PetscOptions& options) : options_(options) {
  ask(Request::make_system);
  for (int p = 1; p < num_processes_; ++p) send_options(options, p);
  own_.emplace(options);
}

PetscSolver::~PetscSolver() {
  // All processes drop the system at once.
  ask(Request::drop_system);
  own_.reset();
}

void PetscSolver::set_rigid_motions(const MatX& motions) {
  motions_ = motions;
  are_motions_new_ = true;
}

void PetscSolver::set_pattern(const BlockSparseMatrix& matrix) {
  const Stopwatch watch;
  if (static_cast<int>(part_of_.size()) != matrix.num_blocks()) part_of_ = cut_rows(matrix, num_processes_);
  parts_ = RowParts(matrix, part_of_, num_processes_);
  ask(Request::set_pattern);
  for (int p = 1; p < num_processes_; ++p) send_pattern(parts_.pattern(matrix, p), p);
  own_->set_pattern(parts_.pattern(matrix, 0));
  pattern_id_ = matrix.pattern_id();
  are_motions_new_ = true;
  ++counters_.num_analyses;
  counters_.analyze_seconds += watch.seconds();
}

void PetscSolver::hand_out_motions(const BlockSparseMatrix& matrix) {
  are_motions_new_ = false;
  if (motions_.rows() != matrix.num_rows()) return;
  ask(Request::set_motions);
  for (int p = 1; p < num_processes_; ++p) send(parts_.rows_of(motions_, p), p);
  own_->set_motions(parts_.rows_of(motions_, 0));
}

LinearSolveStatus PetscSolver::factorize(const BlockSparseMatrix& matrix) {
  matrix_ = nullptr;
  // Some libraries take a value that is not finite for an error of their own.
  if (!std::all_of(matrix.values().begin(), matrix.values().end(), [](double v) { return std::isfinite(v); })) {
    return LinearSolveStatus::not_positive_definite;
  }
  matrix_ = &matrix;
  if (matrix.num_blocks() == 0) return LinearSolveStatus::solved;
  if (pattern_id_ != matrix.pattern_id()) {
    set_pattern(matrix);
  } else if (starts_anew_) {
    ask(Request::start_anew);
    own_->start_anew();
  }
  starts_anew_ = false;
  if (are_motions_new_) hand_out_motions(matrix);

  const Stopwatch watch;
  ask(Request::factorize);
  for (int p = 1; p < num_processes_; ++p) {
    parts_.copy_values(matrix, p, values_);
    send(values_, p);
  }
  parts_.copy_values(matrix, 0, values_);
  const LinearSolveStatus status = own_->factorize(values_);
  ++counters_.num_factorizations;
  counters_.factor_seconds += watch.seconds();
  if (status != LinearSolveStatus::solved) matrix_ = nullptr;
  return status;
}

LinearSolveStatus PetscSolver::solve_once(const VecX& b, VecX& x) {
  ask(Request::solve);
  const auto numbers_of = [&](int p) {
    const MatX rows = parts_.rows_of(b, p);
    return std::vector<double>(rows.data(), rows.data() + rows.size());
  };
  for (int p = 1; p < num_processes_; ++p) send(numbers_of(p), p);
  std::vector<double> solution;
  const LinearSolveStatus status = own_->solve(numbers_of(0), solution);
  counters_.num_iterations += own_->last_iterations();
  x.resize(b.size());
  parts_.put_rows(solution.data(), 0, x);
  for (int p = 1; p < num_processes_; ++p) {
    receive(solution, p);
    parts_.put_rows(solution.data(), p, x);
  }
  return status;
}

LinearSolveStatus PetscSolver::solve(const VecX& b, VecX& x) {
  if (!matrix_) return LinearSolveStatus::not_positive_definite;
  x = VecX::Zero(b.size());
  if (b.size() == 0 || b.isZero(0.0)) return LinearSolveStatus::solved;
  const Stopwatch watch;
  LinearSolveStatus status = solve_once(b, x);
  if (status == LinearSolveStatus::solved && options_.method == PetscMethod::mumps) {
    const VecX residual = b - matrix_->multiply(x);
    VecX correction;
    if (residual.norm() > refinement_residual * b.norm() &&
        solve_once(residual, correction) == LinearSolveStatus::solved &&
        (residual - matrix_->multiply(correction)).norm() < residual.norm()) {
      x += correction;
    }
  }
  counters_.solve_seconds += watch.seconds();
  return status == LinearSolveStatus::solved && !x.allFinite() ? LinearSolveStatus::not_positive_definite : status;
}

}  // namespace

std::unique_ptr<LinearSolver> make_petsc_solver(const PetscOptions& options) {
  return std::make_unique<PetscSolver>(options);
}

}  // namespace clearance::mpi
