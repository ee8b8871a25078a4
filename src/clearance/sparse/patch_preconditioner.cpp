#include "clearance/sparse/patch_preconditioner.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "clearance/base/parallel.h"
#include "clearance/sparse/dense_front.h"
#include "clearance/sparse/elimination_order.h"

namespace clearance {
namespace {

// Blocks in a patch: of 8, 16, 48 and 128, the fastest for factorisation and iterations together on 2000 to 8000
// blocks.
constexpr int blocks_per_patch = 48;

/// Largest entry of every block: how strongly it couples.
std::vector<double> compute_block_strengths(const BlockSparseMatrix& matrix) {
  std::vector<double> strengths(static_cast<std::size_t>(matrix.num_stored_blocks()));
  const int dim = matrix.dim();
  std::size_t next = 0;
  for (int column = 0; column < matrix.num_blocks(); ++column) {
    const double* slot = matrix.values().data() + matrix.column_base(column);
    const int stride = matrix.slot_stride(column);
    for (int p = 0; p < matrix.column_size(column); ++p, slot += dim) {
      double largest = 0.0;
      for (int c = 0; c < dim; ++c) {
        for (int r = 0; r < dim; ++r) largest = std::max(largest, std::abs(slot[c * stride + r]));
      }
      strengths[next++] = largest;
    }
  }
  return strengths;
}

}  // namespace

void PatchPreconditioner::cut_patches(const BlockSparseMatrix& matrix) {
  dim_ = matrix.dim();
  patch_of_ = compute_partition(matrix, compute_block_strengths(matrix), blocks_per_patch);
  const int count = patch_of_.empty() ? 0 : 1 + *std::max_element(patch_of_.begin(), patch_of_.end());

  // Group the blocks by patch; ascending, so that the lower triangle of the matrix is that of the patch.
  patch_starts_.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const int p : patch_of_) ++patch_starts_[p + 1];
  factor_starts_.assign(1, 0);
  for (int p = 0; p < count; ++p) {
    const std::int64_t rows = dim_ * static_cast<std::int64_t>(patch_starts_[p + 1]);
    factor_starts_.push_back(factor_starts_.back() + rows * rows);
    patch_starts_[p + 1] += patch_starts_[p];
  }
  std::vector<int> next(patch_starts_.begin(), patch_starts_.end() - 1);
  patch_blocks_.resize(patch_of_.size());
  position_of_.resize(patch_of_.size());
  for (int b = 0; b < matrix.num_blocks(); ++b) {
    const int p = patch_of_[b];
    position_of_[b] = next[p] - patch_starts_[p];
    patch_blocks_[next[p]++] = b;
  }

  // Pattern of the coarse matrix: which patches touch.
  std::vector<BlockKey> keys;
  for (int column = 0; column < matrix.num_blocks(); ++column) {
    for (const int row : matrix.column_rows(column)) {
      const auto [low, high] = std::minmax(patch_of_[row], patch_of_[column]);
      if (low != high) keys.push_back(make_block_key(high, low));
    }
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  coarse_matrix_ = BlockSparseMatrix(dim_, count, keys);
  coarse_solver_ = make_cholmod_solver();
  factors_ = AlignedValues(factor_starts_.back());
  pattern_id_ = factors_.data() ? matrix.pattern_id() : 0;
}

LinearSolveStatus PatchPreconditioner::build(const BlockSparseMatrix& matrix) {
  if (matrix.pattern_id() != pattern_id_) cut_patches(matrix);
  if (pattern_id_ == 0) return LinearSolveStatus::out_of_memory;
  std::atomic<bool> is_positive{true};
  parallel_for(num_patches(), 1, [&](int p) {
    if (!factor_patch(matrix, p)) is_positive.store(false, std::memory_order_relaxed);
  });
  if (!is_positive.load()) return LinearSolveStatus::not_positive_definite;
  assemble_coarse(matrix);
  return coarse_solver_->factorize(coarse_matrix_);
}

bool PatchPreconditioner::factor_patch(const BlockSparseMatrix& matrix, int p) {
  const int rows = dim_ * patch_size(p);
  double* dense = factors_.data() + factor_starts_[p];
  std::fill(dense, dense + static_cast<std::int64_t>(rows) * rows, 0.0);
  for (int k = patch_starts_[p]; k < patch_starts_[p + 1]; ++k) {
    const int column = patch_blocks_[k];
    const std::int64_t stride = matrix.slot_stride(column);
    const double* slot = matrix.values().data() + matrix.column_base(column);
    for (const int row : matrix.column_rows(column)) {
      if (patch_of_[row] == p) {
        double* target =
            dense + dim_ * position_of_[row] + static_cast<std::int64_t>(dim_) * position_of_[column] * rows;
        for (int c = 0; c < dim_; ++c)
          std::copy_n(slot + c * stride, dim_, target + static_cast<std::int64_t>(c) * rows);
      }
      slot += dim_;
    }
  }
  return factor_columns(dense, rows, rows);
}

/// Sum of all blocks between two patches: the matrix seen by translations of whole patches.
void PatchPreconditioner::assemble_coarse(const BlockSparseMatrix& matrix) {
  coarse_matrix_.set_zero();
  for (int column = 0; column < matrix.num_blocks(); ++column) {
    const int stride = matrix.slot_stride(column);
    const double* slot = matrix.values().data() + matrix.column_base(column);
    for (const int row : matrix.column_rows(column)) {
      const auto [low, high] = std::minmax(patch_of_[row], patch_of_[column]);
      double* target = coarse_matrix_.values().data() + coarse_matrix_.find_slot(high, low);
      const int target_stride = coarse_matrix_.slot_stride(low);
      const bool is_transposed = patch_of_[row] < patch_of_[column];
      for (int c = 0; c < dim_; ++c) {
        for (int r = 0; r < dim_; ++r) {
          const double value = slot[c * stride + r];
          if (!is_transposed) target[c * target_stride + r] += value;
          if (is_transposed || (low == high && row != column)) target[r * target_stride + c] += value;
        }
      }
      slot += dim_;
    }
  }
}

void PatchPreconditioner::apply(const VecX& r, VecX& z) {
  // Coarse level: sum the residual over each patch, solve, move the whole patch.
  VecX coarse_r = VecX::Zero(coarse_matrix_.num_rows());
  parallel_for(num_patches(), 16, [&](int p) {
    for (int k = patch_starts_[p]; k < patch_starts_[p + 1]; ++k) {
      for (int c = 0; c < dim_; ++c) coarse_r[dim_ * p + c] += r[dim_ * patch_blocks_[k] + c];
    }
  });
  VecX coarse_z;
  coarse_solver_->solve(coarse_r, coarse_z);

  z.resize(r.size());
  parallel_for(num_patches(), 1, [&](int p) { solve_patch(p, r, coarse_z, z); });
}

void PatchPreconditioner::solve_patch(int p, const VecX& r, const VecX& coarse, VecX& z) {
  const int rows = dim_ * patch_size(p);
  const int* blocks = patch_blocks_.data() + patch_starts_[p];
  VecX local(rows);
  for (int i = 0; i < rows; ++i) local[i] = r[dim_ * blocks[i / dim_] + i % dim_];
  const double* factor = factors_.data() + factor_starts_[p];
  forward_solve(factor, rows, rows, local.data(), nullptr);
  backward_solve(factor, rows, rows, local.data(), nullptr);
  for (int i = 0; i < rows; ++i) z[dim_ * blocks[i / dim_] + i % dim_] = local[i] + coarse[dim_ * p + i % dim_];
}

}  // namespace clearance
