#include "clearance/sparse/cholmod_solver.h"

#include <algorithm>
#include <utility>

#include "clearance/base/profile.h"
#include "clearance/sparse/elimination_order.h"

namespace clearance {
namespace {

// Cost of the symbolic work per stored block, counted in operations of the numeric factorisation (30 per nanosecond). A
// new order is computed only if it is likely to earn its cost back. Counts decide, not times, so that the choice is the
// same in every run.
constexpr double amd_cost = 3e3;
constexpr double dissection_cost = 2.2e4;
constexpr double analysis_cost = 3.5e3;
// Number of factorisations that a new order is expected to serve: a time step has 3 to 10 Newton iterations.
constexpr double expected_uses = 4.0;
// Number of blocks from which on minimum degree is not even tried on the common pattern.
constexpr int surely_dissection = 100000;
// Contacts add couplings: a pattern is expected to need this many times the operations, whatever its order.
constexpr double natural_growth = 1.1;
// A new order that saves less than this is not better: the pattern itself has become harder.
constexpr double least_gain = 0.05;

// Relative residual above which one step of iterative refinement follows; only very ill-conditioned systems reach it.
constexpr double refinement_residual = 1e-10;

}  // namespace

bool CholmodSolver::prepare(const BlockSparseMatrix& matrix) {
  matrix_ = nullptr;
  const bool is_first = std::exchange(is_next_first_, false);
  // The pattern may stay the same, but the operations lost before forget_history() must not count.
  if (is_first) excess_ = 0;
  if (matrix.pattern_id() == analyzed_pattern_) return true;
  const Stopwatch watch;
  if (is_first) {
    order_ = common_order_;
    fair_flops_ = common_flops_;
  }
  is_analysis_first_ = is_first;
  const bool is_analyzed = analyze(matrix);
  analyzed_pattern_ = is_analyzed ? matrix.pattern_id() : 0;
  counters_.analyze_seconds += watch.seconds();
  return is_analyzed;
}

LinearSolveStatus CholmodSolver::factorize(const BlockSparseMatrix& matrix) {
  if (!prepare(matrix)) return LinearSolveStatus::out_of_memory;
  const Stopwatch watch;
  excess_ += std::max(0.0, pattern_.flops - natural_growth * fair_flops_);
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
  matrix_ = nullptr;
  analyzed_pattern_ = 0;
  order_.clear();
  pattern_ = SupernodalPattern();
  // This order serves many steps, so both methods are tried and their ratio is remembered.
  if (matrix.num_blocks() < surely_dissection) try_order(matrix, compute_amd_order(matrix));
  const double amd_flops = pattern_.flops;
  try_order(matrix, compute_dissection_order(matrix));
  if (amd_flops > 0.0) dissection_gain_ = 1.0 - pattern_.flops / amd_flops;
  common_order_ = order_;
  common_flops_ = pattern_.flops;
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
  pattern_ = has_order ? analyze_with(matrix, order_) : SupernodalPattern();
  if (pattern_.num_supernodes() > 0 && !is_new_order_worthwhile(matrix)) return true;

  try_order(matrix, is_dissection_better(matrix) ? compute_dissection_order(matrix) : compute_amd_order(matrix));
  fair_flops_ = pattern_.flops;
  excess_ = 0;
  return static_cast<int>(pattern_.order.size()) == matrix.num_blocks();
}

/// True if nested dissection would save its own cost, assuming that it saves as much as on the common pattern.
bool CholmodSolver::is_dissection_better(const BlockSparseMatrix& matrix) const {
  const double saved = expected_uses * dissection_gain_ * pattern_.flops;
  return saved > dissection_cost * static_cast<double>(matrix.num_stored_blocks());
}

/// True if the operations lost since order_ was good, plus those expected, exceed the cost of a new order. This rule is
/// never much worse than the best choice in hindsight.
bool CholmodSolver::is_new_order_worthwhile(const BlockSparseMatrix& matrix) const {
  const double lost = excess_ + expected_uses * std::max(0.0, pattern_.flops - natural_growth * fair_flops_);
  const double cost = analysis_cost + (is_dissection_better(matrix) ? dissection_cost : amd_cost);
  return lost > cost * static_cast<double>(matrix.num_stored_blocks());
}

void CholmodSolver::try_order(const BlockSparseMatrix& matrix, std::vector<int> order) {
  ++counters_.num_orderings;
  if (static_cast<int>(order.size()) != matrix.num_blocks()) return;
  SupernodalPattern pattern = analyze_with(matrix, order);
  const bool is_first = pattern_.num_supernodes() == 0;
  if (pattern.num_supernodes() == 0 || (!is_first && pattern.flops > (1.0 - least_gain) * pattern_.flops)) return;
  order_ = std::move(order);
  pattern_ = std::move(pattern);
}

SupernodalPattern CholmodSolver::analyze_with(const BlockSparseMatrix& matrix, const std::vector<int>& order) {
  ++counters_.num_analyses;
  return analyze_supernodes(matrix, order);
}

std::unique_ptr<LinearSolver> make_cholmod_solver() {
  return std::make_unique<CholmodSolver>();
}

}  // namespace clearance
