#include "clearance/sparse/block_assembler.h"

#include <algorithm>

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

constexpr int keys_per_chunk = 1024;
constexpr int columns_per_task = 256;

/// Local block of the pair a >= b of stencil nodes, in the order of the lower triangle.
struct LocalPair {
  std::uint8_t a;
  std::uint8_t b;
};
constexpr std::array<LocalPair, max_stencil_blocks> local_pairs = [] {
  std::array<LocalPair, max_stencil_blocks> pairs{};
  std::size_t next = 0;
  for (std::uint8_t a = 0; a < max_stencil_nodes; ++a) {
    for (std::uint8_t b = 0; b <= a; ++b) pairs[next++] = {a, b};
  }
  return pairs;
}();

/// A block of a column: its row in the upper half, its local block in the lower half. Sorts by row, then stencil.
using ColumnEntry = std::uint64_t;
int entry_row(ColumnEntry entry) {
  return static_cast<int>(entry >> 32);
}
std::uint32_t entry_local_block(ColumnEntry entry) {
  return static_cast<std::uint32_t>(entry);
}

/// All local blocks of all stencils, grouped by the block column they go to.
struct ColumnBuckets {
  std::vector<std::int64_t> offsets;  // per column, into entries
  std::vector<ColumnEntry> entries;
  int num_columns() const { return static_cast<int>(offsets.size()) - 1; }
};

template <class Visit>
void for_each_block(std::span<const Stencil> stencils, const Visit& visit) {
  for (std::size_t s = 0; s < stencils.size(); ++s) {
    const Stencil& stencil = stencils[s];
    for (int k = 0; k < stencil.count * (stencil.count + 1) / 2; ++k) {
      const auto [low, high] = std::minmax(stencil.nodes[local_pairs[k].a], stencil.nodes[local_pairs[k].b]);
      visit(high, low, static_cast<std::uint32_t>(s * max_stencil_blocks + k));
    }
  }
}

ColumnBuckets sort_into_columns(std::span<const Stencil> stencils) {
  int num_columns = 0;
  for (const Stencil& stencil : stencils) {
    for (int a = 0; a < stencil.count; ++a) num_columns = std::max(num_columns, stencil.nodes[a] + 1);
  }

  // A counting sort by column and small sorts inside columns: four times faster than one sort of all keys.
  ColumnBuckets buckets;
  buckets.offsets.assign(static_cast<std::size_t>(num_columns) + 1, 0);
  for_each_block(stencils, [&](int, int column, std::uint32_t) { ++buckets.offsets[column + 1]; });
  for (int c = 0; c < num_columns; ++c) buckets.offsets[c + 1] += buckets.offsets[c];

  std::vector<std::int64_t> next(buckets.offsets.begin(), buckets.offsets.end() - 1);
  buckets.entries.resize(static_cast<std::size_t>(buckets.offsets.back()));
  for_each_block(stencils, [&](int row, int column, std::uint32_t local_block) {
    buckets.entries[next[column]++] = (static_cast<ColumnEntry>(row) << 32) | local_block;
  });
  parallel_for(num_columns, columns_per_task, [&](int c) {
    std::sort(buckets.entries.begin() + buckets.offsets[c], buckets.entries.begin() + buckets.offsets[c + 1]);
  });
  return buckets;
}

/// Per column, the number of different rows before it.
std::vector<std::int64_t> count_keys(const ColumnBuckets& buckets) {
  std::vector<std::int64_t> starts(buckets.offsets.size(), 0);
  parallel_for(buckets.num_columns(), columns_per_task, [&](int c) {
    int last_row = -1;
    for (std::int64_t e = buckets.offsets[c]; e < buckets.offsets[c + 1]; ++e) {
      const int row = entry_row(buckets.entries[e]);
      starts[c + 1] += row != last_row;
      last_row = row;
    }
  });
  for (int c = 0; c < buckets.num_columns(); ++c) starts[c + 1] += starts[c];
  return starts;
}

bool is_reversed(std::span<const Stencil> stencils, std::uint32_t local_block) {
  const Stencil& stencil = stencils[local_block / max_stencil_blocks];
  const LocalPair pair = local_pairs[local_block % max_stencil_blocks];
  return stencil.nodes[pair.a] < stencil.nodes[pair.b];
}

}  // namespace

BlockAssembler::BlockAssembler(std::span<const Stencil> stencils) : num_stencils_(static_cast<int>(stencils.size())) {
  const ColumnBuckets buckets = sort_into_columns(stencils);
  const std::vector<std::int64_t> key_starts = count_keys(buckets);

  keys_.resize(static_cast<std::size_t>(key_starts.back()));
  contribution_offsets_.resize(keys_.size() + 1);
  contribution_offsets_.back() = static_cast<std::int64_t>(buckets.entries.size());
  contributions_.resize(buckets.entries.size());
  parallel_for(buckets.num_columns(), columns_per_task, [&](int c) {
    std::int64_t next_key = key_starts[c];
    int last_row = -1;
    for (std::int64_t e = buckets.offsets[c]; e < buckets.offsets[c + 1]; ++e) {
      const int row = entry_row(buckets.entries[e]);
      if (row != last_row) {
        keys_[next_key] = make_block_key(row, c);
        contribution_offsets_[next_key++] = e;
        last_row = row;
      }
      const std::uint32_t local_block = entry_local_block(buckets.entries[e]);
      contributions_[e] = {local_block, is_reversed(stencils, local_block)};
    }
  });
}

bool BlockAssembler::bind(const BlockSparseMatrix& matrix) {
  const int num_keys = static_cast<int>(keys_.size());
  slots_.assign(keys_.size(), -1);
  strides_.assign(keys_.size(), 0);
  if (num_keys > 0 && block_column(keys_.back()) >= matrix.num_blocks()) return false;

  // Both lists are sorted, so that a search starts where the last one ended.
  parallel_for_chunks(num_keys, keys_per_chunk, [&](int begin, int end) {
    int column = -1;
    std::span<const int> rows;
    std::size_t position = 0;
    for (int k = begin; k < end; ++k) {
      if (block_column(keys_[k]) != column) {
        column = block_column(keys_[k]);
        rows = matrix.column_rows(column);
        position = 0;
      }
      const int row = block_row(keys_[k]);
      if (position < rows.size() && rows[position] < row) ++position;
      if (position < rows.size() && rows[position] < row) {
        position = static_cast<std::size_t>(std::lower_bound(rows.begin() + position, rows.end(), row) - rows.begin());
      }
      if (position == rows.size() || rows[position] != row) continue;
      slots_[k] = matrix.column_base(column) + matrix.dim() * static_cast<std::int64_t>(position);
      strides_[k] = matrix.slot_stride(column);
    }
  });
  return std::find(slots_.begin(), slots_.end(), -1) == slots_.end();
}

template <int dim>
void BlockAssembler::add_to(BlockSparseMatrix& matrix, std::span<const double> locals, double scale) const {
  // One key is one matrix block, summed by one thread in stencil order.
  parallel_for(static_cast<int>(keys_.size()), keys_per_chunk, [&](int k) {
    Mat<dim> sum = Mat<dim>::Zero();
    for (std::int64_t c = contribution_offsets_[k]; c < contribution_offsets_[k + 1]; ++c) {
      const Contribution contribution = contributions_[c];
      const std::size_t start = static_cast<std::size_t>(contribution.local_block) * (dim * dim);
      const Eigen::Map<const Mat<dim>> local(locals.data() + start);
      if (contribution.is_transposed) {
        sum += local.transpose();
      } else {
        sum += local;
      }
    }
    matrix.add_to_slot<dim>(slots_[k], strides_[k], Mat<dim>(scale * sum));
  });
}

template void BlockAssembler::add_to<2>(BlockSparseMatrix&, std::span<const double>, double) const;
template void BlockAssembler::add_to<3>(BlockSparseMatrix&, std::span<const double>, double) const;

}  // namespace clearance
