#include <algorithm>
#include <memory>

#include "clearance/sparse/cholmod_solver.h"
#include "clearance/sparse/corner_preconditioner.h"
#include "clearance/sparse/patch_preconditioner.h"
#include "clearance/sparse/pcg_solver.h"

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
// Operations of the factorisation that take as long as an iteration with the corners of curved elements, per stored
// block: 25 nanoseconds.
constexpr double flops_per_corner_iteration = 750.0;
// Iterations that the factorisation must cost for corners to be tried: 20 to 45 are usual, up to 80 in hard contact.
constexpr double fewest_corner_iterations = 60.0;

class AutomaticSolver final : public LinearSolver {
 public:
  LinearSolveStatus factorize(const BlockSparseMatrix& matrix) override;
  LinearSolveStatus solve(const VecX& b, VecX& x) override {
    return solve_with([&](LinearSolver& solver) { return solver.solve(b, x); });
  }
  LinearSolveStatus solve_roughly(const VecX& b, VecX& x) override {
    return solve_with([&](LinearSolver& solver) { return solver.solve_roughly(b, x); });
  }
  void set_interpolation(const Interpolation& interpolation) override;
  void expect_many_solves() override { has_many_solves_ = true; }
  void set_common_pattern(const BlockSparseMatrix& matrix) override;
  void set_positions(const VecX& x) override { patches_.set_positions(x); }
  void forget_history() override;
  const LinearSolverCounters& counters() const override;
  bool proves_definiteness() const override { return in_use_ == &direct_; }

 private:
  bool is_large(const BlockSparseMatrix& matrix) const {
    return direct_.predicted_flops() > most_flops_per_block * static_cast<double>(matrix.num_stored_blocks());
  }
  void choose_corners(const BlockSparseMatrix& matrix);
  LinearSolveStatus factorize_without_corners(const BlockSparseMatrix& matrix);
  template <class Solve>
  LinearSolveStatus solve_with(const Solve& solve);

  CholmodSolver direct_;
  std::shared_ptr<CornerPreconditioner> corner_system_ = std::make_shared<CornerPreconditioner>();
  PcgSolver corners_{corner_system_, pcg_options};
  PcgSolver patches_{std::make_shared<PatchPreconditioner>(), pcg_options};
  LinearSolver* in_use_ = &direct_;  // for the matrix given last
  bool has_many_solves_ = false;
  bool has_common_pattern_ = false;   // without one, every system is looked at by itself
  bool are_corners_cheap_ = false;    // for the common pattern, or else for this system
  bool have_corners_failed_ = false;  // since forget_history
  bool is_always_large_ = false;      // the common pattern is large, so no system needs an analysis
  const BlockSparseMatrix* matrix_ = nullptr;
  mutable LinearSolverCounters counters_;
};

void AutomaticSolver::set_interpolation(const Interpolation& interpolation) {
  corner_system_->set_interpolation(interpolation);
}

void AutomaticSolver::set_common_pattern(const BlockSparseMatrix& matrix) {
  direct_.set_common_pattern(matrix);
  has_common_pattern_ = true;
  is_always_large_ = is_large(matrix);
  choose_corners(matrix);
  // Smaller systems are iterated only if contacts make them costly; patches then depend on the contacts.
  if (is_always_large_ && !are_corners_cheap_) patches_.set_common_pattern(matrix);
}

/// Decides whether systems of this pattern, whose factorisation is planned, are iterated with the corners of curved
/// elements.
void AutomaticSolver::choose_corners(const BlockSparseMatrix& matrix) {
  are_corners_cheap_ = false;
  if (!corner_system_->has_interpolation() || (has_many_solves_ && !is_always_large_)) return;
  // Corners have as many iterations as take as long as the factorisation, which then takes over.
  const double most = direct_.predicted_flops() / (flops_per_corner_iteration * matrix.num_stored_blocks());
  if (most < fewest_corner_iterations) return;
  corner_system_->set_common_pattern(matrix);
  are_corners_cheap_ = corner_system_->predicted_flops() <= most_flops_per_block * corner_system_->num_stored_blocks();
  corners_.limit_iterations(static_cast<int>(std::min(most, 1.0 * pcg_options.max_iterations)));
}

void AutomaticSolver::forget_history() {
  direct_.forget_history();
  corners_.forget_history();
  patches_.forget_history();
  have_corners_failed_ = false;
}

LinearSolveStatus AutomaticSolver::factorize(const BlockSparseMatrix& matrix) {
  matrix_ = &matrix;
  if (!has_common_pattern_ && direct_.prepare(matrix)) choose_corners(matrix);
  if (!are_corners_cheap_ || have_corners_failed_) return factorize_without_corners(matrix);
  in_use_ = &corners_;
  return corners_.factorize(matrix);
}

LinearSolveStatus AutomaticSolver::factorize_without_corners(const BlockSparseMatrix& matrix) {
  const bool is_direct = !is_always_large_ && direct_.prepare(matrix) && !is_large(matrix);
  in_use_ = is_direct ? static_cast<LinearSolver*>(&direct_) : &patches_;
  return in_use_->factorize(matrix);
}

template <class Solve>
LinearSolveStatus AutomaticSolver::solve_with(const Solve& solve) {
  LinearSolveStatus status = solve(*in_use_);
  if (status != LinearSolveStatus::not_converged) return status;
  if (in_use_ == &corners_) {
    have_corners_failed_ = true;
    status = factorize_without_corners(*matrix_);
    return status == LinearSolveStatus::solved ? solve_with(solve) : status;
  }
  if (!direct_.prepare(*matrix_)) return status;
  const double bound = last_resort * most_flops_per_block * static_cast<double>(matrix_->num_stored_blocks());
  if (direct_.predicted_flops() > bound) return status;
  status = direct_.factorize(*matrix_);
  return status == LinearSolveStatus::solved ? solve(direct_) : status;
}

const LinearSolverCounters& AutomaticSolver::counters() const {
  counters_ = {};
  for (const LinearSolver* solver : std::initializer_list<const LinearSolver*>{&direct_, &corners_, &patches_}) {
    const LinearSolverCounters& of_solver = solver->counters();
    counters_.num_orderings += of_solver.num_orderings;
    counters_.num_analyses += of_solver.num_analyses;
    counters_.num_factorizations += of_solver.num_factorizations;
    counters_.num_iterations += of_solver.num_iterations;
    counters_.factor_seconds += of_solver.factor_seconds;
    counters_.solve_seconds += of_solver.solve_seconds;
    counters_.analyze_seconds += of_solver.analyze_seconds;
  }
  return counters_;
}

}  // namespace

std::unique_ptr<LinearSolver> make_automatic_solver() {
  return std::make_unique<AutomaticSolver>();
}

}  // namespace clearance
