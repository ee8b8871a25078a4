#include "ccd/feasibility_ccd.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace clearance {
namespace {

/// a[0] u + a[1] v <= b, all linear in time.
struct Inequality {
  std::array<ExactPolynomial, 2> a;
  ExactPolynomial b;
};

ExactPolynomial negative(const ExactPolynomial& p) {
  return ExactPolynomial{} - p;
}
ExactPolynomial determinant(const Inequality& p, const Inequality& q) {
  return p.a[0] * q.a[1] - p.a[1] * q.a[0];
}
ExactPolynomial dot(const Inequality& p, const Inequality& q) {
  return p.a[0] * q.a[0] + p.a[1] * q.a[1];
}

/// Multipliers that must have one sign and cancel the left-hand sides, and the right-hand side that they leave.
struct Contradiction {
  std::vector<ExactPolynomial> must_be_zero;
  std::vector<ExactPolynomial> multipliers;
  ExactPolynomial right;

  bool holds_at(ExactTime& t) const {
    // The multipliers are not negative and the right-hand side is, or the other way around.
    const int side = -t.sign_of(right);
    if (side == 0) return false;
    for (const ExactPolynomial& p : multipliers) {
      if (side * t.sign_of(p) < 0) return false;
    }
    for (const ExactPolynomial& p : must_be_zero) {
      if (t.sign_of(p) != 0) return false;
    }
    return true;
  }
};

std::vector<Inequality> inequalities_of(const ExactQuery& query) {
  const auto motion = [&](int k, int i) {
    ExactPolynomial p;
    p.c[0] = query.t0[k][i];
    p.c[1] = query.t1[k][i] - query.t0[k][i];
    return p;
  };
  const auto constant = [](long u, long v, long b) {
    Inequality result;
    result.a[0].c[0] = u;
    result.a[1].c[0] = v;
    result.b.c[0] = b;
    return result;
  };
  ExactPolynomial d;
  d.c[0] = query.min_separation;
  const bool is_point_triangle = query.kind == QueryKind::point_triangle;
  std::vector<Inequality> result;
  for (int i = 0; i < 3; ++i) {
    const std::array<ExactPolynomial, 4> x = {motion(0, i), motion(1, i), motion(2, i), motion(3, i)};
    // F = x0 - x1 - u (x2 - x1) - v (x3 - x1), and F = x0 + u (x1 - x0) - x2 - v (x3 - x2)
    const ExactPolynomial f0 = is_point_triangle ? x[0] - x[1] : x[0] - x[2];
    const ExactPolynomial fu = is_point_triangle ? x[1] - x[2] : x[1] - x[0];
    const ExactPolynomial fv = is_point_triangle ? x[1] - x[3] : x[2] - x[3];
    result.push_back({{fu, fv}, d - f0});
    result.push_back({{negative(fu), negative(fv)}, d + f0});
  }
  result.push_back(constant(-1, 0, 0));
  result.push_back(constant(0, -1, 0));
  if (is_point_triangle) {
    result.push_back(constant(1, 1, 1));
  } else {
    result.push_back(constant(1, 0, 1));
    result.push_back(constant(0, 1, 1));
  }
  return result;
}

std::vector<Contradiction> contradictions_of(const std::vector<Inequality>& rows) {
  std::vector<Contradiction> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Inequality& p = rows[i];
    ExactPolynomial one;
    one.c[0] = 1;
    result.push_back({{p.a[0], p.a[1]}, {one}, p.b});
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (i == j) continue;
      // Combine q . q times p with p . q times q, subtracted.
      const Inequality& q = rows[j];
      const ExactPolynomial qq = dot(q, q), pq = negative(dot(p, q));
      result.push_back({{determinant(p, q)}, {qq, pq}, qq * p.b + pq * q.b});
      for (std::size_t k = j + 1; k < rows.size() && i < j; ++k) {
        const Inequality& r = rows[k];
        const ExactPolynomial lp = determinant(q, r), lq = determinant(r, p), lr = determinant(p, q);
        result.push_back({{}, {lp, lq, lr}, lp * p.b + lq * q.b + lr * r.b});
      }
    }
  }
  return result;
}

bool is_feasible(const std::vector<Contradiction>& contradictions, ExactTime& t) {
  return std::none_of(contradictions.begin(), contradictions.end(),
                      [&](const Contradiction& c) { return c.holds_at(t); });
}

}  // namespace

std::optional<ExactTime> find_first_feasible_time(const ExactQuery& query, double t_begin) {
  const std::vector<Contradiction> contradictions = contradictions_of(inequalities_of(query));
  ExactTime begin(t_begin);
  if (is_feasible(contradictions, begin)) return begin;
  std::vector<ExactTime> events;
  for (const Contradiction& contradiction : contradictions) {
    if (contradiction.right.is_zero()) continue;
    ExactTime time = begin;
    while (auto root = first_root_after(contradiction.right, time)) {
      events.push_back(*root);
      time = std::move(*root);
    }
  }
  std::optional<ExactTime> first;
  for (ExactTime& event : events) {
    if (first && compare(event, *first) >= 0) continue;
    if (is_feasible(contradictions, event)) first = event;
  }
  return first;
}

}  // namespace clearance
