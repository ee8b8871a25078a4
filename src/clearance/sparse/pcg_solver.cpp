#include <cmath>

#include "clearance/base/parallel.h"
#include "clearance/base/profile.h"
#include "clearance/sparse/linear_solver.h"
#include "clearance/sparse/patch_preconditioner.h"

namespace clearance {
namespace {

constexpr int chunk = 4096;

/// Returns the sum of products, in chunks of fixed size.
double dot(const VecX& a, const VecX& b) {
  const int size = static_cast<int>(a.size());
  std::vector<double> partial((size + chunk - 1) / chunk);
  parallel_for_chunks(size, chunk, [&](int begin, int end) {
    partial[begin / chunk] = a.segment(begin, end - begin).dot(b.segment(begin, end - begin));
  });
  double sum = 0.0;
  for (const double p : partial) sum += p;
  return sum;
}

class PcgSolver final : public LinearSolver {
 public:
  explicit PcgSolver(const PcgOptions& options) : options_(options) {}
  LinearSolveStatus factorize(const BlockSparseMatrix& matrix) override;
  LinearSolveStatus solve(const VecX& b, VecX& x) override;
  void set_common_pattern(const BlockSparseMatrix& matrix) override { preconditioner_.set_common_pattern(matrix); }
  void set_positions(const VecX& x) override { preconditioner_.set_positions(x); }
  void forget_history() override {
    matrix_ = nullptr;
    preconditioner_.forget_patches();
    most_iterations_ = 0;
  }
  const LinearSolverCounters& counters() const override { return counters_; }

 private:
  LinearSolveStatus iterate(const VecX& b, VecX& x);
  void judge_patches(long num_iterations);

  PcgOptions options_;
  LinearSolverCounters counters_;
  PatchPreconditioner preconditioner_;
  long most_iterations_ = 0;                   // number above which the patches no longer fit; 0: they are new
  const BlockSparseMatrix* matrix_ = nullptr;  // null unless the preconditioner is ready
};

LinearSolveStatus PcgSolver::factorize(const BlockSparseMatrix& matrix) {
  const Stopwatch watch;
  matrix_ = nullptr;
  const LinearSolveStatus status = preconditioner_.build(matrix);
  if (status == LinearSolveStatus::solved) matrix_ = &matrix;
  ++counters_.num_factorizations;
  counters_.factor_seconds += watch.seconds();
  return status;
}

LinearSolveStatus PcgSolver::solve(const VecX& b, VecX& x) {
  if (!matrix_) return LinearSolveStatus::not_positive_definite;
  const Stopwatch watch;
  const long before = counters_.num_iterations;
  const LinearSolveStatus status = iterate(b, x);
  judge_patches(counters_.num_iterations - before);
  counters_.solve_seconds += watch.seconds();
  return status;
}

/// Keeps patches while contacts change, until the number of iterations shows that they cut strong couplings.
void PcgSolver::judge_patches(long num_iterations) {
  if (most_iterations_ == 0) {
    most_iterations_ = num_iterations + num_iterations / 2 + 10;
  } else if (num_iterations > most_iterations_) {
    preconditioner_.forget_patches();
    most_iterations_ = 0;
  }
}

/// Runs conjugate gradients [Hes52], starting at zero.
LinearSolveStatus PcgSolver::iterate(const VecX& b, VecX& x) {
  x = VecX::Zero(b.size());
  VecX r = b;
  VecX z;
  preconditioner_.apply(r, z);
  VecX p = z;
  double rz = dot(r, z);
  const double target = options_.relative_tolerance * options_.relative_tolerance * rz;

  for (int iteration = 0; iteration < options_.max_iterations; ++iteration) {
    if (rz == 0.0 || (iteration > 0 && rz <= target)) return LinearSolveStatus::solved;
    const VecX ap = matrix_->multiply(p);
    const double curvature = dot(p, ap);
    // A direction without positive curvature (or a NaN) proves that the matrix is not positive definite.
    if (!(curvature > 0.0) || !(rz > 0.0) || !std::isfinite(curvature)) return LinearSolveStatus::not_positive_definite;
    const double alpha = rz / curvature;
    parallel_for_chunks(static_cast<int>(b.size()), chunk, [&](int begin, int end) {
      x.segment(begin, end - begin) += alpha * p.segment(begin, end - begin);
      r.segment(begin, end - begin) -= alpha * ap.segment(begin, end - begin);
    });
    preconditioner_.apply(r, z);
    const double rz_next = dot(r, z);
    p = z + (rz_next / rz) * p;
    rz = rz_next;
    ++counters_.num_iterations;
  }
  return rz <= target ? LinearSolveStatus::solved : LinearSolveStatus::not_converged;
}

}  // namespace

std::unique_ptr<LinearSolver> make_pcg_solver(const PcgOptions& options) {
  return std::make_unique<PcgSolver>(options);
}

}  // namespace clearance
