#include "clearance/sparse/pcg_solver.h"

#include <cmath>

#include "clearance/base/parallel.h"
#include "clearance/base/profile.h"
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

}  // namespace

LinearSolveStatus PcgSolver::factorize(const BlockSparseMatrix& matrix) {
  const Stopwatch watch;
  matrix_ = nullptr;
  const LinearSolveStatus status = preconditioner_->build(matrix);
  if (status == LinearSolveStatus::solved) matrix_ = &matrix;
  ++counters_.num_factorizations;
  counters_.factor_seconds += watch.seconds();
  return status;
}

LinearSolveStatus PcgSolver::solve_to(double tolerance, const VecX& b, VecX& x) {
  if (!matrix_) return LinearSolveStatus::not_positive_definite;
  const Stopwatch watch;
  const long before = counters_.num_iterations;
  const LinearSolveStatus status = iterate(tolerance, b, x);
  preconditioner_->note_iterations(counters_.num_iterations - before);
  counters_.solve_seconds += watch.seconds();
  return status;
}

/// Runs conjugate gradients [Hes52], starting at zero.
LinearSolveStatus PcgSolver::iterate(double tolerance, const VecX& b, VecX& x) {
  x = VecX::Zero(b.size());
  VecX r = b;
  VecX z;
  preconditioner_->apply(r, z);
  VecX p = z;
  double rz = dot(r, z);
  const double target = tolerance * tolerance * rz;

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
    preconditioner_->apply(r, z);
    const double rz_next = dot(r, z);
    p = z + (rz_next / rz) * p;
    rz = rz_next;
    ++counters_.num_iterations;
  }
  return rz <= target ? LinearSolveStatus::solved : LinearSolveStatus::not_converged;
}

std::unique_ptr<LinearSolver> make_pcg_solver(const PcgOptions& options) {
  return std::make_unique<PcgSolver>(std::make_shared<PatchPreconditioner>(), options);
}

}  // namespace clearance
