// Bernstein sign classification ([Tan14]; BSC of [Fer23, sec. 3.4.2, app. E.3]) in
// rational arithmetic: the signs of the cubic's Bernstein coefficients classify its roots where its curvature keeps its
// sign; the sign of a condition at a root, which is irrational, is reduced to signs of linear polynomials.
//
// In the form that [Fer23] tests, a cubic with an inflection point counts as a hit. The failure of the method is kept:
// a cubic that is zero, a motion within one plane, has no root to classify and is missed.
#include <limits>
#include <utility>
#include <vector>

#include "clearance/ccd/exact_query.h"
#include "clearance/ccd/methods/deciders.h"
#include "clearance/ccd/methods/plane_form.h"

namespace clearance {
namespace {

/// Ascending powers of t, without leading zeros; empty is zero.
using Polynomial = std::vector<mpq_class>;

void trim(Polynomial& p) {
  while (!p.empty() && p.back() == 0) p.pop_back();
}

mpq_class evaluate(const Polynomial& p, const mpq_class& t) {
  mpq_class value = 0;
  for (std::size_t i = p.size(); i-- > 0;) value = value * t + p[i];
  return value;
}

Polynomial derivative(const Polynomial& p) {
  Polynomial d;
  for (std::size_t i = 1; i < p.size(); ++i) d.push_back(p[i] * static_cast<unsigned long>(i));
  return d;
}

struct Division {
  Polynomial quotient, remainder;
};
Division divide(Polynomial p, const Polynomial& q) {
  Polynomial quotient(p.size() >= q.size() ? p.size() - q.size() + 1 : 0);
  while (p.size() >= q.size()) {
    const std::size_t shift = p.size() - q.size();
    quotient[shift] = p.back() / q.back();
    for (std::size_t i = 0; i < q.size(); ++i) p[shift + i] -= quotient[shift] * q[i];
    trim(p);
  }
  return {std::move(quotient), std::move(p)};
}

Polynomial to_powers(const BernsteinPolynomial<mpz_class, 4>& k) {
  Polynomial p{k[0], 3 * (k[1] - k[0]), 3 * (k[0] - 2 * k[1] + k[2]), k[3] - 3 * k[2] + 3 * k[1] - k[0]};
  trim(p);
  return p;
}
Polynomial to_powers(const BernsteinPolynomial<mpz_class, 5>& k) {
  Polynomial p{k[0], 4 * (k[1] - k[0]), 6 * (k[0] - 2 * k[1] + k[2]), 4 * (k[3] - 3 * k[2] + 3 * k[1] - k[0]),
               k[4] - 4 * k[3] + 6 * k[2] - 4 * k[1] + k[0]};
  trim(p);
  return p;
}

/// The only root of f between low and high, where its sign changes; or low itself if low = high.
struct Root {
  mpq_class low, high;
};

int sign_of_linear(const Polynomial& linear, const Polynomial& f, const Root& root) {
  if (linear.empty()) return 0;
  if (linear.size() == 1) return sgn(linear[0]);
  const mpq_class zero = -linear[0] / linear[1];
  const int after = sgn(linear[1]);
  if (zero <= root.low) return after;
  if (zero >= root.high) return -after;
  const int f_sign = sgn(evaluate(f, zero));
  return f_sign == 0 ? 0 : (f_sign == sgn(evaluate(f, root.low)) ? after : -after);
}

int sign_at(const Polynomial& g, const Polynomial& f, const Root& root) {
  if (root.low == root.high) return sgn(evaluate(g, root.low));
  const Polynomial reduced = divide(g, f).remainder;
  if (reduced.size() <= 2) return sign_of_linear(reduced, f, root);
  // f is a cubic, and f = quotient * reduced + remainder is zero at the root.
  const Division division = divide(f, reduced);
  const int quotient_sign = sign_of_linear(division.quotient, f, root);
  if (quotient_sign == 0) return sgn(evaluate(reduced, -division.quotient[0] / division.quotient[1]));
  return -quotient_sign * sign_of_linear(division.remainder, f, root);
}

/// Finds the roots of f, whose curvature has one sign and which has an extremum inside (0, 1). If the extremum is a
/// minimum (`side` = 1), f is not negative at 0 and 1; `side` = -1 is the mirrored case.
void find_roots_around_extremum(const Polynomial& f, int side, std::vector<Root>& roots) {
  const Polynomial slope = derivative(f);
  const int at_0 = side * sgn(evaluate(f, 0)), at_1 = side * sgn(evaluate(f, 1));
  if (at_0 > 0 && at_1 > 0) {
    // f at the extremum, which is the remainder by the slope.
    const Polynomial remainder = divide(f, slope).remainder;
    const int sign = side * sign_of_linear(remainder, slope, {0, 1});
    if (sign > 0) return;
    if (sign == 0) {
      const Polynomial& linear = remainder.size() == 2 ? remainder : slope;
      const mpq_class t = -linear[0] / linear[1];
      roots.push_back({t, t});
      return;
    }
  }
  // Find a time between the roots.
  mpq_class low = 0, high = 1, middle;
  for (;;) {
    middle = (low + high) / 2;
    if (side * sgn(evaluate(f, middle)) < 0) break;
    (side * sgn(evaluate(slope, middle)) < 0 ? low : high) = middle;
  }
  if (at_0 > 0) roots.push_back({0, middle});
  if (at_1 > 0) roots.push_back({middle, 1});
}

/// k has no inflection point, and is not zero.
std::vector<Root> classify_roots(const BernsteinPolynomial<mpz_class, 4>& k, const Polynomial& f) {
  std::vector<Root> roots;
  if (k[0] == 0) roots.push_back({0, 0});
  if (k[3] == 0) roots.push_back({1, 1});
  const int slope_0 = cmp(k[1], k[0]), slope_1 = cmp(k[3], k[2]);
  const bool has_extremum = (slope_0 < 0 && slope_1 > 0) || (slope_0 > 0 && slope_1 < 0);
  if (sgn(k[0]) * sgn(k[3]) < 0) {
    roots.push_back({0, 1});
  } else if (has_extremum) {
    const int side = slope_0 < 0 ? 1 : -1;
    if (side * sgn(k[0]) >= 0 && side * sgn(k[3]) >= 0) find_roots_around_extremum(f, side, roots);
  }
  return roots;
}

bool has_contact(const PlaneForm<mpz_class>& form) {
  const BernsteinPolynomial<mpz_class, 4> k = coplanarity(form);
  const bool is_zero = k[0] == 0 && k[1] == 0 && k[2] == 0 && k[3] == 0;
  const bool is_positive = k[0] > 0 && k[1] > 0 && k[2] > 0 && k[3] > 0;
  const bool is_negative = k[0] < 0 && k[1] < 0 && k[2] < 0 && k[3] < 0;
  if (is_zero || is_positive || is_negative) return false;
  const mpz_class curvature_0 = k[0] - 2 * k[1] + k[2], curvature_1 = k[1] - 2 * k[2] + k[3];
  if (sgn(curvature_0) * sgn(curvature_1) < 0) return true;

  const Polynomial f = to_powers(k);
  const std::vector<Root> roots = classify_roots(k, f);
  if (roots.empty()) return false;
  const InsideConditions<mpz_class> inside = inside_conditions(form);
  for (const Root& root : roots) {
    bool is_inside = true;
    for (int i = 0; i < inside.count && is_inside; ++i) {
      is_inside = sign_at(to_powers(inside.conditions[i]), f, root) >= 0;
    }
    if (is_inside) return true;
  }
  return false;
}

}  // namespace

CcdAnswer decide_by_bernstein_signs(const CcdQuery& query, const CcdMethodOptions&) {
  const ExactQuery exact = to_exact(query);
  if (!has_contact(plane_form<mpz_class>(exact.kind, exact.t0, exact.t1))) return {};
  return {true, std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace clearance
