// Deterministic parallel loops: the result has the same bits for any number of threads. A loop body writes only to
// slots of its own index. Sums run over chunks of fixed size whose partial results are added in chunk order. Within a
// StopScope every loop ends with an exception if a stop is wanted (base/stop.h).
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "clearance/base/stop.h"

namespace clearance {

/// Limits all loops of the process to `num_threads` during its lifetime; 0 means all processors.
class ThreadLimit {
 public:
  explicit ThreadLimit(int num_threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Returns the number of threads that loops may use now.
int num_threads();

/// Calls body(i) for i in [begin, end); checks for a stop every `grain` indices.
template <class Body>
void serial_for(int begin, int end, int grain, const Body& body) {
  for (int first = begin; first < end;) {
    poll_stop();
    const int last = end - first > grain ? first + grain : end;
    for (int i = first; i < last; ++i) body(i);
    first = last;
  }
}

/// Calls body(i) for i in [0, count), in any order. `grain` is the number of indices worth a task of their own.
template <class Body>
void parallel_for(int count, int grain, const Body& body) {
  if (count <= grain) return serial_for(0, count, grain, body);
  StopScope* const scope = current_stop_scope;
  tbb::parallel_for(tbb::blocked_range<int>(0, count, grain), [&](const tbb::blocked_range<int>& range) {
    const StopScopeLink link(scope);
    serial_for(range.begin(), range.end(), grain, body);
  });
}

/// Calls body(begin, end) on consecutive chunks of `chunk` indices (the last may be shorter), in any order. The chunks
/// do not depend on the number of threads.
template <class Body>
void parallel_for_chunks(int count, int chunk, const Body& body) {
  const int num_chunks = (count + chunk - 1) / chunk;
  parallel_for(num_chunks, 1, [&](int c) { body(c * chunk, std::min(count, (c + 1) * chunk)); });
}

/// A sum kept as an unevaluated pair [Neu74]: rounding errors of the additions do not accumulate, so that differences
/// of two such sums remain meaningful if they are tiny beside the sums.
struct CompensatedSum {
  double sum = 0.0;
  double correction = 0.0;

  void add(double value) {
    const double total = sum + value;
    correction += std::abs(sum) >= std::abs(value) ? (sum - total) + value : (value - total) + sum;
    sum = total;
  }
  void add(const CompensatedSum& other) {
    add(other.sum);
    correction += other.correction;
  }
  /// Returns the sum. An infinite term makes it infinite, and its correction is then NaN.
  double value() const { return std::isfinite(sum) ? sum + correction : sum; }
};

/// Returns the sum of term(i) over [0, count), with the same bits for any number of threads.
template <class Term>
CompensatedSum ordered_sum(int count, const Term& term, int chunk = 256) {
  const int num_chunks = (count + chunk - 1) / chunk;
  std::vector<CompensatedSum> partial(num_chunks);
  parallel_for_chunks(count, chunk, [&](int begin, int end) {
    CompensatedSum local;
    for (int i = begin; i < end; ++i) local.add(term(i));
    partial[begin / chunk] = local;
  });
  CompensatedSum total;
  for (const CompensatedSum& p : partial) total.add(p);
  return total;
}

/// Folds term(i) over [0, count) with `combine`, chunk by chunk in order.
template <class T, class Term, class Combine>
T ordered_reduce(int count, const T& identity, const Term& term, const Combine& combine, int chunk = 256) {
  const int num_chunks = (count + chunk - 1) / chunk;
  std::vector<T> partial(num_chunks, identity);
  parallel_for_chunks(count, chunk, [&](int begin, int end) {
    T local = identity;
    for (int i = begin; i < end; ++i) local = combine(local, term(i));
    partial[begin / chunk] = local;
  });
  T total = identity;
  for (const T& p : partial) total = combine(total, p);
  return total;
}

}  // namespace clearance
