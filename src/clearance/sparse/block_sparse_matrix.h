// A symmetric matrix of dim x dim blocks. Only block rows >= block column are stored (lower triangle, whole diagonal
// blocks), laid out as scalar compressed columns: scalar column dim*j + c holds, for each stored block (i, j) in
// ascending i, its dim entries. Entry (r, c) of the block at position p of block column j is values()[column_base(j) +
// c * dim * column_size(j) + dim * p + r].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// Key of block (row, column), row >= column; sorts by column, then row.
using BlockKey = std::uint64_t;
inline BlockKey make_block_key(int row, int column) {
  return (static_cast<BlockKey>(static_cast<std::uint32_t>(column)) << 32) | static_cast<std::uint32_t>(row);
}
inline int block_row(BlockKey key) {
  return static_cast<int>(key & 0xFFFFFFFFu);
}
inline int block_column(BlockKey key) {
  return static_cast<int>(key >> 32);
}

class BlockSparseMatrix {
 public:
  BlockSparseMatrix() = default;
  /// `dim` is 1, 2 or 3. `keys` are sorted and unique; diagonal blocks are added if missing. All values are zero.
  BlockSparseMatrix(int dim, int num_blocks, std::span<const BlockKey> keys);

  int dim() const { return dim_; }
  int num_blocks() const { return num_blocks_; }
  int num_rows() const { return dim_ * num_blocks_; }
  std::int64_t num_stored_blocks() const { return static_cast<std::int64_t>(rows_.size()); }

  /// Returns the block rows stored in a block column, ascending, the diagonal first.
  std::span<const int> column_rows(int column) const {
    return {rows_.data() + offsets_[column], rows_.data() + offsets_[column + 1]};
  }
  int column_size(int column) const { return static_cast<int>(offsets_[column + 1] - offsets_[column]); }
  /// Returns the offset in values() of the first entry of a block column.
  std::int64_t column_base(int column) const { return static_cast<std::int64_t>(dim_) * dim_ * offsets_[column]; }

  /// Returns the offset in values() of entry (0, 0) of block (row, column), row >= column; -1 if the block is not in
  /// the pattern.
  std::int64_t find_slot(int row, int column) const;
  /// Returns the distance in values() between columns of a block in block column `column`.
  int slot_stride(int column) const { return dim_ * column_size(column); }

  /// Returns block (b, b), of which only the lower triangle counts.
  template <int dim>
  Mat<dim> diagonal_block(int b) const {
    return Eigen::Map<const Mat<dim>, 0, Eigen::OuterStride<>>(values_.data() + find_slot(b, b),
                                                               Eigen::OuterStride<>(slot_stride(b)));
  }

  void set_zero();
  /// Adds a block at a slot; the block must be in the pattern.
  template <int dim>
  void add_to_slot(std::int64_t slot, int stride, const Mat<dim>& block) {
    Eigen::Map<Mat<dim>, 0, Eigen::OuterStride<>>(values_.data() + slot, Eigen::OuterStride<>(stride)) += block;
  }

  /// Replaces the rows and columns of the blocks marked in `is_fixed` by those of the identity.
  void fix_blocks(const std::vector<char>& is_fixed);
  /// Fixes single components: bit c of held[b] stands for component c of block b.
  void fix_components(const std::vector<char>& held);

  /// Returns the rows and columns of these blocks, which are ascending, as a matrix of their own.
  BlockSparseMatrix principal(std::span<const int> blocks) const;

  /// Returns y = A x with the full symmetric matrix. Only the lower triangles of the diagonal blocks count, as for the
  /// solvers. The result has the same bits for any number of threads.
  VecX multiply(const VecX& x) const;

  std::vector<double>& values() { return values_; }
  const std::vector<double>& values() const { return values_; }

  /// Returns a number that is different for every pattern built in this process; it tells solvers when to analyse
  /// again.
  std::uint64_t pattern_id() const { return pattern_id_; }

 private:
  /// Block at `position` of block column `column`.
  struct RowEntry {
    int column;
    int position;
  };
  void build_columns(std::span<const BlockKey> keys);
  void build_row_index();
  template <int dim>
  void multiply_rows(const VecX& x, VecX& y) const;

  int dim_ = 0;
  int num_blocks_ = 0;
  std::uint64_t pattern_id_ = 0;
  std::vector<std::int64_t> offsets_;  // per block column, into rows_
  std::vector<int> rows_;
  std::vector<std::int64_t> row_offsets_;  // per block row, into row_entries_
  std::vector<RowEntry> row_entries_;      // blocks left of the diagonal, row by row, for multiply()
  std::vector<double> values_;
};

/// Calls body(row, block) for every stored block of a column; a diagonal block is passed as the
/// full symmetric one.
template <int dim, class Body>
void for_blocks_of_column(const BlockSparseMatrix& matrix, int column, const Body& body) {
  const Eigen::OuterStride<> stride(matrix.slot_stride(column));
  const double* slot = matrix.values().data() + matrix.column_base(column);
  for (const int row : matrix.column_rows(column)) {
    const Eigen::Map<const Mat<dim>, 0, Eigen::OuterStride<>> stored(slot, stride);
    Mat<dim> block = stored;
    if (row == column) block = stored.template selfadjointView<Eigen::Lower>();
    body(row, block);
    slot += dim;
  }
}

}  // namespace clearance
