#include "clearance/sparse/elimination_order.h"

#include <metis.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "clearance/math/elementary.h"
#include "clearance/sparse/block_graph.h"

namespace clearance {
namespace {

/// The neighbours of every block in both directions and without itself, in the form that METIS reads.
struct Neighbours {
  std::vector<idx_t> starts;
  std::vector<idx_t> blocks;
  std::vector<std::int64_t> edges;  // per neighbour, the stored block that couples it
};

Neighbours find_neighbours(const BlockSparseMatrix& matrix) {
  const int num_blocks = matrix.num_blocks();
  Neighbours result;
  result.starts.assign(num_blocks + 1, 0);
  for (int column = 0; column < num_blocks; ++column) {
    for (const int row : matrix.column_rows(column).subspan(1)) {
      ++result.starts[column + 1];
      ++result.starts[row + 1];
    }
  }
  for (int b = 0; b < num_blocks; ++b) result.starts[b + 1] += result.starts[b];
  result.blocks.resize(result.starts.back());
  result.edges.resize(result.blocks.size());
  std::vector<idx_t> next(result.starts.begin(), result.starts.end() - 1);
  std::int64_t edge = 0;
  for (int column = 0; column < num_blocks; ++column) {
    ++edge;  // the diagonal
    for (const int row : matrix.column_rows(column).subspan(1)) {
      result.edges[next[column]] = result.edges[next[row]] = edge++;
      result.blocks[next[column]++] = row;
      result.blocks[next[row]++] = column;
    }
  }
  return result;
}

/// Returns default settings with a fixed seed: the same pattern gets the same order in every run.
std::array<idx_t, METIS_NOPTIONS> metis_options() {
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1;
  return options;
}

}  // namespace

BlockGraph::BlockGraph(const BlockSparseMatrix& matrix) {
  starts_.reserve(matrix.num_blocks() + 1);
  rows_.reserve(matrix.num_stored_blocks());
  starts_.push_back(0);
  for (int column = 0; column < matrix.num_blocks(); ++column) {
    const std::span<const int> rows = matrix.column_rows(column);
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    starts_.push_back(static_cast<SuiteSparse_long>(rows_.size()));
  }
  view_.nrow = view_.ncol = matrix.num_blocks();
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
  std::vector<SuiteSparse_long> order(matrix.num_blocks());
  if (!cholmod_l_amd(graph.get(), nullptr, 0, order.data(), common.get())) return {};
  return {order.begin(), order.end()};
}

std::vector<int> compute_dissection_order(const BlockSparseMatrix& matrix) {
  Neighbours graph = find_neighbours(matrix);
  std::array<idx_t, METIS_NOPTIONS> options = metis_options();
  std::vector<idx_t> order(matrix.num_blocks());
  std::vector<idx_t> inverse(order.size());
  idx_t size = matrix.num_blocks();
  const int status = METIS_NodeND(&size, graph.starts.data(), graph.blocks.data(), nullptr, options.data(),
                                  order.data(), inverse.data());
  if (status != METIS_OK) return {};
  return {order.begin(), order.end()};
}

std::vector<int> compute_partition(const BlockSparseMatrix& matrix, const std::vector<double>& strengths,
                                   int blocks_per_patch) {
  const int num_blocks = matrix.num_blocks();
  std::vector<int> patch_of(num_blocks, 0);
  idx_t num_patches = (num_blocks + blocks_per_patch - 1) / blocks_per_patch;
  if (num_patches <= 1) return patch_of;

  // METIS weighs edges with small integers: use the logarithm of the strength, from 1 to 100 over ten orders of
  // magnitude.
  Neighbours graph = find_neighbours(matrix);
  double strongest = 0.0;
  for (const std::int64_t edge : graph.edges) strongest = std::max(strongest, strengths[edge]);
  std::vector<idx_t> weights(graph.edges.size(), 1);
  for (std::size_t e = 0; e < weights.size(); ++e) {
    const double ratio = strengths[graph.edges[e]] / strongest;
    if (ratio > 0.0) weights[e] = std::max<idx_t>(1, static_cast<idx_t>(100.0 + 10.0 * elementary::log10(ratio)));
  }
  idx_t size = num_blocks;
  idx_t num_constraints = 1;
  idx_t cut = 0;
  std::array<idx_t, METIS_NOPTIONS> options = metis_options();
  std::vector<idx_t> part(patch_of.size(), 0);
  const int status =
      METIS_PartGraphKway(&size, &num_constraints, graph.starts.data(), graph.blocks.data(), nullptr, nullptr,
                          weights.data(), &num_patches, nullptr, nullptr, options.data(), &cut, part.data());
  // If METIS fails, blocks with neighbouring numbers are the best guess.
  for (int b = 0; b < num_blocks; ++b) patch_of[b] = status == METIS_OK ? part[b] : b / blocks_per_patch;

  // METIS may leave patches empty, so number those in use.
  std::vector<int> number(num_patches, -1);
  int count = 0;
  for (int& p : patch_of) {
    if (number[p] < 0) number[p] = count++;
    p = number[p];
  }
  return patch_of;
}

}  // namespace clearance
