// The inclusion-based root finder of [Sny92] on the coplanarity cubic ([Fer23, eq. 3.3]; UIRF of [Fer23, sec. 3.4.2],
// after [Red02]): t is halved until narrower than the tolerance, and only then geometry decides whether the
// primitives can overlap in that interval. Where the cubic is zero, the whole of [0, 1] is refined: correct, and slow.
#include "clearance/ccd/methods/deciders.h"
#include "clearance/ccd/methods/plane_form.h"
#include "clearance/math/interval.h"

namespace clearance {
namespace {

class UnivariateSearch {
 public:
  UnivariateSearch(const CcdQuery& query, const CcdMethodOptions& options)
      : form_(plane_form<Interval>(query.kind, query.motion.t0, query.motion.t1)), options_(options) {
    const BernsteinPolynomial<Interval, 4> k = coplanarity(form_);
    powers_ = {k[0], Interval(3.0) * (k[1] - k[0]), Interval(3.0) * ((k[2] - k[1]) - (k[1] - k[0])),
               (k[3] - k[0]) - Interval(3.0) * (k[2] - k[1])};
  }

  /// In the order of time: the first interval that cannot be excluded is the answer.
  CcdAnswer solve() const {
    // Each halving takes one interval and leaves two of half the width.
    std::array<Interval, 64> stack;
    int size = 1;
    stack[0] = Interval(0.0, 1.0);
    for (int num_checks = 0; size > 0; ++num_checks) {
      const Interval t = stack[--size];
      if (num_checks >= options_.max_iterations) return {true, t.lo};
      if (!cubic_on(t).contains_zero()) continue;
      const double width = t.hi - t.lo;
      if (width < options_.tolerance || width <= 0x1p-50) {
        if (can_overlap(t)) return {true, t.lo};
        continue;
      }
      const double middle = 0.5 * (t.lo + t.hi);
      stack[size++] = {middle, t.hi};
      stack[size++] = {t.lo, middle};
    }
    return {};
  }

 private:
  Interval cubic_on(const Interval& t) const {
    return powers_[0] + t * (powers_[1] + t * (powers_[2] + t * powers_[3]));
  }

  static Triple<Interval> at(const VectorPolynomial<Interval, 2>& v, const Interval& t) {
    Triple<Interval> result;
    for (int k = 0; k < 3; ++k) result[k] = v[0][k] + t * (v[1][k] - v[0][k]);
    return result;
  }

  /// The conditions on u and v, and where the normal may vanish, the extents of the primitives.
  bool can_overlap(const Interval& t) const {
    const Triple<Interval> a = at(form_.a, t), b = at(form_.b, t), q = at(form_.q, t);
    const Interval unit(0.0, 1.0);
    for (int k = 0; k < 3; ++k) {
      if (!(q[k] - (unit * a[k] + unit * b[k])).contains_zero()) return false;
    }
    const Triple<Interval> n = cross(a, b);
    const Interval nn = dot(n, n), u = dot(cross(q, b), n), v = dot(cross(a, q), n);
    if (u.hi < 0.0 || v.hi < 0.0) return false;
    if (form_.is_triangle) return !certainly_less(nn, u + v);
    return !certainly_less(nn, u) && !certainly_less(nn, v);
  }

  PlaneForm<Interval> form_;
  const CcdMethodOptions& options_;
  std::array<Interval, 4> powers_;
};

}  // namespace

CcdAnswer decide_by_univariate_interval(const CcdQuery& query, const CcdMethodOptions& options) {
  return UnivariateSearch(query, options).solve();
}

}  // namespace clearance
