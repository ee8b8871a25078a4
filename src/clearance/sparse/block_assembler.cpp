#include "clearance/sparse/block_assembler.h"

#include <algorithm>
#include <utility>

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

constexpr int keys_per_chunk = 1024;
constexpr int columns_per_task = 256;

/// A block of a column: its row in the upper half, its contribution in the lower half. Sorts by row, then stencil.
using ColumnEntry = std::uint64_t;
int entry_row(ColumnEntry entry) {
  return static_cast<int>(entry >> 32);
}
std::uint32_t entry_contribution(ColumnEntry entry) {
  return static_cast<std::uint32_t>(entry);
}

/// All local blocks of all stencils, grouped by the block column they go to. Contacts touch few of all columns: only
/// these are listed.
struct ColumnBuckets {
  std::vector<int> columns;           // ascending
  std::vector<std::int64_t> offsets;  // per listed column, into entries
  std::vector<ColumnEntry> entries;
  int count() const { return static_cast<int>(columns.size()); }
};

template <class Visit>
void for_each_block(std::span<const Stencil> stencils, const Visit& visit) {
  for (std::size_t s = 0; s < stencils.size(); ++s) {
    const Stencil& stencil = stencils[s];
    auto local_block = static_cast<std::uint32_t>(s * max_stencil_blocks);
    for (int a = 0; a < stencil.count; ++a) {
      for (int b = 0; b <= a; ++b, ++local_block) {
        const int row = stencil.nodes[a], column = stencil.nodes[b];
        const bool is_transposed = row < column;
        visit(is_transposed ? column : row, is_transposed ? row : column, 2 * local_block + is_transposed);
      }
    }
  }
}

ColumnBuckets sort_into_columns(std::span<const Stencil> stencils) {
  int num_columns = 0;
  for (const Stencil& stencil : stencils) {
    for (int a = 0; a < stencil.count; ++a) num_columns = std::max(num_columns, stencil.nodes[a] + 1);
  }

  // A counting sort by column and small sorts inside columns: four times faster than one sort of all keys.
  std::vector<std::int64_t> next(static_cast<std::size_t>(num_columns), 0);
  for_each_block(stencils, [&](int, int column, std::uint32_t) { ++next[column]; });
  ColumnBuckets buckets;
  std::int64_t num_entries = 0;
  for (int c = 0; c < num_columns; ++c) {
    if (next[c] == 0) continue;
    buckets.columns.push_back(c);
    buckets.offsets.push_back(num_entries);
    num_entries += std::exchange(next[c], num_entries);
  }
  buckets.offsets.push_back(num_entries);

  buckets.entries.resize(static_cast<std::size_t>(num_entries));
  for_each_block(stencils, [&](int row, int column, std::uint32_t contribution) {
    buckets.entries[next[column]++] = (static_cast<ColumnEntry>(row) << 32) | contribution;
  });
  parallel_for(buckets.count(), columns_per_task, [&](int c) {
    std::sort(buckets.entries.begin() + buckets.offsets[c], buckets.entries.begin() + buckets.offsets[c + 1]);
  });
  return buckets;
}

/// Per listed column, the number of different rows before it.
std::vector<std::int64_t> count_keys(const ColumnBuckets& buckets) {
  std::vector<std::int64_t> starts(buckets.offsets.size(), 0);
  parallel_for(buckets.count(), columns_per_task, [&](int c) {
    int last_row = -1;
    for (std::int64_t e = buckets.offsets[c]; e < buckets.offsets[c + 1]; ++e) {
      const int row = entry_row(buckets.entries[e]);
      starts[c + 1] += row != last_row;
      last_row = row;
    }
  });
  for (int c = 0; c < buckets.count(); ++c) starts[c + 1] += starts[c];
  return starts;
}

}  // namespace

BlockAssembler::BlockAssembler(std::span<const Stencil> stencils) : num_stencils_(static_cast<int>(stencils.size())) {
  const ColumnBuckets buckets = sort_into_columns(stencils);
  const std::vector<std::int64_t> key_starts = count_keys(buckets);

  keys_.resize(static_cast<std::size_t>(key_starts.back()));
  contribution_offsets_.resize(keys_.size() + 1);
  contribution_offsets_.back() = static_cast<std::int64_t>(buckets.entries.size());
  contributions_.resize(buckets.entries.size());
  parallel_for(buckets.count(), columns_per_task, [&](int c) {
    std::int64_t next_key = key_starts[c];
    int last_row = -1;
    for (std::int64_t e = buckets.offsets[c]; e < buckets.offsets[c + 1]; ++e) {
      const int row = entry_row(buckets.entries[e]);
      if (row != last_row) {
        keys_[next_key] = make_block_key(row, buckets.columns[c]);
        contribution_offsets_[next_key++] = e;
        last_row = row;
      }
      contributions_[e] = entry_contribution(buckets.entries[e]);
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
      const std::uint32_t contribution = contributions_[c];
      const Eigen::Map<const Mat<dim>> local(locals.data() + static_cast<std::size_t>(contribution / 2) * (dim * dim));
      if (contribution % 2 == 1) {
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
