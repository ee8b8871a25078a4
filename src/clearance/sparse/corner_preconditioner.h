// Preconditioner for curved elements, whose corners alone make a coarser system that is cheap to factorise: additive
// Schwarz with the blocks of the diagonal and the system of the corners, M^-1 = D^-1 + P (P^T A P)^-1 P^T, where P
// interpolates from corners to all nodes. The coarse system has the contacts of the fine one. On order 2 larger
// patches than single nodes save no iteration: what corners cannot represent, the diagonal sees.
#pragma once

#include <cstdint>
#include <vector>

#include "clearance/sparse/cholmod_solver.h"
#include "clearance/sparse/preconditioner.h"

namespace clearance {

class CornerPreconditioner final : public Preconditioner {
 public:
  /// Sets P, once and before the first matrix.
  void set_interpolation(const Interpolation& interpolation);
  bool has_interpolation() const { return !interpolation_.is_empty(); }
  void set_common_pattern(const BlockSparseMatrix& matrix) override;
  /// Returns the operations of the factorisation of the common pattern's coarse system, and its number of blocks.
  double predicted_flops() const { return corners_.predicted_flops(); }
  double num_stored_blocks() const { return static_cast<double>(coarse_.num_stored_blocks()); }
  void forget_history() override { corners_.forget_history(); }
  LinearSolveStatus build(const BlockSparseMatrix& matrix) override;
  void apply(const VecX& r, VecX& z) override;

 private:
  void bind(const BlockSparseMatrix& matrix);
  bool invert_diagonal(const BlockSparseMatrix& matrix);
  template <int dim>
  void assemble(const BlockSparseMatrix& matrix);
  template <int dim>
  void apply_in(const VecX& r, VecX& z);

  Interpolation interpolation_;
  Interpolation transposed_;  // per coarse block, the blocks that follow it
  std::uint64_t pattern_id_ = 0;
  BlockSparseMatrix coarse_;  // P^T A P
  CholmodSolver corners_;
  MatX inverses_;  // of the diagonal blocks, side by side
};

}  // namespace clearance
