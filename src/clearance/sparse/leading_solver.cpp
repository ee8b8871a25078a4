#include <numeric>
#include <utility>

#include "clearance/base/profile.h"
#include "clearance/sparse/elimination_order.h"
#include "clearance/sparse/linear_solver.h"
#include "clearance/sparse/supernodal_factor.h"

namespace clearance {
namespace {

class LeadingSolver final : public LinearSolver {
 public:
  explicit LeadingSolver(int num_leading) : leading_(num_leading) { std::iota(leading_.begin(), leading_.end(), 0); }

  LinearSolveStatus factorize(const BlockSparseMatrix& matrix) override {
    is_factorized_ = false;
    BlockSparseMatrix part = matrix.principal(leading_);
    if (matrix.pattern_id() != analyzed_pattern_) {
      const Stopwatch watch;
      pattern_ = analyze_supernodes(part, compute_amd_order(part));
      ++counters_.num_orderings;
      ++counters_.num_analyses;
      counters_.analyze_seconds += watch.seconds();
      analyzed_pattern_ = matrix.pattern_id();
    }
    matrix_ = std::move(part);
    if (pattern_.num_blocks != static_cast<int>(leading_.size())) return LinearSolveStatus::out_of_memory;
    const Stopwatch watch;
    const FactorOutcome outcome = factor_.factorize(pattern_, matrix_);
    ++counters_.num_factorizations;
    counters_.factor_seconds += watch.seconds();
    if (outcome == FactorOutcome::out_of_memory) return LinearSolveStatus::out_of_memory;
    is_factorized_ = outcome == FactorOutcome::done;
    return is_factorized_ ? LinearSolveStatus::solved : LinearSolveStatus::not_positive_definite;
  }

  LinearSolveStatus solve(const VecX& b, VecX& x) override {
    if (!is_factorized_) return LinearSolveStatus::not_positive_definite;
    const Stopwatch watch;
    x = b;
    x.head(matrix_.num_rows()) = factor_.solve(pattern_, b.head(matrix_.num_rows()));
    counters_.solve_seconds += watch.seconds();
    return x.allFinite() ? LinearSolveStatus::solved : LinearSolveStatus::not_positive_definite;
  }

  void forget_history() override {}
  const LinearSolverCounters& counters() const override { return counters_; }

 private:
  std::vector<int> leading_;
  std::uint64_t analyzed_pattern_ = 0;
  BlockSparseMatrix matrix_;
  SupernodalPattern pattern_;
  SupernodalFactor factor_;
  LinearSolverCounters counters_;
  bool is_factorized_ = false;
};

}  // namespace

std::unique_ptr<LinearSolver> make_leading_solver(int num_leading) {
  return std::make_unique<LeadingSolver>(num_leading);
}

}  // namespace clearance
