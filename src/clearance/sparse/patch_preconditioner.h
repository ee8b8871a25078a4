// Two-level additive Schwarz preconditioner. The blocks of unknowns are cut into patches of strongly coupled
// neighbours, each solved exactly; a coarse system of the rigid motions of all patches carries long-range effects.
// Stiff contacts are kept inside patches, where their stiffness does no harm. Time and memory grow linearly with the
// matrix.
#pragma once

#include <memory>
#include <vector>

#include "clearance/sparse/preconditioner.h"
#include "clearance/sparse/supernodal_factor.h"

namespace clearance {

class PatchPreconditioner final : public Preconditioner {
 public:
  /// Sets the positions [m] of the blocks of unknowns, about which rotations of patches are taken. Without them (or
  /// with a wrong number) the coarse system has translations only.
  void set_positions(const VecX& x) override;
  /// Cuts the patches of the pattern that all matrices have in common, once. A matrix uses them except where stronger
  /// couplings cross their borders.
  void set_common_pattern(const BlockSparseMatrix& matrix) override;
  /// Chooses patches anew for the next matrix, as if it were the first one; otherwise patches are kept when the pattern
  /// changes.
  void forget_history() override;
  /// Builds the preconditioner. A patch is a principal part of the matrix, so if a patch is not positive definite,
  /// neither is the matrix.
  LinearSolveStatus build(const BlockSparseMatrix& matrix) override;
  /// Computes z = M^-1 r, with the same bits for any number of threads.
  void apply(const VecX& r, VecX& z) override;
  /// Keeps patches while contacts change, until the number of iterations shows that they cut strong couplings.
  void note_iterations(long num_iterations) override;

 private:
  std::vector<int> choose_patches(const BlockSparseMatrix& matrix) const;
  void list_patches();
  int count_modes(const BlockSparseMatrix& matrix) const;
  void build_patterns(const BlockSparseMatrix& matrix);
  void place_modes(const BlockSparseMatrix& matrix);
  void copy_patches(const BlockSparseMatrix& matrix);
  void assemble_coarse(const BlockSparseMatrix& matrix);
  template <int dim>
  void add_coarse(const BlockSparseMatrix& matrix);
  void restrict_to_modes(const VecX& r, VecX& coarse) const;
  int num_patches() const { return static_cast<int>(patch_starts_.size()) - 1; }

  int dim_ = 0;
  std::uint64_t pattern_id_ = 0;
  VecX x_;
  bool are_patches_forgotten_ = true;
  long most_iterations_ = 0;          // number above which the patches no longer fit; 0: they are new
  std::vector<int> common_patch_of_;  // of the common pattern; empty: there is none
  std::vector<int> patch_of_;         // per block
  std::vector<int> patch_starts_ = {0};
  std::vector<int> patch_blocks_;  // by patch, ascending in each
  BlockSparseMatrix patches_;      // the matrix without the couplings between patches
  SupernodalPattern patch_pattern_;
  SupernodalFactor patch_factor_;

  int num_modes_ = 0;  // per patch
  MatX modes_;         // displacement of a block (dim rows) by each mode: dim x num_modes_, block by block
  BlockSparseMatrix coarse_;
  std::unique_ptr<LinearSolver> coarse_solver_;
};

}  // namespace clearance
