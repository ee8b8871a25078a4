#include "clearance/sparse/elimination_order.h"

#include <metis.h>

#include "clearance/sparse/block_graph.h"

namespace clearance {

BlockGraph::BlockGraph(const BlockSparseMatrix& matrix) {
  starts_.reserve(static_cast<std::size_t>(matrix.num_blocks()) + 1);
  rows_.reserve(static_cast<std::size_t>(matrix.num_stored_blocks()));
  starts_.push_back(0);
  for (int column = 0; column < matrix.num_blocks(); ++column) {
    const std::span<const int> rows = matrix.column_rows(column);
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    starts_.push_back(static_cast<SuiteSparse_long>(rows_.size()));
  }
  view_.nrow = view_.ncol = static_cast<std::size_t>(matrix.num_blocks());
  view_.nzmax = rows_.size();
  view_.p = starts_.data();
  view_.i = rows_.data();
  view_.stype = -1;
  view_.itype = CHOLMOD_LONG;
  view_.xtype = CHOLMOD_PATTERN;
  view_.dtype = CHOLMOD_DOUBLE;
  view_.sorted = 1;
  view_.packed = 1;
}

std::vector<int> compute_amd_order(const BlockSparseMatrix& matrix) {
  CholmodCommon common;
  BlockGraph graph(matrix);
  std::vector<SuiteSparse_long> order(static_cast<std::size_t>(matrix.num_blocks()));
  if (!cholmod_l_amd(graph.get(), nullptr, 0, order.data(), common.get())) return {};
  return {order.begin(), order.end()};
}

std::vector<int> compute_dissection_order(const BlockSparseMatrix& matrix) {
  // METIS wants the neighbours of every block, in both directions and without itself.
  const int num_blocks = matrix.num_blocks();
  std::vector<idx_t> starts(static_cast<std::size_t>(num_blocks) + 1, 0);
  for (int column = 0; column < num_blocks; ++column) {
    for (const int row : matrix.column_rows(column).subspan(1)) {
      ++starts[column + 1];
      ++starts[row + 1];
    }
  }
  for (int b = 0; b < num_blocks; ++b) starts[b + 1] += starts[b];
  std::vector<idx_t> neighbours(static_cast<std::size_t>(starts.back()));
  std::vector<idx_t> next(starts.begin(), starts.end() - 1);
  for (int column = 0; column < num_blocks; ++column) {
    for (const int row : matrix.column_rows(column).subspan(1)) {
      neighbours[next[column]++] = row;
      neighbours[next[row]++] = column;
    }
  }

  // A fixed seed: the same pattern gets the same order in every run.
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1;
  std::vector<idx_t> order(static_cast<std::size_t>(num_blocks));
  std::vector<idx_t> inverse(order.size());
  idx_t size = num_blocks;
  if (METIS_NodeND(&size, starts.data(), neighbours.data(), nullptr, options, order.data(), inverse.data()) !=
      METIS_OK) {
    return {};
  }
  return {order.begin(), order.end()};
}

}  // namespace clearance
