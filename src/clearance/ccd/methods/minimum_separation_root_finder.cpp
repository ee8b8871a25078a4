// The minimum-separation root finder ([Har11], [Lu19]; MSRF of [Fer23, sec. 3.6]) in
// floating point: the times at which lines and planes are `separation` apart are roots of polynomials,
//   face against vertex, edge against edge:  f^2 - d^2 |n|^2      degree 6
//   edge against vertex:                     |e x w|^2 - d^2 |e|^2  degree 4
//   vertex against vertex:                   |w|^2 - d^2            degree 2
// each kept if the closest points lie on the primitives. Unstable for small d: with d = 0 all roots are double, and
// only the rounding of the evaluation tells them from none.
#include <algorithm>
#include <cmath>

#include "clearance/ccd/methods/deciders.h"
#include "clearance/ccd/methods/polynomial_roots.h"
#include "clearance/geometry/distance.h"

namespace clearance {
namespace {

/// Coefficients are vectors, by ascending powers.
struct LinearPoint {
  Vec<3> start, step;
  Vec<3> at(double t) const { return start + t * step; }
};
LinearPoint operator-(const LinearPoint& a, const LinearPoint& b) {
  return {a.start - b.start, a.step - b.step};
}

using QuadraticPoint = std::array<Vec<3>, 3>;
QuadraticPoint cross(const LinearPoint& a, const LinearPoint& b) {
  return {cross_product(a.start, b.start), cross_product(a.start, b.step) + cross_product(a.step, b.start),
          cross_product(a.step, b.step)};
}
PowerPolynomial<5> square(const QuadraticPoint& p) {
  return {p[0].dot(p[0]), 2.0 * p[0].dot(p[1]), 2.0 * p[0].dot(p[2]) + p[1].dot(p[1]), 2.0 * p[1].dot(p[2]),
          p[2].dot(p[2])};
}
PowerPolynomial<3> square(const LinearPoint& p) {
  return {p.start.dot(p.start), 2.0 * p.start.dot(p.step), p.step.dot(p.step)};
}

class SeparationSearch {
 public:
  SeparationSearch(const CcdQuery& query, double separation) : separation_sq_(separation * separation) {
    for (int i = 0; i < 4; ++i) x_[i] = {query.motion.t0[i], query.motion.t1[i] - query.motion.t0[i]};
  }

  /// The first time at which a vertex is that far from a face; 2 if there is none.
  double point_triangle() {
    plane(x_[2] - x_[1], x_[3] - x_[1], x_[0] - x_[1], true);
    for (int i = 1; i <= 3; ++i) {
      point_line(x_[0], x_[i], x_[i % 3 + 1]);
      point_point(x_[0], x_[i]);
    }
    return first_;
  }

  double edge_edge() {
    plane(x_[1] - x_[0], x_[2] - x_[3], x_[2] - x_[0], false);
    for (int i = 0; i < 2; ++i) {
      point_line(x_[i], x_[2], x_[3]);
      point_line(x_[2 + i], x_[0], x_[1]);
      for (int j = 2; j < 4; ++j) point_point(x_[i], x_[j]);
    }
    return first_;
  }

 private:
  /// The first root of p at which the closest points lie on the primitives.
  template <std::size_t count, class Condition>
  void find(const PowerPolynomial<count>& p, const Condition& is_inside) {
    const auto roots = unit_roots(p);
    for (std::size_t i = 0; i < roots.size && roots.roots[i] < first_; ++i) {
      if (is_inside(roots.roots[i])) first_ = roots.roots[i];
    }
  }

  /// With n = a x b, q is u a + v b + height n / |n|.
  void plane(const LinearPoint& a, const LinearPoint& b, const LinearPoint& q, bool is_triangle) {
    const QuadraticPoint n = cross(a, b);
    PowerPolynomial<4> f{};
    for (int i = 0; i < 3; ++i) {
      f[i] += n[i].dot(q.start);
      f[i + 1] += n[i].dot(q.step);
    }
    PowerPolynomial<7> p = product(f, f);
    const PowerPolynomial<5> nn = square(n);
    for (int i = 0; i < 5; ++i) p[i] -= separation_sq_ * nn[i];
    find(p, [&](double t) {
      const Vec<3> a_t = a.at(t), b_t = b.at(t), q_t = q.at(t), n_t = cross_product(a_t, b_t);
      const double length_sq = n_t.squaredNorm();
      const double u = cross_product(q_t, b_t).dot(n_t), v = cross_product(a_t, q_t).dot(n_t);
      if (!(length_sq > 0.0) || u < 0.0 || v < 0.0) return false;
      return is_triangle ? u + v <= length_sq : u <= length_sq && v <= length_sq;
    });
  }

  void point_line(const LinearPoint& point, const LinearPoint& e0, const LinearPoint& e1) {
    const LinearPoint e = e1 - e0, w = point - e0;
    PowerPolynomial<5> p = square(cross(e, w));
    const PowerPolynomial<3> ee = square(e);
    for (int i = 0; i < 3; ++i) p[i] -= separation_sq_ * ee[i];
    find(p, [&](double t) {
      const double along = e.at(t).dot(w.at(t));
      return along >= 0.0 && along <= e.at(t).squaredNorm();
    });
  }

  void point_point(const LinearPoint& a, const LinearPoint& b) {
    PowerPolynomial<3> p = square(a - b);
    p[0] -= separation_sq_;
    find(p, [](double) { return true; });
  }

  std::array<LinearPoint, 4> x_;
  double separation_sq_;
  double first_ = 2.0;
};

}  // namespace

CcdAnswer decide_by_minimum_separation_roots(const CcdQuery& query, const CcdMethodOptions& options) {
  const double separation = euclidean_separation(options);
  const auto& x = query.motion.t0;
  const bool is_triangle = query.kind == QueryKind::point_triangle;
  // Roots tell when the distance is reached, not whether it already was.
  const double start_sq =
      is_triangle ? point_triangle_distance_sq(x[0], x[1], x[2], x[3]) : edge_edge_distance_sq(x[0], x[1], x[2], x[3]);
  if (start_sq <= separation * separation) return {true, 0.0};
  SeparationSearch search(query, separation);
  const double first = is_triangle ? search.point_triangle() : search.edge_edge();
  return {first <= 1.0, std::min(first, 1.0)};
}

}  // namespace clearance
