// The direct solver, for callers that must know its cost in advance; others use make_cholmod_solver().
#pragma once

#include <vector>

#include "clearance/sparse/linear_solver.h"
#include "clearance/sparse/supernodal_factor.h"

namespace clearance {

class CholmodSolver final : public LinearSolver {
 public:
  /// Computes the order and the symbolic factorisation for the pattern of `matrix`; returns false if memory runs out.
  bool prepare(const BlockSparseMatrix& matrix);
  /// Returns the operations of the numeric factorisation planned by prepare() or set_common_pattern().
  double predicted_flops() const { return pattern_.flops; }
  LinearSolveStatus factorize(const BlockSparseMatrix& matrix) override;
  LinearSolveStatus solve(const VecX& b, VecX& x) override;
  void set_common_pattern(const BlockSparseMatrix& matrix) override;
  void forget_history() override;
  const LinearSolverCounters& counters() const override { return counters_; }
  bool proves_definiteness() const override { return true; }

 private:
  bool analyze(const BlockSparseMatrix& matrix);
  bool is_dissection_better(const BlockSparseMatrix& matrix) const;
  bool is_new_order_worthwhile(const BlockSparseMatrix& matrix) const;
  void try_order(const BlockSparseMatrix& matrix, std::vector<int> order);
  SupernodalPattern analyze_with(const BlockSparseMatrix& matrix, const std::vector<int>& order);

  LinearSolverCounters counters_;
  std::uint64_t analyzed_pattern_ = 0;
  std::vector<int> order_;
  double fair_flops_ = 0;          // operations of the last pattern for which order_ was known to be good
  double excess_ = 0;              // operations beyond fair_flops_ since then
  std::vector<int> common_order_;  // order_ and fair_flops_ after forget_history
  double common_flops_ = 0;
  // fraction of minimum degree's operations that nested dissection saves on common systems
  double dissection_gain_ = 0.3;
  bool is_next_first_ = true;       // True if there was no system since forget_history.
  bool is_analysis_first_ = false;  // True if pattern_ is that of a first system, which depends on nothing before it.
  SupernodalPattern pattern_;
  SupernodalFactor factor_;
  const BlockSparseMatrix* matrix_ = nullptr;  // null unless factorised
};

}  // namespace clearance
