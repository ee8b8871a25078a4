#include "clearance/ccd/exact_polynomial.h"

#include <utility>

namespace clearance {
namespace {

/// Divides by the common factor of the coefficients: keeps the numbers of Euclid's algorithm small.
void make_primitive(ExactPolynomial& p) {
  mpz_class content;
  for (const mpz_class& c : p.c) mpz_gcd(content.get_mpz_t(), content.get_mpz_t(), c.get_mpz_t());
  if (content <= 1) return;
  for (mpz_class& c : p.c) mpz_divexact(c.get_mpz_t(), c.get_mpz_t(), content.get_mpz_t());
}

/// Returns the remainder of a multiple of p.
ExactPolynomial pseudo_remainder(ExactPolynomial p, const ExactPolynomial& q) {
  const int n = q.degree();
  for (int m = p.degree(); m >= n; --m) {
    const mpz_class leading = p.c[m];
    for (int i = 0; i < m; ++i) p.c[i] *= q.c[n];
    for (int i = 0; i < n; ++i) p.c[m - n + i] -= leading * q.c[i];
    p.c[m] = 0;
  }
  return p;
}

ExactPolynomial derivative(const ExactPolynomial& p) {
  ExactPolynomial d;
  for (int i = 1; i < 4; ++i) d.c[i - 1] = i * p.c[i];
  return d;
}

}  // namespace

int ExactPolynomial::degree() const {
  int n = 3;
  while (n >= 0 && sgn(c[n]) == 0) --n;
  return n;
}

ExactPolynomial operator+(const ExactPolynomial& p, const ExactPolynomial& q) {
  ExactPolynomial r;
  for (int i = 0; i < 4; ++i) r.c[i] = p.c[i] + q.c[i];
  return r;
}
ExactPolynomial operator-(const ExactPolynomial& p, const ExactPolynomial& q) {
  ExactPolynomial r;
  for (int i = 0; i < 4; ++i) r.c[i] = p.c[i] - q.c[i];
  return r;
}
ExactPolynomial operator*(const mpz_class& factor, const ExactPolynomial& p) {
  ExactPolynomial r;
  for (int i = 0; i < 4; ++i) r.c[i] = factor * p.c[i];
  return r;
}
ExactPolynomial operator*(const ExactPolynomial& p, const ExactPolynomial& q) {
  ExactPolynomial r;
  add_product(r, p, q);
  return r;
}

void add_product(ExactPolynomial& p, const ExactPolynomial& a, const ExactPolynomial& b) {
  const int m = a.degree(), n = b.degree();
  for (int i = 0; i <= m; ++i) {
    for (int j = 0; j <= n; ++j) mpz_addmul(p.c[i + j].get_mpz_t(), a.c[i].get_mpz_t(), b.c[j].get_mpz_t());
  }
}
void subtract_product(ExactPolynomial& p, const ExactPolynomial& a, const ExactPolynomial& b) {
  const int m = a.degree(), n = b.degree();
  for (int i = 0; i <= m; ++i) {
    for (int j = 0; j <= n; ++j) mpz_submul(p.c[i + j].get_mpz_t(), a.c[i].get_mpz_t(), b.c[j].get_mpz_t());
  }
}
void negate(ExactPolynomial& p) {
  for (mpz_class& c : p.c) mpz_neg(c.get_mpz_t(), c.get_mpz_t());
}

ExactPolynomial greatest_common_divisor(ExactPolynomial p, ExactPolynomial q) {
  make_primitive(p);
  make_primitive(q);
  while (!q.is_zero()) {
    ExactPolynomial r = pseudo_remainder(std::move(p), q);
    make_primitive(r);
    p = std::exchange(q, std::move(r));
  }
  return p;
}

ExactPolynomial without_repeated_roots(const ExactPolynomial& p) {
  const ExactPolynomial divisor = greatest_common_divisor(p, derivative(p));
  const int n = divisor.degree();
  if (n <= 0) return p;
  // The dividend and the divisor are primitive, so that the quotient has integer coefficients (Gauss's lemma).
  ExactPolynomial rest = p, quotient;
  make_primitive(rest);
  for (int m = rest.degree(); m >= n; --m) {
    mpz_class& factor = quotient.c[m - n];
    mpz_divexact(factor.get_mpz_t(), rest.c[m].get_mpz_t(), divisor.c[n].get_mpz_t());
    for (int i = 0; i <= n; ++i) rest.c[m - n + i] -= factor * divisor.c[i];
  }
  return quotient;
}

mpq_class DyadicCell::low() const {
  mpq_class value(index);
  value >>= depth;
  return value;
}
mpq_class DyadicCell::high() const {
  mpq_class value(index + 1);
  value >>= depth;
  return value;
}

mpz_class scaled_value(const ExactPolynomial& p, const mpz_class& index, unsigned long depth) {
  mpz_class value = p.c[3], term;
  for (int i = 2; i >= 0; --i) {
    term = p.c[i] << static_cast<unsigned long>(3 - i) * depth;
    value *= index;
    value += term;
  }
  return value;
}

int sign_at(const ExactPolynomial& p, const mpq_class& t) {
  mpz_class value = p.c[3], power = 1;
  for (int i = 2; i >= 0; --i) {
    power *= t.get_den();
    value *= t.get_num();
    mpz_addmul(value.get_mpz_t(), p.c[i].get_mpz_t(), power.get_mpz_t());
  }
  return sgn(value);
}

SignChanges count_sign_changes(const ExactPolynomial& p, const DyadicCell& cell) {
  // a(x) is 8^depth p((index + x) / 2^depth), by Horner's rule for every power of x.
  std::array<mpz_class, 4> a;
  for (int i = 0; i < 4; ++i) a[i] = p.c[i] << static_cast<unsigned long>(3 - i) * cell.depth;
  if (sgn(cell.index) != 0) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 2; i >= j; --i) mpz_addmul(a[i].get_mpz_t(), a[i + 1].get_mpz_t(), cell.index.get_mpz_t());
    }
  }
  // The Bernstein coefficients of degree three, times three, are 3 a0, 3 a0 + a1, 3 a0 + 2 a1 + a2 and 3 (a0 + a1 + a2
  // + a3).
  const mpz_class b1 = 3 * a[0] + a[1];
  const mpz_class b2 = b1 + a[1] + a[2];
  const mpz_class b3 = a[0] + a[1] + a[2] + a[3];
  SignChanges changes;
  int last = 0;
  for (const int s : {sgn(a[0]), sgn(b1), sgn(b2), sgn(b3)}) {
    if (s == 0) continue;
    if (last == 0) changes.first_sign = s;
    if (last == -s) ++changes.count;
    last = s;
  }
  return changes;
}

}  // namespace clearance
