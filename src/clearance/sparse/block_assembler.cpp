#include "clearance/sparse/block_assembler.h"

#include <algorithm>
#include <utility>

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

constexpr int keys_per_chunk = 1024;
constexpr int columns_per_task = 256;

/// A contribution in the lower half and, in the upper half, the row or column that its list does not tell.
using Entry = std::uint64_t;
Entry make_entry(int index, std::uint32_t contribution) {
  return (static_cast<Entry>(index) << 32) | contribution;
}
int entry_index(Entry entry) {
  return static_cast<int>(entry >> 32);
}
std::uint32_t entry_contribution(Entry entry) {
  return static_cast<std::uint32_t>(entry);
}

/// All local blocks of all stencils, grouped by the block column they go to, by row, then by stencil. Contacts touch
/// few of all columns: only these are listed.
struct ColumnBuckets {
  std::vector<int> columns;           // ascending
  std::vector<std::int64_t> offsets;  // per listed column, into entries
  std::vector<Entry> entries;         // rows
  int count() const { return static_cast<int>(columns.size()); }
};

/// Stencils of at most max_stencil_nodes, all with the same room.
struct EqualStencils {
  std::span<const Stencil> stencils;
  int count() const { return static_cast<int>(stencils.size()); }
  std::span<const int> nodes_of(int s) const {
    return {stencils[s].nodes.data(), static_cast<std::size_t>(stencils[s].count)};
  }
  std::int64_t first_local_block_of(int s) const { return static_cast<std::int64_t>(s) * max_stencil_blocks; }
};

struct AnyStencils {
  const StencilList& list;
  int count() const { return list.count(); }
  std::span<const int> nodes_of(int s) const { return list.nodes_of(s); }
  std::int64_t first_local_block_of(int s) const { return list.first_local_block[s]; }
};

template <class Stencils, class Visit>
void for_each_block(const Stencils& stencils, const Visit& visit) {
  for (int s = 0; s < stencils.count(); ++s) {
    const std::span<const int> nodes = stencils.nodes_of(s);
    auto local_block = static_cast<std::uint32_t>(stencils.first_local_block_of(s));
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b, ++local_block) {
        const int row = nodes[a], column = nodes[b];
        const bool is_transposed = row < column;
        visit(is_transposed ? column : row, is_transposed ? row : column, 2 * local_block + is_transposed);
      }
    }
  }
}

/// Counts to places: returns their sum.
std::int64_t accumulate(std::vector<std::int64_t>& counts) {
  std::int64_t sum = 0;
  for (std::int64_t& count : counts) sum += std::exchange(count, sum);
  return sum;
}

template <class Stencils>
ColumnBuckets sort_into_columns(const Stencils& stencils) {
  int num_nodes = 0;
  for (int s = 0; s < stencils.count(); ++s) {
    for (const int node : stencils.nodes_of(s)) num_nodes = std::max(num_nodes, node + 1);
  }

  // Two stable counting sorts, by row and then by column.
  std::vector<std::int64_t> row_place(static_cast<std::size_t>(num_nodes), 0);
  std::vector<std::int64_t> column_place(static_cast<std::size_t>(num_nodes), 0);
  for_each_block(stencils, [&](int row, int column, std::uint32_t) {
    ++row_place[row];
    ++column_place[column];
  });
  ColumnBuckets buckets;
  for (int c = 0; c < num_nodes; ++c) {
    if (column_place[c] > 0) buckets.columns.push_back(c);
  }
  const std::int64_t num_entries = accumulate(column_place);
  for (const int c : buckets.columns) buckets.offsets.push_back(column_place[c]);
  buckets.offsets.push_back(num_entries);

  accumulate(row_place);
  std::vector<Entry> by_row(static_cast<std::size_t>(num_entries));
  for_each_block(stencils, [&](int row, int column, std::uint32_t contribution) {
    by_row[row_place[row]++] = make_entry(column, contribution);
  });
  buckets.entries.resize(by_row.size());
  std::int64_t e = 0;
  for (int row = 0; row < num_nodes; ++row) {
    for (; e < row_place[row]; ++e) {
      buckets.entries[column_place[entry_index(by_row[e])]++] = make_entry(row, entry_contribution(by_row[e]));
    }
  }
  return buckets;
}

/// Per listed column, the number of different rows before it.
std::vector<std::int64_t> count_keys(const ColumnBuckets& buckets) {
  std::vector<std::int64_t> starts(buckets.offsets.size(), 0);
  parallel_for(buckets.count(), columns_per_task, [&](int c) {
    int last_row = -1;
    for (std::int64_t e = buckets.offsets[c]; e < buckets.offsets[c + 1]; ++e) {
      const int row = entry_index(buckets.entries[e]);
      starts[c + 1] += row != last_row;
      last_row = row;
    }
  });
  for (int c = 0; c < buckets.count(); ++c) starts[c + 1] += starts[c];
  return starts;
}

}  // namespace

void StencilList::add(std::span<const int> stencil) {
  nodes.insert(nodes.end(), stencil.begin(), stencil.end());
  first_node.push_back(static_cast<int>(nodes.size()));
  const auto size = static_cast<std::int64_t>(stencil.size());
  first_local_block.push_back(first_local_block.back() + size * (size + 1) / 2);
}

BlockAssembler::BlockAssembler(std::span<const Stencil> stencils) {
  build(EqualStencils{stencils});
}

BlockAssembler::BlockAssembler(const StencilList& stencils) {
  build(AnyStencils{stencils});
}

template <class Stencils>
void BlockAssembler::build(const Stencils& stencils) {
  num_stencils_ = stencils.count();
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
      const int row = entry_index(buckets.entries[e]);
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
