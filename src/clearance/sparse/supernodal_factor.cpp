#include "clearance/sparse/supernodal_factor.h"

#include <algorithm>
#include <atomic>

#include "clearance/base/parallel.h"
#include "clearance/sparse/dense_front.h"

namespace clearance {
namespace {

// Subtrees below this many operations (about a millisecond) are one task.
constexpr double work_per_task = 2e6;

/// One numeric factorisation in progress.
class Factorization {
 public:
  Factorization(const SupernodalPattern& pattern, const BlockSparseMatrix& matrix, double* values)
      : pattern_(pattern),
        matrix_(matrix),
        values_(values),
        updates_(static_cast<std::size_t>(pattern.num_supernodes())),
        num_pending_(static_cast<std::size_t>(pattern.num_supernodes())) {}

  FactorOutcome run();

 private:
  bool is_small(int s) const { return pattern_.subtree_work[s] <= work_per_task; }
  void climb_from(int s);
  void factor_supernode(int s);
  void load_matrix(int s);
  template <int dim>
  void load_blocks(int s);
  void add_child(int s, int child);
  void fail(FactorOutcome outcome) { outcome_.store(outcome, std::memory_order_relaxed); }
  bool has_failed() const { return outcome_.load(std::memory_order_relaxed) != FactorOutcome::done; }

  const SupernodalPattern& pattern_;
  const BlockSparseMatrix& matrix_;
  double* values_;
  std::vector<AlignedValues> updates_;  // per supernode: what it subtracts from its ancestors, until the parent took it
  std::vector<std::atomic<int>> num_pending_;  // per large supernode: children that are not done
  std::atomic<FactorOutcome> outcome_{FactorOutcome::done};
};

FactorOutcome Factorization::run() {
  // Tasks start at small subtrees and at large supernodes without children; whoever finishes the last child of a
  // supernode goes on with that supernode.
  std::vector<int> starts;
  for (int s = 0; s < pattern_.num_supernodes(); ++s) {
    const int num_children = pattern_.child_starts[s + 1] - pattern_.child_starts[s];
    num_pending_[s].store(num_children, std::memory_order_relaxed);
    const int parent = pattern_.parent[s];
    const bool is_top_of_small = is_small(s) && (parent < 0 || !is_small(parent));
    if (is_top_of_small || (!is_small(s) && num_children == 0)) starts.push_back(s);
  }
  parallel_for(static_cast<int>(starts.size()), 1, [&](int t) { climb_from(starts[t]); });
  return outcome_.load();
}

void Factorization::climb_from(int s) {
  const int first = is_small(s) ? pattern_.first_descendant[s] : s;
  for (int k = first; k <= s; ++k) factor_supernode(k);
  for (int up = pattern_.parent[s]; up >= 0; up = pattern_.parent[up]) {
    if (num_pending_[up].fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    factor_supernode(up);
  }
}

void Factorization::factor_supernode(int s) {
  if (has_failed()) return;
  const int rows = pattern_.num_rows(s);
  const int columns = pattern_.num_columns(s);
  const int rows_below = rows - columns;
  double* front = values_ + pattern_.value_starts[s];
  std::fill(front, front + static_cast<std::int64_t>(rows) * columns, 0.0);
  if (rows_below > 0) {
    const std::int64_t size = static_cast<std::int64_t>(rows_below) * rows_below;
    updates_[s] = AlignedValues(size);
    if (!updates_[s].data()) return fail(FactorOutcome::out_of_memory);
    // Only the lower triangle of blocks is ever read.
    for (std::int64_t c = 0; c < rows_below; ++c) {
      double* column = updates_[s].data() + c * rows_below;
      std::fill(column + c - c % pattern_.dim, column + rows_below, 0.0);
    }
  }

  load_matrix(s);
  for (int c = pattern_.child_starts[s]; c < pattern_.child_starts[s + 1]; ++c) add_child(s, pattern_.children[c]);
  if (!factor_columns(front, rows, columns)) return fail(FactorOutcome::not_positive_definite);
  if (rows_below > 0) subtract_outer_product(front + columns, rows, rows_below, columns, updates_[s].data());
}

void Factorization::load_matrix(int s) {
  switch (pattern_.dim) {
    case 1:
      return load_blocks<1>(s);
    case 2:
      return load_blocks<2>(s);
    default:
      return load_blocks<3>(s);
  }
}

template <int dim>
void Factorization::load_blocks(int s) {
  const Eigen::OuterStride<> target_stride(pattern_.num_rows(s));
  for (std::int64_t e = pattern_.entry_starts[s]; e < pattern_.entry_starts[s + 1]; ++e) {
    const SupernodalPattern::Entry& entry = pattern_.entries[e];
    const Eigen::Map<const Mat<dim>, 0, Eigen::OuterStride<>> source(matrix_.values().data() + entry.source,
                                                                     Eigen::OuterStride<>(entry.source_stride));
    Eigen::Map<Mat<dim>, 0, Eigen::OuterStride<>> target(values_ + entry.target, target_stride);
    if (entry.is_transposed) {
      target = source.transpose();
    } else {
      target = source;
    }
  }
}

/// Adds the lower triangle of a child's update to the columns of the parent it belongs to: the parent's own first, then
/// those of its update.
void Factorization::add_child(int s, int child) {
  const int dim = pattern_.dim;
  const int first = pattern_.num_block_columns(child);
  const int size = pattern_.num_block_rows(child) - first;
  const int* parent_rows = pattern_.parent_rows.data() + pattern_.row_starts[child] + first;
  const int rows = pattern_.num_rows(s);
  const int columns = pattern_.num_columns(s);
  const double* source = updates_[child].data();

  // Rows that are neighbours in both are added in one go; run_end[i] is where the run of row i ends.
  std::vector<int> run_end(static_cast<std::size_t>(size));
  for (int i = size - 1; i >= 0; --i) {
    const bool is_joined = i + 1 < size && parent_rows[i + 1] == parent_rows[i] + 1;
    run_end[i] = is_joined ? run_end[i + 1] : i + 1;
  }
  for (int j = 0; j < size; ++j) {
    for (int c = 0; c < dim; ++c, source += static_cast<std::int64_t>(dim) * size) {
      const std::int64_t column = dim * parent_rows[j] + c;
      double* target = column < columns ? values_ + pattern_.value_starts[s] + column * rows
                                        : updates_[s].data() + (column - columns) * (rows - columns) - columns;
      for (int i = j; i < size; i = run_end[i]) {
        double* run_target = target + static_cast<std::int64_t>(dim) * parent_rows[i];
        const double* run_source = source + static_cast<std::int64_t>(dim) * i;
        const int length = dim * (run_end[i] - i);
        for (int r = 0; r < length; ++r) run_target[r] += run_source[r];
      }
    }
  }
  updates_[child] = AlignedValues();
}

}  // namespace

AlignedValues::AlignedValues(std::int64_t size) {
  constexpr std::size_t line = 64;
  const std::size_t bytes = (static_cast<std::size_t>(size) * sizeof(double) + line - 1) / line * line;
  values_.reset(static_cast<double*>(std::aligned_alloc(line, std::max(bytes, line))));
}

FactorOutcome SupernodalFactor::factorize(const SupernodalPattern& pattern, const BlockSparseMatrix& matrix) {
  if (pattern.num_supernodes() == 0) return FactorOutcome::done;
  if (pattern.value_starts.back() > capacity_) {
    values_ = AlignedValues();
    values_ = AlignedValues(pattern.value_starts.back());
    capacity_ = values_.data() ? pattern.value_starts.back() : 0;
    if (capacity_ == 0) return FactorOutcome::out_of_memory;
  }
  return Factorization(pattern, matrix, values_.data()).run();
}

VecX SupernodalFactor::solve(const SupernodalPattern& pattern, const VecX& b) const {
  const int dim = pattern.dim;
  VecX x(b.size());
  for (int k = 0; k < pattern.num_blocks; ++k) x.segment(dim * k, dim) = b.segment(dim * pattern.order[k], dim);

  VecX below(b.size());
  for (int s = 0; s < pattern.num_supernodes(); ++s) {
    const std::span<const int> rows = pattern.supernode_rows(s).subspan(pattern.num_block_columns(s));
    forward_solve(values_.data() + pattern.value_starts[s], pattern.num_rows(s), pattern.num_columns(s),
                  x.data() + dim * pattern.first_column[s], below.data());
    const double* next = below.data();
    for (const int row : rows) {
      for (int r = 0; r < dim; ++r) x[dim * row + r] -= *next++;
    }
  }
  for (int s = pattern.num_supernodes() - 1; s >= 0; --s) {
    const std::span<const int> rows = pattern.supernode_rows(s).subspan(pattern.num_block_columns(s));
    double* next = below.data();
    for (const int row : rows) {
      for (int r = 0; r < dim; ++r) *next++ = x[dim * row + r];
    }
    backward_solve(values_.data() + pattern.value_starts[s], pattern.num_rows(s), pattern.num_columns(s),
                   x.data() + dim * pattern.first_column[s], below.data());
  }

  VecX result(b.size());
  for (int k = 0; k < pattern.num_blocks; ++k) result.segment(dim * pattern.order[k], dim) = x.segment(dim * k, dim);
  return result;
}

}  // namespace clearance
