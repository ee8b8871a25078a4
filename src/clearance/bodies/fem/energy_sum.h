// Sums of energies that can be infinite.
#pragma once

#include "clearance/base/parallel.h"
#include "clearance/math/types.h"

namespace clearance {

/// Returns the sum of term(i), a CompensatedSum, over [0, count), with the same bits for any number of threads. A sum
/// with infinity stays infinite; it does not become the difference of two infinities.
template <class Term>
CompensatedSum sum_energies(int count, const Term& term, int chunk) {
  return ordered_reduce(
      count, CompensatedSum{}, term,
      [](CompensatedSum a, const CompensatedSum& b) {
        if (!(a.sum < infinity && b.sum < infinity)) return CompensatedSum{infinity, 0.0};
        a.add(b);
        return a;
      },
      chunk);
}

}  // namespace clearance
