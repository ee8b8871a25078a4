#include "clearance/sparse/patch_preconditioner.h"

#include <algorithm>
#include <cmath>

#include "clearance/base/parallel.h"
#include "clearance/sparse/elimination_order.h"

namespace clearance {
namespace {

// Number of blocks in a patch. On a mat of 20,000 nodes 48 needs 74 iterations, 150 needs 93, 500 needs 126; on thick
// bodies and with 900 contacts the three differ by a tenth.
constexpr int blocks_per_patch = 48;
constexpr int blocks_per_task = 256;
// A coupling between patches is strong from this multiple of the strongest coupling that its blocks have within their
// patches; the patches around it are then cut anew.
constexpr double strong_coupling = 10.0;
// Modes below this fraction of the stiffest one are held: patches of one block do not rotate.
constexpr double smallest_mode = 1e-13;

/// Returns the largest absolute entry of every block, a measure of its coupling.
std::vector<double> compute_block_strengths(const BlockSparseMatrix& matrix) {
  std::vector<double> strengths(matrix.num_stored_blocks());
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

/// Finds blocks without couplings, such as prescribed nodes; patches move without them.
std::vector<char> find_lone_blocks(const BlockSparseMatrix& matrix, const std::vector<double>& strengths) {
  std::vector<char> is_lone(matrix.num_blocks(), 1);
  std::size_t next = 0;
  for (int column = 0; column < matrix.num_blocks(); ++column) {
    for (const int row : matrix.column_rows(column)) {
      if (strengths[next++] > 0.0 && row != column) is_lone[row] = is_lone[column] = 0;
    }
  }
  return is_lone;
}

/// Numbers the patches in use from zero on, in the order of their first blocks.
void renumber(std::vector<int>& patch_of) {
  std::vector<int> number(patch_of.empty() ? 0 : 1 + *std::max_element(patch_of.begin(), patch_of.end()), -1);
  int count = 0;
  for (int& p : patch_of) {
    if (number[p] < 0) number[p] = count++;
    p = number[p];
  }
}

/// Returns the blocks, ascending, of all patches with strong couplings between them.
std::vector<int> find_torn_blocks(const BlockSparseMatrix& matrix, const std::vector<double>& strengths,
                                  const std::vector<int>& patch_of) {
  const auto for_couplings = [&](const auto& body) {
    std::size_t next = 0;
    for (int column = 0; column < matrix.num_blocks(); ++column) {
      for (const int row : matrix.column_rows(column)) {
        if (row != column) body(row, column, strengths[next]);
        ++next;
      }
    }
  };
  std::vector<double> within(patch_of.size(), 0.0);
  for_couplings([&](int row, int column, double strength) {
    if (patch_of[row] != patch_of[column]) return;
    within[row] = std::max(within[row], strength);
    within[column] = std::max(within[column], strength);
  });
  std::vector<char> is_torn(patch_of.size(), 0);  // per patch
  for_couplings([&](int row, int column, double strength) {
    if (patch_of[row] == patch_of[column] || strength <= strong_coupling * std::min(within[row], within[column]))
      return;
    is_torn[patch_of[row]] = is_torn[patch_of[column]] = 1;
  });
  std::vector<int> blocks;
  for (int b = 0; b < matrix.num_blocks(); ++b) {
    if (is_torn[patch_of[b]]) blocks.push_back(b);
  }
  return blocks;
}

}  // namespace

void PatchPreconditioner::set_positions(const VecX& x) {
  x_ = x;
}

void PatchPreconditioner::set_common_pattern(const BlockSparseMatrix& matrix) {
  const std::vector<double> strengths(matrix.num_stored_blocks(), 1.0);
  common_patch_of_ = compute_partition(matrix, strengths, blocks_per_patch);
  forget_history();
}

void PatchPreconditioner::forget_history() {
  are_patches_forgotten_ = true;
  most_iterations_ = 0;
}

void PatchPreconditioner::note_iterations(long num_iterations) {
  if (most_iterations_ == 0) {
    most_iterations_ = num_iterations + num_iterations / 2 + 10;
  } else if (num_iterations > most_iterations_) {
    forget_history();
  }
}

/// Returns the common patches, with those cut anew that strong couplings (mostly contacts) tear apart. The result
/// depends on the common pattern and the matrix alone, and takes time only where contacts are.
std::vector<int> PatchPreconditioner::choose_patches(const BlockSparseMatrix& matrix) const {
  const std::vector<double> strengths = compute_block_strengths(matrix);
  if (static_cast<int>(common_patch_of_.size()) != matrix.num_blocks()) {
    return compute_partition(matrix, strengths, blocks_per_patch);
  }
  const std::vector<int> torn = find_torn_blocks(matrix, strengths, common_patch_of_);
  if (torn.empty()) return common_patch_of_;
  const BlockSparseMatrix part = matrix.principal(torn);
  const std::vector<int> patch_in_part = compute_partition(part, compute_block_strengths(part), blocks_per_patch);
  std::vector<int> patch_of = common_patch_of_;
  const int num_common = 1 + *std::max_element(patch_of.begin(), patch_of.end());
  for (std::size_t k = 0; k < torn.size(); ++k) patch_of[torn[k]] = num_common + patch_in_part[k];
  renumber(patch_of);
  return patch_of;
}

void PatchPreconditioner::list_patches() {
  const int num_blocks = static_cast<int>(patch_of_.size());
  const int count = patch_of_.empty() ? 0 : 1 + *std::max_element(patch_of_.begin(), patch_of_.end());
  patch_starts_.assign(count + 1, 0);
  for (const int p : patch_of_) ++patch_starts_[p + 1];
  for (int p = 0; p < count; ++p) patch_starts_[p + 1] += patch_starts_[p];
  std::vector<int> next(patch_starts_.begin(), patch_starts_.end() - 1);
  patch_blocks_.resize(patch_of_.size());
  for (int b = 0; b < num_blocks; ++b) patch_blocks_[next[patch_of_[b]]++] = b;
}

/// Returns the number of modes per patch; without positions a patch does not rotate.
int PatchPreconditioner::count_modes(const BlockSparseMatrix& matrix) const {
  const int dim = matrix.dim();
  return x_.size() == matrix.num_rows() && dim > 1 ? dim * (dim + 1) / 2 : dim;
}

void PatchPreconditioner::build_patterns(const BlockSparseMatrix& matrix) {
  // Collect the couplings inside patches, and those between the modes of patches that touch.
  dim_ = matrix.dim();
  num_modes_ = count_modes(matrix);
  std::vector<BlockKey> inside;
  std::vector<BlockKey> between;
  for (int p = 0; p < num_patches(); ++p) between.push_back(make_block_key(p, p));
  for (int column = 0; column < matrix.num_blocks(); ++column) {
    for (const int row : matrix.column_rows(column)) {
      const auto [low, high] = std::minmax(patch_of_[row], patch_of_[column]);
      if (low == high) inside.push_back(make_block_key(row, column));
      if (low != high) between.push_back(make_block_key(high, low));
    }
  }
  std::sort(between.begin(), between.end());
  between.erase(std::unique(between.begin(), between.end()), between.end());

  // The modes of a patch are one or two coarse blocks of at most three numbers.
  const int coarse_dim = num_modes_ == 6 ? 3 : num_modes_;
  const int per_patch = num_modes_ / coarse_dim;
  std::vector<BlockKey> coarse_keys;
  for (const BlockKey key : between) {
    for (int a = 0; a < per_patch; ++a) {
      for (int b = 0; b < per_patch; ++b) {
        const int row = per_patch * block_row(key) + a;
        const int column = per_patch * block_column(key) + b;
        if (row >= column) coarse_keys.push_back(make_block_key(row, column));
      }
    }
  }
  std::sort(coarse_keys.begin(), coarse_keys.end());
  patches_ = BlockSparseMatrix(dim_, matrix.num_blocks(), inside);
  coarse_ = BlockSparseMatrix(coarse_dim, per_patch * num_patches(), coarse_keys);
  patch_pattern_ = analyze_supernodes(patches_, compute_amd_order(patches_));
  coarse_solver_ = make_cholmod_solver();
}

LinearSolveStatus PatchPreconditioner::build(const BlockSparseMatrix& matrix) {
  bool is_new = matrix.pattern_id() != pattern_id_ || count_modes(matrix) != num_modes_;
  if (are_patches_forgotten_ || static_cast<int>(patch_of_.size()) != matrix.num_blocks()) {
    std::vector<int> patch_of = choose_patches(matrix);
    if (patch_of != patch_of_) {
      patch_of_ = std::move(patch_of);
      list_patches();
      is_new = true;
    }
    are_patches_forgotten_ = false;
    // The data that depends on pattern and patches would be recomputed identically, so it is kept.
    if (!is_new) coarse_solver_->forget_history();
  }
  if (is_new) {
    build_patterns(matrix);
    pattern_id_ = matrix.pattern_id();
  }
  copy_patches(matrix);
  if (patch_pattern_.num_supernodes() == 0 && matrix.num_blocks() > 0) return LinearSolveStatus::out_of_memory;
  const FactorOutcome outcome = patch_factor_.factorize(patch_pattern_, patches_);
  if (outcome == FactorOutcome::out_of_memory) return LinearSolveStatus::out_of_memory;
  if (outcome == FactorOutcome::not_positive_definite) return LinearSolveStatus::not_positive_definite;
  place_modes(matrix);
  assemble_coarse(matrix);
  return coarse_solver_->factorize(coarse_);
}

void PatchPreconditioner::copy_patches(const BlockSparseMatrix& matrix) {
  parallel_for(matrix.num_blocks(), blocks_per_task, [&](int column) {
    const double* source = matrix.values().data() + matrix.column_base(column);
    double* target = patches_.values().data() + patches_.column_base(column);
    const int source_stride = matrix.slot_stride(column);
    const int target_stride = patches_.slot_stride(column);
    for (const int row : matrix.column_rows(column)) {
      if (patch_of_[row] == patch_of_[column]) {
        for (int c = 0; c < dim_; ++c) std::copy_n(source + c * source_stride, dim_, target + c * target_stride);
        target += dim_;
      }
      source += dim_;
    }
  });
}

/// Sets the modes: translations along the axes and rotations about the center of the patch, scaled to displacements of
/// about one.
void PatchPreconditioner::place_modes(const BlockSparseMatrix& matrix) {
  const std::vector<char> is_lone = find_lone_blocks(matrix, compute_block_strengths(matrix));
  modes_.setZero(dim_, static_cast<Eigen::Index>(num_modes_) * matrix.num_blocks());
  parallel_for(num_patches(), 16, [&](int p) {
    VecX center = VecX::Zero(dim_);
    double radius = 0.0;
    const bool rotates = num_modes_ > dim_;
    for (int k = patch_starts_[p]; rotates && k < patch_starts_[p + 1]; ++k) {
      center += x_.segment(dim_ * patch_blocks_[k], dim_) / (patch_starts_[p + 1] - patch_starts_[p]);
    }
    for (int k = patch_starts_[p]; rotates && k < patch_starts_[p + 1]; ++k) {
      radius = std::max(radius, (x_.segment(dim_ * patch_blocks_[k], dim_) - center).norm());
    }
    for (int k = patch_starts_[p]; k < patch_starts_[p + 1]; ++k) {
      const int b = patch_blocks_[k];
      if (is_lone[b]) continue;
      auto modes = modes_.middleCols(static_cast<Eigen::Index>(num_modes_) * b, num_modes_);
      modes.leftCols(dim_).setIdentity();
      if (radius == 0.0) continue;
      const VecX arm = (x_.segment(dim_ * b, dim_) - center) / radius;
      // Rotations in the planes (i, j): three in space, one in the plane.
      int mode = dim_;
      for (int i = 0; i < dim_; ++i) {
        for (int j = i + 1; j < dim_; ++j, ++mode) {
          modes(i, mode) = -arm[j];
          modes(j, mode) = arm[i];
        }
      }
    }
  });
}

/// Adds the matrix seen by the modes: modes^T A modes, patch by patch.
template <int dim>
void PatchPreconditioner::add_coarse(const BlockSparseMatrix& matrix) {
  const int coarse_dim = coarse_.dim();
  MatX product(num_modes_, num_modes_);
  for (int column = 0; column < matrix.num_blocks(); ++column) {
    for_blocks_of_column<dim>(matrix, column, [&](int row, const Mat<dim>& block) {
      const auto modes_of = [&](int b) {
        return modes_.template middleRows<dim>(0).middleCols(static_cast<Eigen::Index>(num_modes_) * b, num_modes_);
      };
      product.noalias() = modes_of(row).transpose() * (block * modes_of(column)).eval();
      const int p = patch_of_[row];
      const int q = patch_of_[column];
      // For two blocks of one patch, both halves of the matrix count.
      if (p == q && row != column) product += product.transpose().eval();
      if (p < q) product.transposeInPlace();
      const int per_patch = num_modes_ / coarse_dim;
      const auto [low, high] = std::minmax(p, q);
      for (int a = 0; a < per_patch; ++a) {
        for (int b = 0; b < per_patch; ++b) {
          const int coarse_row = per_patch * high + a;
          const int coarse_column = per_patch * low + b;
          if (coarse_row < coarse_column) continue;
          double* target = coarse_.values().data() + coarse_.find_slot(coarse_row, coarse_column);
          Eigen::Map<MatX, 0, Eigen::OuterStride<>>(target, coarse_dim, coarse_dim,
                                                    Eigen::OuterStride<>(coarse_.slot_stride(coarse_column))) +=
              product.block(coarse_dim * a, coarse_dim * b, coarse_dim, coarse_dim);
        }
      }
    });
  }
}

void PatchPreconditioner::assemble_coarse(const BlockSparseMatrix& matrix) {
  coarse_.set_zero();
  if (dim_ == 1) add_coarse<1>(matrix);
  if (dim_ == 2) add_coarse<2>(matrix);
  if (dim_ == 3) add_coarse<3>(matrix);

  // Hold modes that move nothing, or nothing beyond what the other modes move.
  double largest = 0.0;
  const auto diagonal = [&](int b, int c) -> double& {
    return coarse_.values()[coarse_.find_slot(b, b) + c * (coarse_.slot_stride(b) + 1)];
  };
  for (int b = 0; b < coarse_.num_blocks(); ++b) {
    for (int c = 0; c < coarse_.dim(); ++c) largest = std::max(largest, std::abs(diagonal(b, c)));
  }
  for (int b = 0; b < coarse_.num_blocks(); ++b) {
    for (int c = 0; c < coarse_.dim(); ++c) {
      double& entry = diagonal(b, c);
      entry += entry <= smallest_mode * largest ? std::max(largest, 1.0) : 1e-10 * entry;
    }
  }
}

void PatchPreconditioner::restrict_to_modes(const VecX& r, VecX& coarse) const {
  coarse.setZero(coarse_.num_rows());
  parallel_for(num_patches(), 16, [&](int p) {
    for (int k = patch_starts_[p]; k < patch_starts_[p + 1]; ++k) {
      const int b = patch_blocks_[k];
      for (int m = 0; m < num_modes_; ++m) {
        const double* mode = modes_.data() + static_cast<std::ptrdiff_t>(dim_) * (num_modes_ * b + m);
        for (int c = 0; c < dim_; ++c) coarse[num_modes_ * p + m] += mode[c] * r[dim_ * b + c];
      }
    }
  });
}

void PatchPreconditioner::apply(const VecX& r, VecX& z) {
  VecX coarse_r;
  VecX coarse_z;
  restrict_to_modes(r, coarse_r);
  coarse_solver_->solve(coarse_r, coarse_z);
  z = patch_factor_.solve(patch_pattern_, r);
  parallel_for(static_cast<int>(patch_of_.size()), blocks_per_task, [&](int b) {
    for (int m = 0; m < num_modes_; ++m) {
      const double* mode = modes_.data() + static_cast<std::ptrdiff_t>(dim_) * (num_modes_ * b + m);
      for (int c = 0; c < dim_; ++c) z[dim_ * b + c] += mode[c] * coarse_z[num_modes_ * patch_of_[b] + m];
    }
  });
}

}  // namespace clearance
