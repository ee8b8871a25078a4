// Two-level additive Schwarz preconditioner: the blocks of unknowns are cut into patches of strongly coupled
// neighbours, each solved by dense Cholesky; a coarse system of one translation per patch carries what must travel far.
// Stiff contacts are kept inside patches, where their stiffness does no harm.
#pragma once

#include <memory>
#include <vector>

#include "clearance/sparse/linear_solver.h"
#include "clearance/sparse/supernodal_factor.h"

namespace clearance {

class PatchPreconditioner {
 public:
  /// Patches are cut anew when the pattern changes. A patch is a principal part of the matrix, so that one that is not
  /// positive definite proves that the matrix is not.
  LinearSolveStatus build(const BlockSparseMatrix& matrix);
  /// z = M^-1 r; same bits for any number of threads.
  void apply(const VecX& r, VecX& z);

 private:
  void cut_patches(const BlockSparseMatrix& matrix);
  bool factor_patch(const BlockSparseMatrix& matrix, int p);
  void assemble_coarse(const BlockSparseMatrix& matrix);
  void solve_patch(int p, const VecX& r, const VecX& coarse, VecX& z);
  int num_patches() const { return static_cast<int>(patch_starts_.size()) - 1; }
  int patch_size(int p) const { return patch_starts_[p + 1] - patch_starts_[p]; }

  int dim_ = 0;
  std::uint64_t pattern_id_ = 0;
  std::vector<int> patch_of_;      // per block
  std::vector<int> position_of_;   // per block, inside its patch
  std::vector<int> patch_starts_;  // per patch and one more, into patch_blocks_
  std::vector<int> patch_blocks_;  // ascending in each patch
  std::vector<std::int64_t> factor_starts_;
  AlignedValues factors_;  // dense Cholesky factors, patch by patch
  BlockSparseMatrix coarse_matrix_;
  std::unique_ptr<LinearSolver> coarse_solver_;
};

}  // namespace clearance
