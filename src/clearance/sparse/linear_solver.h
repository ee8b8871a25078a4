// Solvers for symmetric positive definite systems A x = b.
#pragma once

#include <memory>
#include <string>

#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

enum class LinearSolveStatus { solved, not_positive_definite, not_converged, out_of_memory };

struct LinearSolverCounters {
  int num_orderings = 0;       ///< fill-reducing orderings computed
  int num_analyses = 0;        ///< symbolic factorisations
  int num_factorizations = 0;  ///< numeric factorisations
  long num_iterations = 0;     ///< of the iterative solver
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
  /// x = A^-1 b for the matrix given last; the matrix object must still be unchanged.
  virtual LinearSolveStatus solve(const VecX& b, VecX& x) = 0;
  /// What all systems to come have in common: learns from it what can be learnt once, so that it outlives
  /// forget_history().
  virtual void set_common_pattern(const BlockSparseMatrix& /*matrix*/) {}
  /// [m] where the blocks of unknowns are, roughly; of use to solvers that build on rigid motions.
  virtual void set_positions(const VecX& /*x*/) {}
  /// Columns: what the unknowns do while everything moves as one rigid body, for solvers that need them: translations
  /// along the axes, then rotations.
  virtual bool needs_rigid_motions() const { return false; }
  virtual void set_rigid_motions(const MatX& /*motions*/) {}
  /// From here on results depend on nothing but set_common_pattern, set_positions and the systems still to come; what
  /// earlier systems left is kept only where it would be made again just the same.
  virtual void forget_history() = 0;
  virtual const LinearSolverCounters& counters() const = 0;
};

/// Supernodal Cholesky factorisation. The fill-reducing order (minimum degree, METIS nested dissection for large
/// systems) and CHOLMOD's symbolic factorisation work on the graph of blocks. The order is kept until the operations
/// lost by it outweigh those of finding another; a new pattern then costs only a symbolic factorisation. The numeric
/// factorisation runs subtrees and tiles in parallel in a fixed order: same bits for any number of threads. Of the
/// diagonal blocks the lower triangle is read.
std::unique_ptr<LinearSolver> make_cholmod_solver();

/// Of systems of which all blocks but the first `num_leading` are fixed, so that rows and columns of the others are
/// those of the identity. Small ones, each with a pattern of its own: the order is that of minimum degree, and nothing
/// is kept from one pattern to the next.
std::unique_ptr<LinearSolver> make_leading_solver(int num_leading);

struct PcgOptions {
  double relative_tolerance = 1e-8;  ///< on the preconditioned residual, relative to that of x = 0
  int max_iterations = 10000;
};
/// Conjugate gradients with a two-level patch preconditioner (patch_preconditioner.h): time and memory grow linearly
/// with the system. Same bits for any number of threads.
std::unique_ptr<LinearSolver> make_pcg_solver(const PcgOptions& options = {});

/// The Cholesky factorisation where its predicted operations are fewer than those of conjugate gradients, and these for
/// larger systems. Operations are counted, not timed: the choice is the same in every run.
std::unique_ptr<LinearSolver> make_automatic_solver();

}  // namespace clearance
