// Sums and products of two doubles, or of lanes of four, together with their exact rounding errors [She97].
#pragma once

#include "clearance/math/lanes.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace clearance {

template <class T>
struct TwoTerms {
  T value;  ///< the rounded result
  T error;  ///< exact result minus value
};

template <class T>
CLEARANCE_INLINE TwoTerms<T> two_sum(const T& a, const T& b) {
  const T sum = a + b, b_virtual = sum - a;
  return {sum, (a - (sum - b_virtual)) + (b - b_virtual)};
}

/// Returns the product with its error, by Veltkamp's splitting into halves of 26 bits and Dekker's product. Exact as
/// long as nothing under- or overflows.
template <class T>
CLEARANCE_INLINE TwoTerms<T> two_product(const T& a, const T& b) {
  const T splitter(0x1p27 + 1), a_big = splitter * a, b_big = splitter * b, product = a * b;
  const T a_high = a_big - (a_big - a), b_high = b_big - (b_big - b), a_low = a - a_high, b_low = b - b_high;
  return {product, a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)};
}

}  // namespace clearance

#pragma GCC diagnostic pop
