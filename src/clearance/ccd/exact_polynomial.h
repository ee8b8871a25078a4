// Polynomials in time of degree three or less with integer coefficients: all that exact CCD ever needs to solve.
//
// Intervals are dyadic cells (index / 2^depth, (index + 1) / 2^depth). In Bernstein form on a cell, the number of sign
// changes of the coefficients bounds the number of roots inside and has its parity (Descartes' rule): none means no
// root, one means exactly one, which is simple.
#pragma once

#include <gmpxx.h>

#include <array>

namespace clearance {

/// sum of c[i] t^i; leading coefficients may be zero.
struct ExactPolynomial {
  std::array<mpz_class, 4> c;

  int degree() const;  ///< -1 for zero
  bool is_zero() const { return degree() < 0; }
};

ExactPolynomial operator+(const ExactPolynomial& p, const ExactPolynomial& q);
ExactPolynomial operator-(const ExactPolynomial& p, const ExactPolynomial& q);
ExactPolynomial operator*(const mpz_class& factor, const ExactPolynomial& p);
/// The degrees must not exceed three together.
ExactPolynomial operator*(const ExactPolynomial& p, const ExactPolynomial& q);
/// p += a b and p -= a b, in place: every integer that need not be allocated counts.
void add_product(ExactPolynomial& p, const ExactPolynomial& a, const ExactPolynomial& b);
void subtract_product(ExactPolynomial& p, const ExactPolynomial& a, const ExactPolynomial& b);
void negate(ExactPolynomial& p);

/// Returns the greatest common divisor, its coefficients without a common factor. One of the polynomials is not zero.
ExactPolynomial greatest_common_divisor(ExactPolynomial p, ExactPolynomial q);
/// Returns a polynomial with the same roots, every one simple. `p` must not be zero.
ExactPolynomial without_repeated_roots(const ExactPolynomial& p);

/// The open interval from index / 2^depth to (index + 1) / 2^depth. Two cells are disjoint or one contains the other.
struct DyadicCell {
  mpz_class index;
  unsigned long depth = 0;

  mpq_class low() const;
  mpq_class high() const;
  DyadicCell lower_half() const { return {2 * index, depth + 1}; }
  DyadicCell upper_half() const { return {2 * index + 1, depth + 1}; }
};

/// Returns p(index / 2^depth) times a power of two.
mpz_class scaled_value(const ExactPolynomial& p, const mpz_class& index, unsigned long depth);
int sign_at(const ExactPolynomial& p, const mpq_class& t);

struct SignChanges {
  int count = 0;       ///< of the Bernstein coefficients: bounds the number of roots in the cell, of the same parity
  int first_sign = 0;  ///< of p just above the lower end; 0 if p is zero. With count 0: of p everywhere in the cell
};
SignChanges count_sign_changes(const ExactPolynomial& p, const DyadicCell& cell);

}  // namespace clearance
