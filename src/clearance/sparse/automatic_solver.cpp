#include "clearance/sparse/cholmod_solver.h"
#include "clearance/sparse/linear_solver.h"

namespace clearance {
namespace {

// Number of operations of the factorisation per stored block above which iterating is taken to be cheaper: 100
// iterations take about 6 microseconds per block, and the factorisation runs 30 operations per nanosecond. The bound on
// operations also bounds the memory of the factor by a multiple of the matrix. A mat of 100,000 nodes is factored, a
// cube of 358,000 iterated.
constexpr double most_flops_per_block = 2e5;
// If iterations do not converge, a factorisation of up to this many times the work still replaces them.
constexpr double last_resort = 30.0;
constexpr PcgOptions pcg_options{.max_iterations = 1000};

class AutomaticSolver final : public LinearSolver {
 public:
  LinearSolveStatus factorize(const BlockSparseMatrix& matrix) override;
  LinearSolveStatus solve(const VecX& b, VecX& x) override;
  void set_common_pattern(const BlockSparseMatrix& matrix) override;
  void set_positions(const VecX& x) override { iterative_->set_positions(x); }
  void forget_history() override;
  const LinearSolverCounters& counters() const override;

 private:
  bool is_large(const BlockSparseMatrix& matrix) const {
    return direct_.predicted_flops() > most_flops_per_block * static_cast<double>(matrix.num_stored_blocks());
  }

  CholmodSolver direct_;
  std::unique_ptr<LinearSolver> iterative_ = make_pcg_solver(pcg_options);
  bool is_always_large_ = false;  // the common pattern is large, so no system needs an analysis
  bool is_direct_ = true;
  const BlockSparseMatrix* matrix_ = nullptr;
  mutable LinearSolverCounters counters_;
};

void AutomaticSolver::set_common_pattern(const BlockSparseMatrix& matrix) {
  direct_.set_common_pattern(matrix);
  is_always_large_ = is_large(matrix);
  // Smaller systems are iterated only if contacts make them costly; patches then depend on the contacts.
  if (is_always_large_) iterative_->set_common_pattern(matrix);
}

void AutomaticSolver::forget_history() {
  direct_.forget_history();
  iterative_->forget_history();
}

LinearSolveStatus AutomaticSolver::factorize(const BlockSparseMatrix& matrix) {
  matrix_ = &matrix;
  is_direct_ = !is_always_large_ && direct_.prepare(matrix) && !is_large(matrix);
  return is_direct_ ? direct_.factorize(matrix) : iterative_->factorize(matrix);
}

LinearSolveStatus AutomaticSolver::solve(const VecX& b, VecX& x) {
  if (is_direct_) return direct_.solve(b, x);
  LinearSolveStatus status = iterative_->solve(b, x);
  if (status != LinearSolveStatus::not_converged || !direct_.prepare(*matrix_)) return status;
  const double bound = last_resort * most_flops_per_block * static_cast<double>(matrix_->num_stored_blocks());
  if (direct_.predicted_flops() > bound) return status;
  status = direct_.factorize(*matrix_);
  return status == LinearSolveStatus::solved ? direct_.solve(b, x) : status;
}

const LinearSolverCounters& AutomaticSolver::counters() const {
  const LinearSolverCounters& a = direct_.counters();
  const LinearSolverCounters& b = iterative_->counters();
  counters_ = {a.num_orderings + b.num_orderings,           a.num_analyses + b.num_analyses,
               a.num_factorizations + b.num_factorizations, a.num_iterations + b.num_iterations,
               a.factor_seconds + b.factor_seconds,         a.solve_seconds + b.solve_seconds,
               a.analyze_seconds + b.analyze_seconds};
  return counters_;
}

}  // namespace

std::unique_ptr<LinearSolver> make_automatic_solver() {
  return std::make_unique<AutomaticSolver>();
}

}  // namespace clearance
