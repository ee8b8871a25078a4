// The numeric half of a sparse Cholesky factorisation: the multifrontal method [Duf83] on the supernodes of a
// SupernodalPattern. CHOLMOD's own numeric phase is not used: it starts four OpenMP threads around loops of
// microseconds, which made it three times slower than one thread here, and it runs the elimination tree in sequence.
// Here subtrees run in parallel and large dense fronts in fixed tiles. Every front adds its children in a fixed order,
// so the bits of the factor do not depend on the number of threads.
#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "clearance/sparse/supernodal_pattern.h"

namespace clearance {

/// An array that starts on a cache line: BLAS kernels may treat unaligned starts differently, which would show in the
/// last bits.
class AlignedValues {
 public:
  AlignedValues() = default;
  /// Allocates without initialising; data() is null if memory runs out.
  explicit AlignedValues(std::int64_t size);
  double* data() { return values_.get(); }
  const double* data() const { return values_.get(); }

 private:
  struct Free {
    void operator()(double* values) const { std::free(values); }
  };
  std::unique_ptr<double[], Free> values_;
};

/// A pool of memory that fronts reuse. The system must clear newly allocated memory page by page, which took a sixth of
/// the time of a factorisation.
class BufferPool {
 public:
  struct Buffer {
    std::int64_t capacity = 0;
    AlignedValues values;
    double* data() { return values.data(); }
  };
  /// Takes a buffer from the pool or allocates it, without initialising; data() is null if memory runs out.
  Buffer take(std::int64_t size);
  void give_back(Buffer buffer);

 private:
  std::mutex mutex_;
  std::map<std::int64_t, std::vector<AlignedValues>> free_;  // by capacity
};

enum class FactorOutcome { done, not_positive_definite, out_of_memory };

class SupernodalFactor {
 public:
  /// Computes the factor of `matrix`, whose pattern must be the analysed one.
  FactorOutcome factorize(const SupernodalPattern& pattern, const BlockSparseMatrix& matrix);
  /// Returns x = A^-1 b; small subtrees run in parallel.
  VecX solve(const SupernodalPattern& pattern, const VecX& b) const;

 private:
  std::int64_t capacity_ = 0;
  AlignedValues values_;
  BufferPool updates_;
};

}  // namespace clearance
