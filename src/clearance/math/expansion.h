// Expansions: exact sums of doubles, the components ordered by magnitude and not overlapping [She97].
//
// Every operation is exact as long as no product underflows or overflows. All sizes are bounded at compile time.
#pragma once

#include <array>
#include <cmath>

#include "clearance/math/error_free.h"

namespace clearance::expansion {

/// Returns a + b, for |a| >= |b| or a = 0.
inline TwoTerms<double> fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

template <int capacity>
struct Expansion {
  std::array<double, capacity> terms;
  int size = 0;

  /// Appends a component unless it is zero, so that the work of the next operation adapts to the input.
  void append(double term) {
    if (term != 0.0) terms[size++] = term;
  }
  /// Returns the sign of the whole sum, which is that of the largest component.
  int sign() const { return size == 0 ? 0 : (terms[size - 1] > 0.0 ? 1 : -1); }
};

/// Returns a - b, exactly.
inline Expansion<2> difference(double a, double b) {
  const TwoTerms<double> d = two_sum(a, -b);
  Expansion<2> result;
  result.append(d.error);
  result.append(d.value);
  return result;
}

template <int m>
Expansion<m> negate(Expansion<m> e) {
  for (int i = 0; i < e.size; ++i) e.terms[i] = -e.terms[i];
  return e;
}

/// Returns e + f: merges by magnitude, then makes one pass of two_sum [She97, fig. 8].
template <int m, int n>
Expansion<m + n> add(const Expansion<m>& e, const Expansion<n>& f) {
  Expansion<m + n> result;
  int i = 0, j = 0;
  const auto next = [&]() {
    const bool take_e = j == f.size || (i < e.size && std::abs(e.terms[i]) < std::abs(f.terms[j]));
    return take_e ? e.terms[i++] : f.terms[j++];
  };
  const int total = e.size + f.size;
  if (total == 0) return result;
  double sum = next();
  for (int k = 1; k < total; ++k) {
    const TwoTerms<double> s = two_sum(sum, next());
    result.append(s.error);
    sum = s.value;
  }
  result.append(sum);
  return result;
}

/// Returns e * factor [She97, fig. 13].
template <int m>
Expansion<2 * m> scale(const Expansion<m>& e, double factor) {
  Expansion<2 * m> result;
  if (e.size == 0) return result;
  const TwoTerms<double> first = two_product(e.terms[0], factor);
  result.append(first.error);
  double sum = first.value;
  for (int i = 1; i < e.size; ++i) {
    const TwoTerms<double> product = two_product(e.terms[i], factor);
    const TwoTerms<double> low = two_sum(sum, product.error);
    result.append(low.error);
    const TwoTerms<double> high = fast_two_sum(product.value, low.value);
    result.append(high.error);
    sum = high.value;
  }
  result.append(sum);
  return result;
}

/// Returns e * f, for the difference f of two coordinates.
template <int m>
Expansion<4 * m> multiply(const Expansion<m>& e, const Expansion<2>& f) {
  Expansion<2 * m> low, high;
  if (f.size > 0) low = scale(e, f.terms[0]);
  if (f.size > 1) high = scale(e, f.terms[1]);
  return add(low, high);
}

}  // namespace clearance::expansion
