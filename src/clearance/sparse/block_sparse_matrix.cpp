#include "clearance/sparse/block_sparse_matrix.h"

#include <algorithm>
#include <atomic>

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

// Number of columns worth a task of their own: about 10 microseconds of work at 8 blocks per column.
constexpr int columns_per_task = 256;

std::uint64_t next_pattern_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

BlockSparseMatrix::BlockSparseMatrix(int dim, int num_blocks, std::span<const BlockKey> keys)
    : dim_(dim), num_blocks_(num_blocks), pattern_id_(next_pattern_id()) {
  build_columns(keys);
  build_row_index();
  values_.assign(dim_ * dim_ * rows_.size(), 0.0);
}

void BlockSparseMatrix::build_columns(std::span<const BlockKey> keys) {
  offsets_.reserve(num_blocks_ + 1);
  rows_.reserve(keys.size() + num_blocks_);
  offsets_.push_back(0);
  std::size_t next = 0;
  for (int column = 0; column < num_blocks_; ++column) {
    // The diagonal sorts first in its column, since row >= column.
    rows_.push_back(column);
    if (next < keys.size() && keys[next] == make_block_key(column, column)) ++next;
    for (; next < keys.size() && block_column(keys[next]) == column; ++next) rows_.push_back(block_row(keys[next]));
    offsets_.push_back(static_cast<std::int64_t>(rows_.size()));
  }
}

void BlockSparseMatrix::build_row_index() {
  // Sort the blocks left of the diagonal by row with a counting sort. Columns are visited in order, so those of each
  // row are ascending.
  row_offsets_.assign(num_blocks_ + 1, 0);
  for (int column = 0; column < num_blocks_; ++column) {
    for (const int row : column_rows(column).subspan(1)) ++row_offsets_[row + 1];
  }
  for (int row = 0; row < num_blocks_; ++row) row_offsets_[row + 1] += row_offsets_[row];

  std::vector<std::int64_t> next(row_offsets_.begin(), row_offsets_.end() - 1);
  row_entries_.resize(row_offsets_.back());
  for (int column = 0; column < num_blocks_; ++column) {
    const std::span<const int> rows = column_rows(column);
    for (std::size_t p = 1; p < rows.size(); ++p) row_entries_[next[rows[p]]++] = {column, static_cast<int>(p)};
  }
}

std::int64_t BlockSparseMatrix::find_slot(int row, int column) const {
  const std::span<const int> rows = column_rows(column);
  const auto found = std::lower_bound(rows.begin(), rows.end(), row);
  if (found == rows.end() || *found != row) return -1;
  return column_base(column) + dim_ * (found - rows.begin());
}

void BlockSparseMatrix::set_zero() {
  parallel_for(num_blocks_, columns_per_task, [&](int column) {
    std::fill(values_.begin() + column_base(column), values_.begin() + column_base(column + 1), 0.0);
  });
}

void BlockSparseMatrix::fix_blocks(const std::vector<char>& is_fixed) {
  parallel_for(num_blocks_, columns_per_task, [&](int column) {
    const std::span<const int> rows = column_rows(column);
    const int stride = slot_stride(column);
    double* slot = values_.data() + column_base(column);
    for (const int row : rows) {
      if (is_fixed[row] || is_fixed[column]) {
        for (int c = 0; c < dim_; ++c) {
          for (int r = 0; r < dim_; ++r) slot[c * stride + r] = row == column && r == c ? 1.0 : 0.0;
        }
      }
      slot += dim_;
    }
  });
}

void BlockSparseMatrix::fix_components(const std::vector<char>& held) {
  const auto is_held = [&](int block, int component) { return (held[block] >> component & 1) != 0; };
  parallel_for(num_blocks_, columns_per_task, [&](int column) {
    const std::span<const int> rows = column_rows(column);
    const int stride = slot_stride(column);
    double* slot = values_.data() + column_base(column);
    for (const int row : rows) {
      for (int c = 0; c < dim_; ++c) {
        for (int r = 0; r < dim_; ++r) {
          if (is_held(row, r) || is_held(column, c)) slot[c * stride + r] = row == column && r == c ? 1.0 : 0.0;
        }
      }
      slot += dim_;
    }
  });
}

BlockSparseMatrix BlockSparseMatrix::principal(std::span<const int> blocks) const {
  std::vector<int> number(num_blocks_, -1);
  for (std::size_t k = 0; k < blocks.size(); ++k) number[blocks[k]] = static_cast<int>(k);
  std::vector<BlockKey> keys;
  for (const int column : blocks) {
    for (const int row : column_rows(column)) {
      if (number[row] >= 0) keys.push_back(make_block_key(number[row], number[column]));
    }
  }
  BlockSparseMatrix part(dim_, static_cast<int>(blocks.size()), keys);
  parallel_for(part.num_blocks_, columns_per_task, [&](int k) {
    const int column = blocks[k];
    const double* from = values_.data() + column_base(column);
    double* to = part.values_.data() + part.column_base(k);
    for (const int row : column_rows(column)) {
      if (number[row] >= 0) {
        for (int c = 0; c < dim_; ++c) std::copy_n(from + c * slot_stride(column), dim_, to + c * part.slot_stride(k));
        to += dim_;
      }
      from += dim_;
    }
  });
  return part;
}

template <int dim>
void BlockSparseMatrix::multiply_rows(const VecX& x, VecX& y) const {
  using Block = Eigen::Map<const Mat<dim>, 0, Eigen::OuterStride<>>;
  // Every row gathers its own sum: blocks left of the diagonal in ascending column, the diagonal, then the transposes
  // of the blocks below it. No two threads write to one row and the order is that of the pattern.
  parallel_for(num_blocks_, columns_per_task, [&](int i) {
    Vec<dim> sum = Vec<dim>::Zero();
    for (std::int64_t e = row_offsets_[i]; e < row_offsets_[i + 1]; ++e) {
      const auto [column, position] = row_entries_[e];
      const double* slot = values_.data() + column_base(column) + dim * position;
      sum += Block(slot, Eigen::OuterStride<>(slot_stride(column))) * x.segment<dim>(dim * column);
    }
    const double* slot = values_.data() + column_base(i);
    const Eigen::OuterStride<> stride(slot_stride(i));
    const Mat<dim> diagonal = Mat<dim>(Block(slot, stride)).template selfadjointView<Eigen::Lower>();
    sum += diagonal * x.segment<dim>(dim * i);
    for (const int row : column_rows(i).subspan(1)) {
      slot += dim;
      sum += Block(slot, stride).transpose() * x.segment<dim>(dim * row);
    }
    y.segment<dim>(dim * i) = sum;
  });
}

VecX BlockSparseMatrix::multiply(const VecX& x) const {
  VecX y(num_rows());
  switch (dim_) {
    case 1:
      multiply_rows<1>(x, y);
      break;
    case 2:
      multiply_rows<2>(x, y);
      break;
    case 3:
      multiply_rows<3>(x, y);
      break;
    default:
      break;  // an empty matrix; the constructor's contract refuses other sizes
  }
  return y;
}

}  // namespace clearance
