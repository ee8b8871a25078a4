// Conjugate gradients with a preconditioner of choice; others use make_pcg_solver() or make_automatic_solver().
#pragma once

#include <memory>

#include "clearance/sparse/preconditioner.h"

namespace clearance {

class PcgSolver final : public LinearSolver {
 public:
  PcgSolver(std::shared_ptr<Preconditioner> preconditioner, const PcgOptions& options)
      : options_(options), preconditioner_(std::move(preconditioner)) {}

  /// Ends solves of the next systems after this many iterations.
  void limit_iterations(int most) { options_.max_iterations = most; }
  LinearSolveStatus factorize(const BlockSparseMatrix& matrix) override;
  LinearSolveStatus solve(const VecX& b, VecX& x) override { return solve_to(options_.relative_tolerance, b, x); }
  LinearSolveStatus solve_roughly(const VecX& b, VecX& x) override { return solve_to(options_.rough_tolerance, b, x); }
  void set_common_pattern(const BlockSparseMatrix& matrix) override { preconditioner_->set_common_pattern(matrix); }
  void set_positions(const VecX& x) override { preconditioner_->set_positions(x); }
  void forget_history() override {
    matrix_ = nullptr;
    preconditioner_->forget_history();
  }
  const LinearSolverCounters& counters() const override { return counters_; }

 private:
  LinearSolveStatus solve_to(double tolerance, const VecX& b, VecX& x);
  LinearSolveStatus iterate(double tolerance, const VecX& b, VecX& x);

  PcgOptions options_;
  LinearSolverCounters counters_;
  std::shared_ptr<Preconditioner> preconditioner_;
  const BlockSparseMatrix* matrix_ = nullptr;  // null unless the preconditioner is ready
};

}  // namespace clearance
