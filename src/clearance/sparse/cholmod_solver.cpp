#include <algorithm>
#include <utility>

#include "clearance/base/profile.h"
#include "clearance/sparse/elimination_order.h"
#include "clearance/sparse/linear_solver.h"
#include "clearance/sparse/supernodal_factor.h"

namespace clearance {
namespace {

// Below this many operations (0.02 s) a better order cannot earn back the time METIS takes to find it.
constexpr double dissection_pays_flops = 2e8;
// An order is kept until a changed pattern needs this many times the operations it needed at its best.
constexpr double largest_flops_growth = 1.3;
// Relative residual above which one step of iterative refinement follows; reached only by very ill-conditioned systems.
constexpr double refinement_residual = 1e-10;

class CholmodSolver final : public LinearSolver {
 public:
  LinearSolveStatus factorize(const BlockSparseMatrix& matrix) override;
  LinearSolveStatus solve(const VecX& b, VecX& x) override;
  void set_common_pattern(const BlockSparseMatrix& matrix) override;
  void forget_history() override;
  const LinearSolverCounters& counters() const override { return counters_; }

 private:
  bool analyze(const BlockSparseMatrix& matrix);
  bool analyze_with_old_order(const BlockSparseMatrix& matrix);
  bool analyze_with_new_order(const BlockSparseMatrix& matrix);
  SupernodalPattern analyze_with(const BlockSparseMatrix& matrix, const std::vector<int>& order);

  LinearSolverCounters counters_;
  std::uint64_t analyzed_pattern_ = 0;
  std::vector<int> order_;
  double best_flops_ = 0;          // fewest operations that order_ has needed
  std::vector<int> common_order_;  // order_ and best_flops_ after forget_history
  double common_flops_ = 0;
  bool is_next_first_ = true;       // no system since forget_history
  bool is_analysis_first_ = false;  // pattern_ is that of a first system: it depends on nothing before
  SupernodalPattern pattern_;
  SupernodalFactor factor_;
  const BlockSparseMatrix* matrix_ = nullptr;  // null unless factorised
};

LinearSolveStatus CholmodSolver::factorize(const BlockSparseMatrix& matrix) {
  matrix_ = nullptr;
  const bool is_first = std::exchange(is_next_first_, false);
  if (matrix.pattern_id() != analyzed_pattern_) {
    const Stopwatch watch;
    if (is_first) {
      order_ = common_order_;
      best_flops_ = common_flops_;
    }
    is_analysis_first_ = is_first;
    const bool is_analyzed = analyze(matrix);
    counters_.analyze_seconds += watch.seconds();
    analyzed_pattern_ = is_analyzed ? matrix.pattern_id() : 0;
    if (!is_analyzed) return LinearSolveStatus::out_of_memory;
  }

  const Stopwatch watch;
  const FactorOutcome outcome = factor_.factorize(pattern_, matrix);
  ++counters_.num_factorizations;
  counters_.factor_seconds += watch.seconds();
  if (outcome == FactorOutcome::out_of_memory) return LinearSolveStatus::out_of_memory;
  if (outcome == FactorOutcome::not_positive_definite) return LinearSolveStatus::not_positive_definite;
  matrix_ = &matrix;
  return LinearSolveStatus::solved;
}

LinearSolveStatus CholmodSolver::solve(const VecX& b, VecX& x) {
  if (!matrix_) return LinearSolveStatus::not_positive_definite;
  const Stopwatch watch;
  x = factor_.solve(pattern_, b);

  // One product tells whether the factor was accurate enough; it costs a fraction of the solve.
  const VecX residual = b - matrix_->multiply(x);
  if (residual.norm() > refinement_residual * b.norm()) {
    const VecX refined = x + factor_.solve(pattern_, residual);
    if ((b - matrix_->multiply(refined)).norm() < residual.norm()) x = refined;
  }
  counters_.solve_seconds += watch.seconds();
  return x.allFinite() ? LinearSolveStatus::solved : LinearSolveStatus::not_positive_definite;
}

void CholmodSolver::set_common_pattern(const BlockSparseMatrix& matrix) {
  const Stopwatch watch;
  order_.clear();
  analyzed_pattern_ = 0;
  matrix_ = nullptr;
  const bool is_analyzed = analyze(matrix);
  common_order_ = is_analyzed ? order_ : std::vector<int>();
  common_flops_ = best_flops_;
  counters_.analyze_seconds += watch.seconds();
  is_next_first_ = true;
}

void CholmodSolver::forget_history() {
  matrix_ = nullptr;
  is_next_first_ = true;
  if (!is_analysis_first_) analyzed_pattern_ = 0;
}

bool CholmodSolver::analyze(const BlockSparseMatrix& matrix) {
  const bool has_order = static_cast<int>(order_.size()) == matrix.num_blocks() && pattern_.dim == matrix.dim();
  if (has_order && analyze_with_old_order(matrix)) return true;
  return analyze_with_new_order(matrix);
}

bool CholmodSolver::analyze_with_old_order(const BlockSparseMatrix& matrix) {
  pattern_ = analyze_with(matrix, order_);
  if (pattern_.flops > largest_flops_growth * best_flops_) return false;
  best_flops_ = std::min(best_flops_, pattern_.flops);
  return static_cast<int>(pattern_.order.size()) == matrix.num_blocks();
}

bool CholmodSolver::analyze_with_new_order(const BlockSparseMatrix& matrix) {
  order_ = compute_amd_order(matrix);
  ++counters_.num_orderings;
  if (static_cast<int>(order_.size()) != matrix.num_blocks()) return false;
  pattern_ = analyze_with(matrix, order_);
  if (pattern_.flops > dissection_pays_flops) {
    std::vector<int> order = compute_dissection_order(matrix);
    ++counters_.num_orderings;
    SupernodalPattern pattern = order.empty() ? SupernodalPattern() : analyze_with(matrix, order);
    if (pattern.num_supernodes() > 0 && pattern.flops < pattern_.flops) {
      order_ = std::move(order);
      pattern_ = std::move(pattern);
    }
  }
  best_flops_ = pattern_.flops;
  return static_cast<int>(pattern_.order.size()) == matrix.num_blocks();
}

SupernodalPattern CholmodSolver::analyze_with(const BlockSparseMatrix& matrix, const std::vector<int>& order) {
  ++counters_.num_analyses;
  return analyze_supernodes(matrix, order);
}

}  // namespace

std::unique_ptr<LinearSolver> make_cholmod_solver() {
  return std::make_unique<CholmodSolver>();
}

}  // namespace clearance
