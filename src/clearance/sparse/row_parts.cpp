#include "clearance/sparse/row_parts.h"

#include <algorithm>
#include <numeric>

#include "clearance/base/parallel.h"
#include "clearance/sparse/elimination_order.h"

namespace clearance {

namespace {

constexpr int rows_per_task = 512;

}  // namespace

std::vector<int> cut_rows(const BlockSparseMatrix& matrix, int num_parts) {
  const std::vector<double> strengths(matrix.num_stored_blocks(), 1.0);
  return compute_partition(matrix, strengths, std::max(1, (matrix.num_blocks() + num_parts - 1) / num_parts));
}

RowParts::RowParts(const BlockSparseMatrix& matrix, const std::vector<int>& part_of, int num_parts)
    : dim_(matrix.dim()) {
  const int num_blocks = matrix.num_blocks();
  first_rows_.assign(num_parts + 1, 0);
  for (const int part : part_of) ++first_rows_[part + 1];
  std::partial_sum(first_rows_.begin(), first_rows_.end(), first_rows_.begin());
  std::vector<int> next(first_rows_.begin(), first_rows_.end() - 1);
  order_.resize(num_blocks);
  place_.resize(order_.size());
  for (int b = 0; b < num_blocks; ++b) {
    place_[b] = next[part_of[b]]++;
    order_[place_[b]] = b;
  }

  left_starts_.assign(num_blocks + 1, 0);
  for (int column = 0; column < num_blocks; ++column) {
    for (const int row : matrix.column_rows(column).subspan(1)) ++left_starts_[row + 1];
  }
  std::partial_sum(left_starts_.begin(), left_starts_.end(), left_starts_.begin());
  left_columns_.resize(left_starts_.back());
  std::vector<std::int64_t> next_left(left_starts_.begin(), left_starts_.end() - 1);
  for (int column = 0; column < num_blocks; ++column) {
    for (const int row : matrix.column_rows(column).subspan(1)) left_columns_[next_left[row]++] = column;
  }
}

/// Returns the stored blocks of a row by ascending places of their columns.
std::vector<RowParts::Source> RowParts::sources_of_row(const BlockSparseMatrix& matrix, int row) const {
  const int block = order_[row];
  std::vector<Source> sources;
  // The blocks below the diagonal of the block's column are transposed in its row.
  std::int64_t slot = matrix.column_base(block);
  for (const int below : matrix.column_rows(block)) {
    sources.push_back({place_[below], matrix.slot_stride(block), slot, below != block, below == block});
    slot += dim_;
  }
  for (std::int64_t k = left_starts_[block]; k < left_starts_[block + 1]; ++k) {
    const int column = left_columns_[k];
    sources.push_back({place_[column], matrix.slot_stride(column), matrix.find_slot(block, column), false, false});
  }
  std::sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) { return a.column < b.column; });
  return sources;
}

RowPattern RowParts::pattern(const BlockSparseMatrix& matrix, int part) const {
  RowPattern pattern{dim_, matrix.num_blocks(), first_row(part), {0}, {}};
  for (int row = first_rows_[part]; row < first_rows_[part + 1]; ++row) {
    for (const Source& source : sources_of_row(matrix, row)) pattern.columns.push_back(source.column);
    pattern.row_starts.push_back(static_cast<int>(pattern.columns.size()));
  }
  return pattern;
}

void RowParts::copy_values(const BlockSparseMatrix& matrix, int part, std::vector<double>& values) const {
  const int first = first_row(part);
  std::vector<std::int64_t> starts = {0};
  for (int row = first; row < first_rows_[part + 1]; ++row) {
    const int block = order_[row];
    const std::int64_t count = matrix.column_size(block) + left_starts_[block + 1] - left_starts_[block];
    starts.push_back(starts.back() + dim_ * dim_ * count);
  }
  values.resize(starts.back());
  parallel_for(num_rows(part), rows_per_task, [&](int r) {
    const std::vector<Source> sources = sources_of_row(matrix, first + r);
    double* target = values.data() + starts[r];
    for (int i = 0; i < dim_; ++i) {
      for (const Source& source : sources) {
        const double* block = matrix.values().data() + source.slot;
        for (int j = 0; j < dim_; ++j) {
          const bool swaps = source.is_transposed || (source.is_diagonal && j > i);
          *target++ = swaps ? block[i * source.stride + j] : block[j * source.stride + i];
        }
      }
    }
  });
}

MatX RowParts::rows_of(const MatX& vectors, int part) const {
  MatX rows(static_cast<Eigen::Index>(dim_) * num_rows(part), vectors.cols());
  for (int r = 0; r < num_rows(part); ++r) {
    rows.middleRows(static_cast<Eigen::Index>(dim_) * r, dim_) =
        vectors.middleRows(static_cast<Eigen::Index>(dim_) * order_[first_rows_[part] + r], dim_);
  }
  return rows;
}

void RowParts::put_rows(const double* rows, int part, VecX& vector) const {
  for (int r = 0; r < num_rows(part); ++r) {
    std::copy_n(rows + static_cast<std::ptrdiff_t>(dim_) * r, dim_,
                vector.data() + static_cast<std::ptrdiff_t>(dim_) * order_[first_rows_[part] + r]);
  }
}

}  // namespace clearance
