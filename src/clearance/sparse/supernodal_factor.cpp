#include "clearance/sparse/supernodal_factor.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "clearance/base/parallel.h"
#include "clearance/sparse/dense_front.h"

namespace clearance {
namespace {

// Subtrees below this many operations (about a millisecond) are one task.
constexpr double work_per_task = 2e6;

bool is_small(const SupernodalPattern& pattern, int s) {
  return pattern.subtree_work[s] <= work_per_task;
}

/// Returns the roots of the largest small subtrees.
std::vector<int> find_small_subtrees(const SupernodalPattern& pattern) {
  std::vector<int> tops;
  for (int s = 0; s < pattern.num_supernodes(); ++s) {
    const int parent = pattern.parent[s];
    if (is_small(pattern, s) && (parent < 0 || !is_small(pattern, parent))) tops.push_back(s);
  }
  return tops;
}

/// One numeric factorisation in progress.
class Factorization {
 public:
  Factorization(const SupernodalPattern& pattern, const BlockSparseMatrix& matrix, double* values, BufferPool& pool)
      : pattern_(pattern),
        matrix_(matrix),
        values_(values),
        pool_(pool),
        updates_(pattern.num_supernodes()),
        num_pending_(pattern.num_supernodes()) {}

  FactorOutcome run();

 private:
  void climb_from(int s);
  void factor_supernode(int s);
  void load_matrix(int s);
  template <int dim>
  void load_blocks(int s);
  void add_child(int s, int child, bool to_own_columns);
  void fail(FactorOutcome outcome) { outcome_.store(outcome, std::memory_order_relaxed); }
  bool has_failed() const { return outcome_.load(std::memory_order_relaxed) != FactorOutcome::done; }

  const SupernodalPattern& pattern_;
  const BlockSparseMatrix& matrix_;
  double* values_;
  BufferPool& pool_;
  std::vector<BufferPool::Buffer> updates_;    // per supernode: its update of its ancestors, until the parent takes it
  std::vector<std::atomic<int>> num_pending_;  // per large supernode: children that are not done
  std::atomic<FactorOutcome> outcome_{FactorOutcome::done};
};

FactorOutcome Factorization::run() {
  // Start tasks at small subtrees and at large supernodes without children. The task that finishes the last child of a
  // supernode goes on with that supernode.
  std::vector<int> starts = find_small_subtrees(pattern_);
  for (int s = 0; s < pattern_.num_supernodes(); ++s) {
    const int num_children = pattern_.child_starts[s + 1] - pattern_.child_starts[s];
    num_pending_[s].store(num_children, std::memory_order_relaxed);
    if (!is_small(pattern_, s) && num_children == 0) starts.push_back(s);
  }
  parallel_for(static_cast<int>(starts.size()), 1, [&](int t) { climb_from(starts[t]); });
  return outcome_.load();
}

void Factorization::climb_from(int s) {
  const int first = is_small(pattern_, s) ? pattern_.first_descendant[s] : s;
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
  load_matrix(s);
  const std::span<const int> children(pattern_.children.data() + pattern_.child_starts[s],
                                      pattern_.children.data() + pattern_.child_starts[s + 1]);
  for (const int child : children) add_child(s, child, true);
  if (!factor_columns(front, rows, columns)) return fail(FactorOutcome::not_positive_definite);

  // The children's updates are added after the product, so that the update need not be cleared first.
  if (rows_below > 0) {
    updates_[s] = pool_.take(static_cast<std::int64_t>(rows_below) * rows_below);
    if (!updates_[s].data()) return fail(FactorOutcome::out_of_memory);
    negative_outer_product(front + columns, rows, rows_below, columns, updates_[s].data());
    for (const int child : children) add_child(s, child, false);
  }
  for (const int child : children) pool_.give_back(std::move(updates_[child]));
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

/// Adds the lower triangle of a child's update to the parent: to its own columns, or to its update.
void Factorization::add_child(int s, int child, bool to_own_columns) {
  const int dim = pattern_.dim;
  const int first = pattern_.num_block_columns(child);
  const int size = pattern_.num_block_rows(child) - first;
  const int* parent_rows = pattern_.parent_rows.data() + pattern_.row_starts[child] + first;
  const int own = pattern_.num_block_columns(s);
  const int num_own = static_cast<int>(std::lower_bound(parent_rows, parent_rows + size, own) - parent_rows);

  // Add rows that are neighbours in both child and parent in one run.
  struct Run {
    int source, target, length;
  };
  std::vector<Run> runs;
  const int begin = to_own_columns ? 0 : num_own;
  const int offset = to_own_columns ? 0 : own;
  for (int i = begin; i < size; ++i) {
    if (i > begin && parent_rows[i] == parent_rows[i - 1] + 1) {
      runs.back().length += dim;
    } else {
      runs.push_back({dim * i, dim * (parent_rows[i] - offset), dim});
    }
  }

  const std::int64_t target_stride = pattern_.num_rows(s) - dim * offset;
  double* target_start = to_own_columns ? values_ + pattern_.value_starts[s] : updates_[s].data();
  std::size_t run = 0;
  for (int j = begin; j < (to_own_columns ? num_own : size); ++j) {
    if (dim * j >= runs[run].source + runs[run].length) ++run;
    for (int c = 0; c < dim; ++c) {
      const double* source = updates_[child].data() + (static_cast<std::int64_t>(dim) * j + c) * dim * size;
      double* target = target_start + (static_cast<std::int64_t>(dim) * (parent_rows[j] - offset) + c) * target_stride;
      // The first run starts at the diagonal.
      const int skipped = dim * j - runs[run].source;
      for (std::size_t k = run; k < runs.size(); ++k) {
        const int from = k == run ? skipped : 0;
        for (int r = from; r < runs[k].length; ++r) target[runs[k].target + r] += source[runs[k].source + r];
      }
    }
  }
}

}  // namespace

AlignedValues::AlignedValues(std::int64_t size) {
  constexpr std::size_t line = 64;
  const std::size_t bytes = (size * sizeof(double) + line - 1) / line * line;
  values_.reset(static_cast<double*>(std::aligned_alloc(line, std::max(bytes, line))));
}

BufferPool::Buffer BufferPool::take(std::int64_t size) {
  // There are four capacities to each power of two, so that at most a quarter is wasted and buffers find new users.
  std::int64_t step = 64;
  while (8 * step < size) step *= 2;
  Buffer buffer{.capacity = (size + step - 1) / step * step, .values = {}};
  {
    const std::lock_guard lock(mutex_);
    std::vector<AlignedValues>& free = free_[buffer.capacity];
    if (!free.empty()) {
      buffer.values = std::move(free.back());
      free.pop_back();
      return buffer;
    }
  }
  buffer.values = AlignedValues(buffer.capacity);
  return buffer;
}

void BufferPool::give_back(Buffer buffer) {
  if (!buffer.data()) return;
  const std::lock_guard lock(mutex_);
  free_[buffer.capacity].push_back(std::move(buffer.values));
}

FactorOutcome SupernodalFactor::factorize(const SupernodalPattern& pattern, const BlockSparseMatrix& matrix) {
  if (pattern.num_supernodes() == 0) return FactorOutcome::done;
  if (pattern.value_starts.back() > capacity_) {
    values_ = AlignedValues();
    values_ = AlignedValues(pattern.value_starts.back());
    capacity_ = values_.data() ? pattern.value_starts.back() : 0;
    if (capacity_ == 0) return FactorOutcome::out_of_memory;
  }
  return Factorization(pattern, matrix, values_.data(), updates_).run();
}

namespace {

/// A pair of triangular solves. On the way up, every supernode takes over from its children, in fixed order, what they
/// subtract from the rows of their ancestors; subtrees in which the right side is zero have nothing to do. On the way
/// down, it reads the finished rows of its ancestors.
class TriangularSolve {
 public:
  TriangularSolve(const SupernodalPattern& pattern, const double* values, VecX& x)
      : pattern_(pattern),
        values_(values),
        x_(x),
        below_(pattern.dim * (pattern.rows.size() - pattern.order.size())),
        is_zero_(static_cast<std::size_t>(pattern.num_supernodes())) {}

  void run() {
    const std::vector<int> tops = find_small_subtrees(pattern_);
    const int num_tops = static_cast<int>(tops.size());
    const int count = pattern_.num_supernodes();
    parallel_for(num_tops, 1, [&](int t) {
      for (int s = pattern_.first_descendant[tops[t]]; s <= tops[t]; ++s) go_up(s);
    });
    for (int s = 0; s < count; ++s) {
      if (!is_small(pattern_, s)) go_up(s);
    }
    for (int s = count - 1; s >= 0; --s) {
      if (!is_small(pattern_, s)) go_down(s);
    }
    parallel_for(num_tops, 1, [&](int t) {
      for (int s = tops[t]; s >= pattern_.first_descendant[tops[t]]; --s) go_down(s);
    });
  }

 private:
  double* top(int s) { return x_.data() + pattern_.dim * static_cast<std::ptrdiff_t>(pattern_.first_column[s]); }
  /// Returns the numbers for the rows of a supernode below its columns.
  double* below(int s) {
    return below_.data() +
           pattern_.dim * (pattern_.row_starts[s] - static_cast<std::int64_t>(pattern_.first_column[s]));
  }

  void go_up(int s) {
    const int columns = pattern_.num_columns(s);
    std::fill_n(below(s), pattern_.num_rows(s) - columns, 0.0);
    bool is_zero = std::all_of(top(s), top(s) + columns, [](double number) { return number == 0.0; });
    for (int k = pattern_.child_starts[s]; k < pattern_.child_starts[s + 1]; ++k) {
      const int child = pattern_.children[k];
      if (is_zero_[child] != 0) continue;
      is_zero = false;
      const double* next = below(child);
      for (std::int64_t i = pattern_.row_starts[child] + pattern_.num_block_columns(child);
           i < pattern_.row_starts[child + 1]; ++i) {
        const int row = pattern_.dim * pattern_.parent_rows[i];
        double* target = row < columns ? top(s) + row : below(s) + (row - columns);
        for (int r = 0; r < pattern_.dim; ++r) target[r] += *next++;
      }
    }
    is_zero_[s] = is_zero ? 1 : 0;
    if (!is_zero) forward_solve(values_ + pattern_.value_starts[s], pattern_.num_rows(s), columns, top(s), below(s));
  }

  void go_down(int s) {
    double* next = below(s);
    for (const int row : pattern_.supernode_rows(s).subspan(pattern_.num_block_columns(s))) {
      for (int r = 0; r < pattern_.dim; ++r) *next++ = x_[static_cast<Eigen::Index>(pattern_.dim) * row + r];
    }
    backward_solve(values_ + pattern_.value_starts[s], pattern_.num_rows(s), pattern_.num_columns(s), top(s), below(s));
  }

  const SupernodalPattern& pattern_;
  const double* values_;
  VecX& x_;
  std::vector<double> below_;
  std::vector<char> is_zero_;  // per supernode: the right side is zero there and in all descendants
};

}  // namespace

VecX SupernodalFactor::solve(const SupernodalPattern& pattern, const VecX& b) const {
  const int dim = pattern.dim;
  VecX x(b.size());
  for (int k = 0; k < pattern.num_blocks; ++k) x.segment(dim * k, dim) = b.segment(dim * pattern.order[k], dim);
  if (pattern.num_blocks > 0) TriangularSolve(pattern, values_.data(), x).run();
  VecX result(b.size());
  for (int k = 0; k < pattern.num_blocks; ++k) result.segment(dim * pattern.order[k], dim) = x.segment(dim * k, dim);
  return result;
}

}  // namespace clearance
