// The symbolic half of a sparse Cholesky factorisation, computed by CHOLMOD on the graph of blocks: the non-zero blocks
// of the factor, grouped into supernodes (neighbouring columns with nearly equal patterns, stored as one dense matrix),
// and the destinations of the matrix and of the supernodes' updates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

struct SupernodalPattern {
  /// A matrix block and its place in the factor's values, with the offsets of entry (0, 0).
  struct Entry {
    std::int64_t source;
    std::int64_t target;
    int source_stride;
    bool is_transposed;
  };

  int dim = 0;
  int num_blocks = 0;
  double flops = 0;        ///< predicted operations of the numeric factorisation, without those on stored zeros
  std::vector<int> order;  ///< original block at each position of the factor; a postorder of the elimination tree
  std::vector<int> first_column;           ///< per supernode and one more, in blocks
  std::vector<std::int64_t> row_starts;    ///< per supernode and one more, into rows
  std::vector<int> rows;                   ///< ascending positions of its block rows, its own columns first
  std::vector<int> parent_rows;            ///< parallel to rows: index among the parent's rows, -1 for own columns
  std::vector<std::int64_t> value_starts;  ///< per supernode and one more: dense columns in the factor's values
  std::vector<int> parent;                 ///< per supernode, -1 for roots
  std::vector<int> child_starts;           ///< per supernode and one more, into children
  std::vector<int> children;
  std::vector<int> first_descendant;       ///< supernodes first_descendant[s]..s are the subtree of s
  std::vector<double> subtree_work;        ///< operations in the subtree of s, with those on stored zeros
  std::vector<std::int64_t> entry_starts;  ///< per supernode and one more, into entries
  std::vector<Entry> entries;

  int num_supernodes() const { return static_cast<int>(parent.size()); }
  int num_block_rows(int s) const { return static_cast<int>(row_starts[s + 1] - row_starts[s]); }
  int num_block_columns(int s) const { return first_column[s + 1] - first_column[s]; }
  int num_rows(int s) const { return dim * num_block_rows(s); }
  int num_columns(int s) const { return dim * num_block_columns(s); }
  std::span<const int> supernode_rows(int s) const {
    return {rows.data() + row_starts[s], rows.data() + row_starts[s + 1]};
  }
};

/// Computes the pattern; `order` is any fill-reducing order. num_supernodes() is 0 for an empty matrix or if memory
/// runs out.
SupernodalPattern analyze_supernodes(const BlockSparseMatrix& matrix, const std::vector<int>& order);

}  // namespace clearance
