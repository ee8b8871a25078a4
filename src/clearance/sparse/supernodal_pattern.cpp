#include "clearance/sparse/supernodal_pattern.h"

#include <algorithm>

#include "clearance/base/parallel.h"
#include "clearance/sparse/block_graph.h"

namespace clearance {
namespace {

constexpr int supernodes_per_task = 16;

/// Copies CHOLMOD's supernodes of the block graph.
bool find_supernodes(const BlockSparseMatrix& matrix, const std::vector<int>& order, SupernodalPattern& pattern) {
  CholmodCommon common;
  cholmod_common* settings = common.get();
  settings->nmethods = 1;
  settings->method[0].ordering = CHOLMOD_GIVEN;
  settings->postorder = 1;
  settings->supernodal = CHOLMOD_SUPERNODAL;
  // Neighbouring columns are merged up to these widths although that stores zeros. The widths are half of CHOLMOD's
  // defaults, since a column here is a block of two or three (10 percent faster than the defaults on a mat of 3200
  // nodes, 20 on 200 nodes).
  settings->nrelax[0] = 2;
  settings->nrelax[1] = 6;
  settings->nrelax[2] = 16;
  BlockGraph graph(matrix);
  std::vector<SuiteSparse_long> given(order.begin(), order.end());
  cholmod_factor* factor = cholmod_l_analyze_p(graph.get(), given.data(), nullptr, 0, settings);
  const bool has_factor = factor != nullptr && settings->status == CHOLMOD_OK;
  if (has_factor) {
    const auto* permutation = static_cast<const SuiteSparse_long*>(factor->Perm);
    const auto* super = static_cast<const SuiteSparse_long*>(factor->super);
    const auto* row_starts = static_cast<const SuiteSparse_long*>(factor->pi);
    const auto* rows = static_cast<const SuiteSparse_long*>(factor->s);
    pattern.order.assign(permutation, permutation + factor->n);
    pattern.first_column.assign(super, super + factor->nsuper + 1);
    pattern.row_starts.assign(row_starts, row_starts + factor->nsuper + 1);
    pattern.rows.assign(rows, rows + pattern.row_starts.back());
    // Eliminating blocks costs dim^3 times as much as eliminating numbers.
    pattern.flops = settings->fl * pattern.dim * pattern.dim * pattern.dim;
  }
  cholmod_l_free_factor(&factor, settings);
  return has_factor;
}

std::vector<int> find_supernode_of_column(const SupernodalPattern& pattern) {
  std::vector<int> supernode_of(pattern.num_blocks);
  for (int s = 0; s + 1 < static_cast<int>(pattern.first_column.size()); ++s) {
    std::fill(supernode_of.begin() + pattern.first_column[s], supernode_of.begin() + pattern.first_column[s + 1], s);
  }
  return supernode_of;
}

/// Builds the tree: the parent of a supernode owns the first row below its columns.
void build_tree(const std::vector<int>& supernode_of, SupernodalPattern& pattern) {
  const int count = static_cast<int>(pattern.first_column.size()) - 1;
  pattern.parent.assign(count, -1);
  pattern.child_starts.assign(count + 1, 0);
  for (int s = 0; s < count; ++s) {
    const std::span<const int> rows = pattern.supernode_rows(s);
    const std::size_t columns = pattern.num_block_columns(s);
    if (rows.size() == columns) continue;
    pattern.parent[s] = supernode_of[rows[columns]];
    ++pattern.child_starts[pattern.parent[s] + 1];
  }
  for (int s = 0; s < count; ++s) pattern.child_starts[s + 1] += pattern.child_starts[s];
  pattern.children.resize(pattern.child_starts.back());
  std::vector<int> next(pattern.child_starts.begin(), pattern.child_starts.end() - 1);
  for (int s = 0; s < count; ++s) {
    if (pattern.parent[s] >= 0) pattern.children[next[pattern.parent[s]]++] = s;
  }
}

void add_up_work(SupernodalPattern& pattern) {
  const int count = pattern.num_supernodes();
  pattern.subtree_work.assign(count, 0.0);
  pattern.first_descendant.resize(count);
  pattern.value_starts.assign(1, 0);
  for (int s = 0; s < count; ++s) pattern.first_descendant[s] = s;
  for (int s = 0; s < count; ++s) {
    const double rows = pattern.num_rows(s);
    const double columns = pattern.num_columns(s);
    pattern.subtree_work[s] += columns * rows * rows;
    pattern.value_starts.push_back(pattern.value_starts.back() +
                                   static_cast<std::int64_t>(pattern.num_rows(s)) * pattern.num_columns(s));
    const int parent = pattern.parent[s];
    if (parent < 0) continue;
    pattern.subtree_work[parent] += pattern.subtree_work[s];
    pattern.first_descendant[parent] = std::min(pattern.first_descendant[parent], pattern.first_descendant[s]);
  }
}

/// Finds the place of each row below a supernode's columns among the rows of its parent, which has all of them.
void find_parent_rows(SupernodalPattern& pattern) {
  pattern.parent_rows.assign(pattern.rows.size(), -1);
  parallel_for(pattern.num_supernodes(), supernodes_per_task, [&](int s) {
    if (pattern.parent[s] < 0) return;
    const std::span<const int> rows = pattern.supernode_rows(s);
    const std::span<const int> above = pattern.supernode_rows(pattern.parent[s]);
    std::size_t position = 0;
    for (std::size_t i = pattern.num_block_columns(s); i < rows.size(); ++i) {
      while (above[position] != rows[i]) ++position;
      pattern.parent_rows[pattern.row_starts[s] + static_cast<std::int64_t>(i)] = static_cast<int>(position);
    }
  });
}

void map_matrix_blocks(const BlockSparseMatrix& matrix, const std::vector<int>& supernode_of,
                       SupernodalPattern& pattern) {
  std::vector<int> position_of(pattern.order.size());
  for (int k = 0; k < pattern.num_blocks; ++k) position_of[pattern.order[k]] = k;

  // Sort by supernode with a counting sort; until the next stage `target` holds the key of the block in the factor.
  pattern.entry_starts.assign(pattern.num_supernodes() + 1, 0);
  for (int column = 0; column < pattern.num_blocks; ++column) {
    for (const int row : matrix.column_rows(column)) {
      ++pattern.entry_starts[supernode_of[std::min(position_of[row], position_of[column])] + 1];
    }
  }
  for (int s = 0; s < pattern.num_supernodes(); ++s) pattern.entry_starts[s + 1] += pattern.entry_starts[s];
  pattern.entries.resize(pattern.entry_starts.back());
  std::vector<std::int64_t> next(pattern.entry_starts.begin(), pattern.entry_starts.end() - 1);
  for (int column = 0; column < pattern.num_blocks; ++column) {
    std::int64_t source = matrix.column_base(column);
    for (const int row : matrix.column_rows(column)) {
      const auto [low, high] = std::minmax(position_of[row], position_of[column]);
      pattern.entries[next[supernode_of[low]]++] = {source, static_cast<std::int64_t>(make_block_key(high, low)),
                                                    matrix.slot_stride(column), position_of[row] < position_of[column]};
      source += pattern.dim;
    }
  }

  parallel_for(pattern.num_supernodes(), supernodes_per_task, [&](int s) {
    const std::span<const int> rows = pattern.supernode_rows(s);
    const std::int64_t stride = pattern.num_rows(s);
    for (std::int64_t e = pattern.entry_starts[s]; e < pattern.entry_starts[s + 1]; ++e) {
      const BlockKey key = static_cast<BlockKey>(pattern.entries[e].target);
      const std::int64_t row = std::lower_bound(rows.begin(), rows.end(), block_row(key)) - rows.begin();
      const std::int64_t column = block_column(key) - pattern.first_column[s];
      pattern.entries[e].target = pattern.value_starts[s] + pattern.dim * (row + column * stride);
    }
  });
}

}  // namespace

SupernodalPattern analyze_supernodes(const BlockSparseMatrix& matrix, const std::vector<int>& order) {
  SupernodalPattern pattern;
  pattern.dim = matrix.dim();
  pattern.num_blocks = matrix.num_blocks();
  if (pattern.num_blocks == 0 || !find_supernodes(matrix, order, pattern)) return pattern;
  const std::vector<int> supernode_of = find_supernode_of_column(pattern);
  build_tree(supernode_of, pattern);
  add_up_work(pattern);
  find_parent_rows(pattern);
  map_matrix_blocks(matrix, supernode_of, pattern);
  return pattern;
}

}  // namespace clearance
