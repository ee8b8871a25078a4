#include "clearance/sparse/block_assembler.h"

#include <algorithm>
#include <utility>

#include "clearance/base/contract.h"
#include "clearance/base/parallel.h"

namespace clearance {
namespace {

constexpr int keys_per_chunk = 1024;
constexpr int columns_per_task = 256;

/// A contribution in the lower half and, in the upper half, the row or column that its list does not give.
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

/// All local blocks of all stencils, grouped by the block column that they are added to, then by row, then by stencil.
/// Contacts touch few columns, so only touched columns are listed.
struct ColumnBuckets {
  std::vector<int> columns;           // ascending
  std::vector<std::int64_t> offsets;  // per listed column, into entries
  std::vector<Entry> entries;         // rows
  int count() const { return static_cast<int>(columns.size()); }
};

template <class Visit>
void for_each_block(const StencilList& stencils, StencilRange range, const Visit& visit) {
  std::uint32_t local_block = 0;
  for (int s = range.begin; s < range.end; ++s) {
    const std::span<const int> nodes = stencils.nodes_of(s);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b, ++local_block) {
        const int row = nodes[a], column = nodes[b];
        const bool is_transposed = row < column;
        visit(is_transposed ? column : row, is_transposed ? row : column, 2 * local_block + is_transposed);
      }
    }
  }
}

/// Replaces counts by the places where each group starts; returns their sum.
std::int64_t accumulate(std::vector<std::int64_t>& counts) {
  std::int64_t sum = 0;
  for (std::int64_t& count : counts) sum += std::exchange(count, sum);
  return sum;
}

ColumnBuckets sort_into_columns(const StencilList& stencils, StencilRange range) {
  int num_nodes = 0;
  for (int s = range.begin; s < range.end; ++s) {
    for (const int node : stencils.nodes_of(s)) num_nodes = std::max(num_nodes, node + 1);
  }

  // Sort by two stable counting sorts, by row and then by column.
  std::vector<std::int64_t> row_place(num_nodes, 0);
  std::vector<std::int64_t> column_place(num_nodes, 0);
  for_each_block(stencils, range, [&](int row, int column, std::uint32_t) {
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
  std::vector<Entry> by_row(num_entries);
  for_each_block(stencils, range, [&](int row, int column, std::uint32_t contribution) {
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

/// Returns for each listed column the number of different rows before it.
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

std::vector<int> StencilList::within(const std::vector<char>& part, StencilRange range) const {
  std::vector<int> found;
  for (int s = range.begin; s < range.end; ++s) {
    const std::span<const int> blocks = nodes_of(s);
    if (part.empty() || std::any_of(blocks.begin(), blocks.end(), [&](int b) { return part[b] != 0; })) {
      found.push_back(s);
    }
  }
  return found;
}

BlockAssembler::BlockAssembler(const StencilList& stencils, std::int64_t max_local_blocks) {
  auto plan = std::make_shared<Plan>();
  std::vector<std::vector<BlockKey>> keys;
  // Form batches of as many stencils as fit the memory allowed, at least one each.
  StencilRange range;
  while (range.end < stencils.count()) {
    range.begin = range.end++;
    const std::int64_t first = stencils.first_local_block[range.begin];
    while (range.end < stencils.count() && stencils.first_local_block[range.end + 1] - first <= max_local_blocks) {
      ++range.end;
    }
    plan->batches.push_back(make_batch(stencils, range, keys.emplace_back()));
  }
  // The keys of the matrix are those of all batches; each batch knows the numbers of its own among them.
  if (keys.size() == 1) {
    plan->keys = std::move(keys.front());
  } else {
    for (const auto& of_batch : keys) plan->keys.insert(plan->keys.end(), of_batch.begin(), of_batch.end());
    std::sort(plan->keys.begin(), plan->keys.end());
    plan->keys.erase(std::unique(plan->keys.begin(), plan->keys.end()), plan->keys.end());
    for (std::size_t b = 0; b < keys.size(); ++b) {
      for (const BlockKey key : keys[b]) {
        const auto found = std::lower_bound(plan->keys.begin(), plan->keys.end(), key);
        plan->batches[b].keys.push_back(static_cast<std::int32_t>(found - plan->keys.begin()));
      }
    }
  }
  plan_ = std::move(plan);
}

auto BlockAssembler::make_batch(const StencilList& stencils, StencilRange range, std::vector<BlockKey>& keys) -> Batch {
  const ColumnBuckets buckets = sort_into_columns(stencils, range);
  const std::vector<std::int64_t> key_starts = count_keys(buckets);
  Batch batch;
  batch.stencils = range;
  keys.resize(key_starts.back());
  batch.contribution_offsets.resize(keys.size() + 1);
  batch.contribution_offsets.back() = static_cast<std::int64_t>(buckets.entries.size());
  batch.contributions.resize(buckets.entries.size());
  parallel_for(buckets.count(), columns_per_task, [&](int c) {
    std::int64_t next_key = key_starts[c];
    int last_row = -1;
    for (std::int64_t e = buckets.offsets[c]; e < buckets.offsets[c + 1]; ++e) {
      const int row = entry_index(buckets.entries[e]);
      if (row != last_row) {
        keys[next_key] = make_block_key(row, buckets.columns[c]);
        batch.contribution_offsets[next_key++] = e;
        last_row = row;
      }
      batch.contributions[e] = entry_contribution(buckets.entries[e]);
    }
  });
  return batch;
}

bool BlockAssembler::bind(const BlockSparseMatrix& matrix) {
  if (bound_pattern_ != 0 && bound_pattern_ == matrix.pattern_id()) return true;
  bound_pattern_ = 0;
  const std::vector<BlockKey>& keys = plan_->keys;
  const int num_keys = static_cast<int>(keys.size());
  slots_.assign(keys.size(), -1);
  strides_.assign(keys.size(), 0);
  if (num_keys > 0 && block_column(keys.back()) >= matrix.num_blocks()) return false;

  // The two lists are sorted, so that a search starts where the last one ended.
  parallel_for_chunks(num_keys, keys_per_chunk, [&](int begin, int end) {
    int column = -1;
    std::span<const int> rows;
    std::size_t position = 0;
    for (int k = begin; k < end; ++k) {
      if (block_column(keys[k]) != column) {
        column = block_column(keys[k]);
        rows = matrix.column_rows(column);
        position = 0;
      }
      const int row = block_row(keys[k]);
      if (position < rows.size() && rows[position] < row) ++position;
      if (position < rows.size() && rows[position] < row) {
        position = std::lower_bound(rows.begin() + position, rows.end(), row) - rows.begin();
      }
      if (position == rows.size() || rows[position] != row) continue;
      slots_[k] = matrix.column_base(column) + matrix.dim() * static_cast<std::int64_t>(position);
      strides_[k] = matrix.slot_stride(column);
    }
  });
  if (std::find(slots_.begin(), slots_.end(), -1) != slots_.end()) return false;
  bound_pattern_ = matrix.pattern_id();
  return true;
}

void BlockAssembler::restrict_to(const std::vector<char>& part) {
  is_restricted_ = !part.empty() && num_batches() == 1;
  active_keys_.clear();
  if (!is_restricted_) return;
  for (int k = 0; k < static_cast<int>(keys().size()); ++k) {
    if (part[block_row(keys()[k])] && part[block_column(keys()[k])]) active_keys_.push_back(k);
  }
}

/// Adds the matrix block of one key, which one thread sums in stencil order.
template <int dim>
void BlockAssembler::add_block(BlockSparseMatrix& matrix, std::span<const double> locals, double scale,
                               const Batch& batch, int k) const {
  Mat<dim> sum = Mat<dim>::Zero();
  for (std::int64_t c = batch.contribution_offsets[k]; c < batch.contribution_offsets[k + 1]; ++c) {
    const std::uint32_t contribution = batch.contributions[c];
    const Eigen::Map<const Mat<dim>> local(locals.data() + static_cast<std::size_t>(contribution / 2) * (dim * dim));
    if (contribution % 2 == 1) {
      sum += local.transpose();
    } else {
      sum += local;
    }
  }
  const int key = batch.keys.empty() ? k : batch.keys[k];
  matrix.add_to_slot<dim>(slots_[key], strides_[key], Mat<dim>(scale * sum));
}

template <int dim>
void BlockAssembler::add_to(BlockSparseMatrix& matrix, std::span<const double> locals, double scale,
                            int batch_index) const {
  if (num_batches() == 0) return;
  const Batch& batch = plan_->batches[batch_index];
  if (is_restricted_) {
    parallel_for(static_cast<int>(active_keys_.size()), keys_per_chunk,
                 [&](int i) { add_block<dim>(matrix, locals, scale, batch, active_keys_[i]); });
    return;
  }
  parallel_for(static_cast<int>(batch.contribution_offsets.size()) - 1, keys_per_chunk,
               [&](int k) { add_block<dim>(matrix, locals, scale, batch, k); });
}

std::vector<double> BlockAssembler::sum_factors(std::span<const double> locals) const {
  CLEARANCE_ASSERT(num_batches() <= 1);
  std::vector<double> sums(keys().size(), 0.0);
  if (num_batches() == 0) return sums;
  const Batch& batch = plan_->batches.front();
  parallel_for(static_cast<int>(sums.size()), keys_per_chunk, [&](int k) {
    for (std::int64_t c = batch.contribution_offsets[k]; c < batch.contribution_offsets[k + 1]; ++c) {
      sums[k] += locals[batch.contributions[c] / 2];
    }
  });
  return sums;
}

template <int dim>
void BlockAssembler::add_identities(BlockSparseMatrix& matrix, std::span<const double> sums, double scale) const {
  parallel_for(static_cast<int>(sums.size()), keys_per_chunk, [&](int k) {
    for (int i = 0; i < dim; ++i) {
      const std::int64_t place = slots_[k] + i * (strides_[k] + 1);
      matrix.values()[place] += scale * sums[k];
    }
  });
}

template void BlockAssembler::add_to<2>(BlockSparseMatrix&, std::span<const double>, double, int) const;
template void BlockAssembler::add_to<3>(BlockSparseMatrix&, std::span<const double>, double, int) const;
template void BlockAssembler::add_identities<2>(BlockSparseMatrix&, std::span<const double>, double) const;
template void BlockAssembler::add_identities<3>(BlockSparseMatrix&, std::span<const double>, double) const;

}  // namespace clearance
