#include "clearance/ccd/exact_query.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clearance {
namespace {

/// x = mantissa 2^exponent, the mantissa odd: small numbers stay small.
struct OddMantissa {
  long mantissa = 0;
  int exponent = std::numeric_limits<int>::max();  ///< of zero: no bound to the unit
};

OddMantissa split(double x) {
  if (x == 0.0) return {};
  OddMantissa result;
  result.mantissa = static_cast<long>(std::scalbn(std::frexp(x, &result.exponent), 53));
  result.exponent -= 53;
  const int zeros = __builtin_ctzl(static_cast<unsigned long>(result.mantissa));
  result.mantissa /= 1L << zeros;
  result.exponent += zeros;
  return result;
}

void set(mpz_class& value, double x, int exponent) {
  const OddMantissa parts = split(x);
  value = parts.mantissa;
  if (parts.mantissa != 0) value <<= static_cast<mp_bitcnt_t>(parts.exponent - exponent);
}

}  // namespace

ExactQuery to_exact(const CcdQuery& query, double min_separation) {
  // The unit is the largest power of two that divides all numbers.
  int exponent = split(min_separation).exponent;
  for (const auto* vertices : {&query.motion.t0, &query.motion.t1}) {
    for (const Vec<3>& vertex : *vertices) {
      for (int i = 0; i < 3; ++i) exponent = std::min(exponent, split(vertex[i]).exponent);
    }
  }
  ExactQuery exact;
  exact.kind = query.kind;
  set(exact.min_separation, min_separation, exponent);
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 3; ++i) {
      set(exact.t0[k][i], query.motion.t0[k][i], exponent);
      set(exact.t1[k][i], query.motion.t1[k][i], exponent);
    }
  }
  return exact;
}

ExactQuery to_exact(QueryKind kind, const RationalVertices& t0, const RationalVertices& t1,
                    const mpq_class& min_separation) {
  // The unit is the inverse of the least common denominator.
  mpz_class denominator = min_separation.get_den();
  for (const auto* vertices : {&t0, &t1}) {
    for (const auto& vertex : *vertices) {
      for (const mpq_class& x : vertex) denominator = lcm(denominator, x.get_den());
    }
  }
  const auto scaled = [&](const mpq_class& x) { return mpz_class(denominator / x.get_den() * x.get_num()); };
  ExactQuery exact;
  exact.kind = kind;
  exact.min_separation = scaled(min_separation);
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 3; ++i) {
      exact.t0[k][i] = scaled(t0[k][i]);
      exact.t1[k][i] = scaled(t1[k][i]);
    }
  }
  return exact;
}

}  // namespace clearance
