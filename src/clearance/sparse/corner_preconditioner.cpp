#include "clearance/sparse/corner_preconditioner.h"

#include <algorithm>

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

constexpr int blocks_per_task = 512;

Interpolation transpose(const Interpolation& interpolation) {
  Interpolation result;
  result.num_coarse = interpolation.num_blocks();
  result.starts.assign(interpolation.num_coarse + 1, 0);
  for (const Interpolation::Term& term : interpolation.terms) ++result.starts[term.block + 1];
  for (int b = 0; b < interpolation.num_coarse; ++b) result.starts[b + 1] += result.starts[b];
  std::vector<int> next(result.starts.begin(), result.starts.end() - 1);
  result.terms.resize(interpolation.terms.size());
  for (int b = 0; b < interpolation.num_blocks(); ++b) {
    for (const Interpolation::Term& term : interpolation.of(b)) {
      result.terms[next[term.block]++] = {b, term.weight};
    }
  }
  return result;
}

void sort_unique(std::vector<BlockKey>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

}  // namespace

void CornerPreconditioner::set_interpolation(const Interpolation& interpolation) {
  interpolation_ = interpolation;
  transposed_ = transpose(interpolation);
}

void CornerPreconditioner::set_common_pattern(const BlockSparseMatrix& matrix) {
  bind(matrix);
  corners_.set_common_pattern(coarse_);
}

/// Lays out the coarse system: two of its blocks are coupled if any blocks that follow them are.
void CornerPreconditioner::bind(const BlockSparseMatrix& matrix) {
  pattern_id_ = matrix.pattern_id();
  constexpr std::size_t many = 1 << 20;
  std::vector<BlockKey> keys;
  for (int column = 0; column < matrix.num_blocks(); ++column) {
    for (const int row : matrix.column_rows(column)) {
      for (const Interpolation::Term& a : interpolation_.of(row)) {
        for (const Interpolation::Term& b : interpolation_.of(column)) {
          keys.push_back(make_block_key(std::max(a.block, b.block), std::min(a.block, b.block)));
        }
      }
    }
    // Each key comes several times, so that the list can be kept short.
    if (keys.size() > many) sort_unique(keys);
  }
  sort_unique(keys);
  coarse_ = BlockSparseMatrix(matrix.dim(), interpolation_.num_coarse, keys);
}

/// Adds every block to the coarse blocks of its row and its column, times their weights.
template <int dim>
void CornerPreconditioner::assemble(const BlockSparseMatrix& matrix) {
  coarse_.set_zero();
  const auto add = [&](int row, int column, const Mat<dim>& block) {
    coarse_.add_to_slot<dim>(coarse_.find_slot(row, column), coarse_.slot_stride(column), block);
  };
  for (int column = 0; column < matrix.num_blocks(); ++column) {
    for_blocks_of_column<dim>(matrix, column, [&](int row, const Mat<dim>& block) {
      for (const Interpolation::Term& a : interpolation_.of(row)) {
        for (const Interpolation::Term& b : interpolation_.of(column)) {
          const Mat<dim> share = a.weight * b.weight * block;
          // A block beside the diagonal stands for its mirror image, too: of the two, one falls into the lower
          // triangle of the coarse system, and both do on its diagonal.
          if (a.block > b.block || (a.block == b.block && row == column)) {
            add(a.block, b.block, share);
          } else if (a.block == b.block) {
            add(a.block, b.block, share + share.transpose());
          } else if (row != column) {
            add(b.block, a.block, share.transpose());
          }
        }
      }
    });
  }
}

bool CornerPreconditioner::invert_diagonal(const BlockSparseMatrix& matrix) {
  const int dim = matrix.dim();
  inverses_.resize(dim, static_cast<Eigen::Index>(dim) * matrix.num_blocks());
  const auto invert = [&]<int n>(std::integral_constant<int, n>) {
    for (int b = 0; b < matrix.num_blocks(); ++b) {
      const Eigen::LLT<Mat<n>> factor(matrix.diagonal_block<n>(b));
      if (factor.info() != Eigen::Success) return false;
      inverses_.middleCols<n>(static_cast<Eigen::Index>(n) * b) = factor.solve(Mat<n>::Identity());
    }
    return inverses_.allFinite();
  };
  return dim == 2 ? invert(std::integral_constant<int, 2>()) : invert(std::integral_constant<int, 3>());
}

LinearSolveStatus CornerPreconditioner::build(const BlockSparseMatrix& matrix) {
  if (!invert_diagonal(matrix)) return LinearSolveStatus::not_positive_definite;
  if (matrix.pattern_id() != pattern_id_) bind(matrix);
  if (matrix.dim() == 2) {
    assemble<2>(matrix);
  } else {
    assemble<3>(matrix);
  }
  return corners_.factorize(coarse_);
}

template <int dim>
void CornerPreconditioner::apply_in(const VecX& r, VecX& z) {
  VecX coarse_r(coarse_.num_rows()), coarse_z;
  parallel_for(coarse_.num_blocks(), blocks_per_task, [&](int b) {
    Vec<dim> sum = Vec<dim>::Zero();
    for (const Interpolation::Term& term : transposed_.of(b)) sum += term.weight * r.segment<dim>(dim * term.block);
    coarse_r.segment<dim>(dim * b) = sum;
  });
  corners_.solve(coarse_r, coarse_z);
  z.resize(r.size());
  parallel_for(interpolation_.num_blocks(), blocks_per_task, [&](int b) {
    Vec<dim> sum = inverses_.middleCols<dim>(static_cast<Eigen::Index>(dim) * b) * r.segment<dim>(dim * b);
    for (const Interpolation::Term& term : interpolation_.of(b)) {
      sum += term.weight * coarse_z.segment<dim>(dim * term.block);
    }
    z.segment<dim>(dim * b) = sum;
  });
}

void CornerPreconditioner::apply(const VecX& r, VecX& z) {
  if (coarse_.dim() == 2) {
    apply_in<2>(r, z);
  } else {
    apply_in<3>(r, z);
  }
}

}  // namespace clearance
