#include "ccd/sturm_ccd.h"

#include <algorithm>
#include <array>
#include <utility>

namespace clearance::rational {
namespace {

using PolynomialVector = std::array<Polynomial, 3>;

void trim(Polynomial& p) {
  while (!p.empty() && p.back() == 0) p.pop_back();
}

Polynomial combine(const Polynomial& p, const Number& factor, const Polynomial& q) {
  Polynomial r = p;
  r.resize(std::max(p.size(), q.size()));
  for (std::size_t i = 0; i < q.size(); ++i) r[i] += factor * q[i];
  trim(r);
  return r;
}
Polynomial sum(const Polynomial& p, const Polynomial& q) {
  return combine(p, 1, q);
}
Polynomial difference(const Polynomial& p, const Polynomial& q) {
  return combine(p, -1, q);
}

Polynomial product(const Polynomial& p, const Polynomial& q) {
  if (p.empty() || q.empty()) return {};
  Polynomial r(p.size() + q.size() - 1);
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < q.size(); ++j) r[i + j] += p[i] * q[j];
  }
  trim(r);
  return r;
}

Number evaluate(const Polynomial& p, const Number& t) {
  Number value = 0;
  for (std::size_t i = p.size(); i-- > 0;) value = value * t + p[i];
  return value;
}

Polynomial derivative(const Polynomial& p) {
  Polynomial d;
  for (std::size_t i = 1; i < p.size(); ++i) d.push_back(p[i] * Number(static_cast<long>(i)));
  return d;
}

/// Returns quotient and remainder.
std::pair<Polynomial, Polynomial> divide(Polynomial p, const Polynomial& q) {
  Polynomial quotient(p.size() >= q.size() ? p.size() - q.size() + 1 : 0);
  while (p.size() >= q.size()) {
    const std::size_t shift = p.size() - q.size();
    const Number factor = p.back() / q.back();
    quotient[shift] = factor;
    for (std::size_t i = 0; i < q.size(); ++i) p[shift + i] -= factor * q[i];
    trim(p);
    if (p.empty()) break;
  }
  trim(quotient);
  return {quotient, p};
}

/// Scales by a positive number, which keeps the numbers small.
void normalise(Polynomial& p) {
  if (p.empty()) return;
  const Number scale = abs(p.back());
  for (Number& c : p) c /= scale;
}

Polynomial greatest_common_divisor(Polynomial p, Polynomial q) {
  while (!q.empty()) {
    Polynomial r = divide(p, q).second;
    normalise(r);
    p = std::move(q);
    q = std::move(r);
  }
  return p;
}

std::vector<Polynomial> sturm_chain(const Polynomial& p) {
  std::vector<Polynomial> chain{p, derivative(p)};
  while (!chain.back().empty()) {
    Polynomial r = divide(chain[chain.size() - 2], chain.back()).second;
    for (Number& c : r) c = -c;
    normalise(r);
    chain.push_back(std::move(r));
  }
  chain.pop_back();
  return chain;
}

int sign_changes(const std::vector<Polynomial>& chain, const Number& t) {
  int changes = 0, last = 0;
  for (const Polynomial& p : chain) {
    const int s = sgn(evaluate(p, t));
    if (s != 0 && last != 0 && s != last) ++changes;
    if (s != 0) last = s;
  }
  return changes;
}

Polynomial square_free(const Polynomial& p) {
  if (p.size() <= 2) return p;
  return divide(p, greatest_common_divisor(p, derivative(p))).first;
}

/// Counts the distinct roots in (low, high]; p is square-free.
int count_roots(const Polynomial& p, const Number& low, const Number& high) {
  if (p.size() <= 1) return 0;
  const std::vector<Polynomial> chain = sturm_chain(p);
  return sign_changes(chain, low) - sign_changes(chain, high);
}

void isolate(const Polynomial& p, const std::vector<Polynomial>& chain, const Number& low, const Number& high,
             std::vector<Root>& roots) {
  const int count = sign_changes(chain, low) - sign_changes(chain, high);
  if (count == 0) return;
  if (count == 1) {
    roots.push_back({p, low, high});
    return;
  }
  const Number middle = (low + high) / 2;
  isolate(p, chain, low, middle, roots);
  isolate(p, chain, middle, high, roots);
}

/// Returns the roots of p in (0, 1], ascending.
std::vector<Root> isolate_roots(const Polynomial& p) {
  std::vector<Root> roots;
  if (p.size() <= 1) return roots;
  const Polynomial q = square_free(p);
  isolate(q, sturm_chain(q), 0, 1, roots);
  return roots;
}

int sign_at(const Polynomial& q, Root& root) {
  if (q.empty()) return 0;
  if (root.low == root.high) return sgn(evaluate(q, root.low));
  const Polynomial common = greatest_common_divisor(root.polynomial, q);
  if (count_roots(square_free(common), root.low, root.high) > 0) return 0;
  // The value is not zero: shrink the interval until q has no root in it.
  const Polynomial q_square_free = square_free(q);
  while (count_roots(q_square_free, root.low, root.high) > 0) root.refine();
  return sgn(evaluate(q, root.high));
}

Polynomial dot(const PolynomialVector& a, const PolynomialVector& b) {
  return sum(sum(product(a[0], b[0]), product(a[1], b[1])), product(a[2], b[2]));
}
PolynomialVector cross(const PolynomialVector& a, const PolynomialVector& b) {
  PolynomialVector c;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    c[k] = difference(product(a[i], b[j]), product(a[j], b[i]));
  }
  return c;
}
PolynomialVector difference(const PolynomialVector& a, const PolynomialVector& b) {
  return {difference(a[0], b[0]), difference(a[1], b[1]), difference(a[2], b[2])};
}

bool is_zero_at(const PolynomialVector& v, Root& root) {
  return sign_at(v[0], root) == 0 && sign_at(v[1], root) == 0 && sign_at(v[2], root) == 0;
}

/// Decides contact at a given time.
class ContactTest {
 public:
  explicit ContactTest(const RationalMotion& motion) {
    for (std::size_t k = 0; k < motion.t0.size(); ++k) {
      PolynomialVector corner;
      for (int i = 0; i < 3; ++i) {
        corner[i] = {motion.t0[k][i], motion.t1[k][i] - motion.t0[k][i]};
        trim(corner[i]);
      }
      r_.push_back(corner);
    }
    if (r_.size() < 3) return;
    const PolynomialVector a = difference(r_[1], r_[0]), b = difference(r_.back(), r_[0]);
    const PolynomialVector q = difference(PolynomialVector{}, r_[0]);
    n_ = cross(a, b);
    f_ = dot(r_[0], n_);
    u_ = dot(cross(q, b), n_);
    v_ = dot(cross(a, q), n_);
    nn_ = dot(n_, n_);
  }

  std::vector<Polynomial> events() const {
    if (!f_.empty()) return {f_};
    std::vector<Polynomial> result;
    for (std::size_t i = 0; i < r_.size(); ++i) {
      for (std::size_t j = i; j < r_.size(); ++j) {
        for (const Polynomial& p : cross(r_[i], r_[j])) result.push_back(p);
        result.push_back(dot(r_[i], r_[j]));
      }
    }
    return result;
  }

  bool is_contact(Root& root) const {
    if (r_.size() >= 3 && !is_zero_at(n_, root)) return is_inside_face(root);
    // The hull is the union of the segments between its corners.
    for (std::size_t i = 0; i < r_.size(); ++i) {
      for (std::size_t j = i; j < r_.size(); ++j) {
        if (sign_at(dot(r_[i], r_[j]), root) <= 0 && is_zero_at(cross(r_[i], r_[j]), root)) return true;
      }
    }
    return false;
  }

 private:
  bool is_inside_face(Root& root) const {
    if (sign_at(f_, root) != 0 || sign_at(u_, root) < 0 || sign_at(v_, root) < 0) return false;
    if (r_.size() == 3) return sign_at(difference(nn_, sum(u_, v_)), root) >= 0;
    return sign_at(difference(nn_, u_), root) >= 0 && sign_at(difference(nn_, v_), root) >= 0;
  }

  std::vector<PolynomialVector> r_;
  PolynomialVector n_;
  Polynomial f_, u_, v_, nn_;  ///< coplanarity, barycentric coordinates times nn, squared normal
};

}  // namespace

void Root::refine() {
  if (low == high) return;
  const Number middle = (low + high) / 2;
  const int sign_middle = sgn(evaluate(polynomial, middle));
  if (sign_middle == 0) {
    low = high = middle;
  } else if (sgn(evaluate(polynomial, high)) == 0) {
    low = high;
  } else if (sign_middle == sgn(evaluate(polynomial, high))) {
    high = middle;
  } else {
    low = middle;
  }
}

bool Root::is_before(const Number& t) {
  if (low != high && low < t && t <= high && evaluate(polynomial, t) == 0) return false;
  while (low < t && t <= high && low != high) refine();
  return low == high ? low < t : high < t;
}

std::vector<Point> RationalMotion::at(const Number& t) const {
  std::vector<Point> points;
  for (std::size_t k = 0; k < t0.size(); ++k) points.push_back(t0[k] + t * (t1[k] - t0[k]));
  return points;
}

std::optional<Root> find_first_contact(const RationalMotion& motion) {
  const ContactTest test(motion);
  Root start{{}, 0, 0};
  if (test.is_contact(start)) return start;
  std::optional<Root> first;
  for (const Polynomial& event : test.events()) {
    for (Root& root : isolate_roots(event)) {
      if (!test.is_contact(root)) continue;
      // Make each interval narrow enough to order the roots of different polynomials; equal roots may come in any
      // order.
      while (root.low != root.high && root.high - root.low > Number(1, 1L << 62)) root.refine();
      if (!first || root.low < first->low) first = root;
      break;
    }
  }
  return first;
}

}  // namespace clearance::rational
