// Approximate inverses for conjugate gradients.
#pragma once

#include "clearance/sparse/linear_solver.h"

namespace clearance {

class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  virtual void set_positions(const VecX& /*x*/) {}
  virtual void set_common_pattern(const BlockSparseMatrix& /*matrix*/) {}
  /// Forgets what LinearSolver::forget_history does.
  virtual void forget_history() = 0;
  /// Builds the approximate inverse M^-1 of a matrix.
  virtual LinearSolveStatus build(const BlockSparseMatrix& matrix) = 0;
  /// Computes z = M^-1 r, with the same bits for any number of threads.
  virtual void apply(const VecX& r, VecX& z) = 0;
  /// Tells how many iterations the system took that build() was called for.
  virtual void note_iterations(long /*num_iterations*/) {}
};

}  // namespace clearance
