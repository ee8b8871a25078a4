// Solvers for symmetric positive definite systems A x = b.
#pragma once

#include <memory>
#include <string>

#include "clearance/sparse/block_sparse_matrix.h"
#include "clearance/sparse/interpolation.h"

namespace clearance {

enum class LinearSolveStatus { solved, not_positive_definite, not_converged, out_of_memory };

struct LinearSolverCounters {
  int num_orderings = 0;       ///< fill-reducing orderings computed
  int num_analyses = 0;        ///< symbolic factorisations
  int num_factorizations = 0;  ///< numeric factorisations
  long num_iterations = 0;     ///< iterations of the iterative solver
  double factor_seconds = 0;   ///< numeric factorisation
  double solve_seconds = 0;    ///< back-substitution or iteration
  double analyze_seconds = 0;  ///< ordering and symbolic factorisation
};

class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  /// Makes `matrix` the system to solve. Work that depends only on the pattern is reused while pattern_id() stays the
  /// same.
  virtual LinearSolveStatus factorize(const BlockSparseMatrix& matrix) = 0;
  /// Computes x = A^-1 b for the matrix given last; the matrix object must still be unchanged.
  virtual LinearSolveStatus solve(const VecX& b, VecX& x) = 0;
  /// Solves like solve(), but an iteration may end at a ten-thousandth of the error of x = 0, which is enough for a
  /// direction of Newton's method.
  virtual LinearSolveStatus solve_roughly(const VecX& b, VecX& x) { return solve(b, x); }
  /// Gives the pattern that all later systems have in common. The solver learns from it once, and keeps this over
  /// forget_history().
  virtual void set_common_pattern(const BlockSparseMatrix& /*matrix*/) {}
  /// Sets the approximate positions [m] of the blocks of unknowns; for solvers that build on rigid motions.
  virtual void set_positions(const VecX& /*x*/) {}
  /// Sets how the unknowns follow those of a coarser system, before set_common_pattern; for solvers that build on it.
  virtual void set_interpolation(const Interpolation& /*interpolation*/) {}
  /// Tells, before set_common_pattern, that most systems are solved accurately for many right-hand sides, so that a
  /// factorisation pays where it would not for one.
  virtual void expect_many_solves() {}
  /// Sets the motions of the unknowns while everything moves as one rigid body, for solvers that need them. The columns
  /// are translations along the axes, then rotations.
  virtual bool needs_rigid_motions() const { return false; }
  virtual void set_rigid_motions(const MatX& /*motions*/) {}
  /// From now on makes results depend on nothing but set_common_pattern, set_positions and later systems. Data from
  /// earlier systems is kept only if it would be recomputed identically.
  virtual void forget_history() = 0;
  virtual const LinearSolverCounters& counters() const = 0;
  /// True if factorize() has found out whether the matrix given last is positive definite. Iterative solvers see only
  /// the directions that they take.
  virtual bool proves_definiteness() const { return false; }
};

/// Returns a supernodal Cholesky factorisation. The fill-reducing order (minimum degree, METIS nested dissection for
/// large systems) and CHOLMOD's symbolic factorisation work on the graph of blocks. The solver keeps the order until
/// the operations lost by it outweigh the cost of another; a new pattern then costs only a symbolic factorisation. The
/// numeric factorisation runs subtrees and tiles in parallel in a fixed order, with the same bits for any number of
/// threads. It reads the lower triangle of the diagonal blocks.
std::unique_ptr<LinearSolver> make_cholmod_solver();

/// Returns a direct solver for small systems in which all blocks but the first `num_leading` are fixed: the rows and
/// columns of the others are those of the identity. Each system may have a pattern of its own: the order is that of
/// minimum degree, and nothing is kept from one pattern to the next.
std::unique_ptr<LinearSolver> make_leading_solver(int num_leading);

struct PcgOptions {
  double relative_tolerance = 1e-8;  ///< on the preconditioned residual, relative to that of x = 0
  double rough_tolerance = 1e-4;     ///< the same for solve_roughly()
  int max_iterations = 10000;
};
/// Returns conjugate gradients with a two-level patch preconditioner (patch_preconditioner.h). Time and memory grow
/// linearly with the system. The result has the same bits for any number of threads.
std::unique_ptr<LinearSolver> make_pcg_solver(const PcgOptions& options = {});

/// Returns a solver that uses the Cholesky factorisation if its predicted operations are fewer than those of conjugate
/// gradients, and conjugate gradients for larger systems: those with the corners of curved elements
/// (corner_preconditioner.h) where these are given, and those with patches. Operations are counted, not timed, so that
/// the choice is the same in every run.
std::unique_ptr<LinearSolver> make_automatic_solver();

}  // namespace clearance
