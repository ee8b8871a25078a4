// A symmetric block matrix cut into parts of its rows, for programs that spread it over processes. It has both
// triangles, and its blocks are ordered so that those of a part follow each other.
#pragma once

#include <cstdint>
#include <vector>

#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

/// The pattern of consecutive block rows, in the order of the parts.
struct RowPattern {
  int dim = 0;
  int num_blocks = 0;           ///< number of blocks of the whole matrix
  int first_row = 0;            ///< first block row
  std::vector<int> row_starts;  ///< per block row and one more: index into columns
  std::vector<int> columns;     ///< block columns, ascending in each row

  int num_rows() const { return static_cast<int>(row_starts.size()) - 1; }
};

/// Returns the part of every block: `num_parts` parts of about as many neighbouring blocks each; a part may be empty.
std::vector<int> cut_rows(const BlockSparseMatrix& matrix, int num_parts);

class RowParts {
 public:
  RowParts() = default;
  RowParts(const BlockSparseMatrix& matrix, const std::vector<int>& part_of, int num_parts);

  int num_parts() const { return static_cast<int>(first_rows_.size()) - 1; }
  int first_row(int part) const { return first_rows_[part]; }
  int num_rows(int part) const { return first_rows_[part + 1] - first_rows_[part]; }
  /// Returns the block of the matrix at every place in the order of the parts.
  const std::vector<int>& order() const { return order_; }
  RowPattern pattern(const BlockSparseMatrix& matrix, int part) const;
  /// Copies the values scalar row by scalar row, each in the order of the pattern's columns. Reads the lower triangle
  /// of diagonal blocks. `matrix` must have the pattern that the parts were made from.
  void copy_values(const BlockSparseMatrix& matrix, int part, std::vector<double>& values) const;
  /// Returns the numbers of a vector (or of columns of vectors) that belong to a part.
  MatX rows_of(const MatX& vectors, int part) const;
  /// Puts the numbers of a part back into their places in `vector`.
  void put_rows(const double* rows, int part, VecX& vector) const;

 private:
  /// A stored block of a row; `is_transposed` says that the row holds its transpose.
  struct Source {
    int column;  // its place, which orders the row
    int stride;
    std::int64_t slot;
    bool is_transposed;
    bool is_diagonal;
  };
  std::vector<Source> sources_of_row(const BlockSparseMatrix& matrix, int row) const;

  int dim_ = 0;
  std::vector<int> first_rows_ = {0};  // per part and one more
  std::vector<int> order_;             // block at each place
  std::vector<int> place_;             // of each block
  // The columns of blocks left of the diagonal, by rows; the matrix itself only lists blocks below the diagonal by
  // columns.
  std::vector<std::int64_t> left_starts_;
  std::vector<int> left_columns_;
};

}  // namespace clearance
