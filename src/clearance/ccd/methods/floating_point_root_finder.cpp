// The time-of-impact root finder of [Pro97] in floating point (FPRF of [Fer23, sec. 3.4.2]): the roots
// of the coplanarity cubic, each kept if the primitives overlap at that time. No tolerance saves what rounding loses: a
// motion within one plane (the cubic is zero), parallel edges, touching without crossing, contacts on the outline.
#include "clearance/ccd/methods/deciders.h"
#include "clearance/ccd/methods/plane_form.h"
#include "clearance/ccd/methods/polynomial_roots.h"

namespace clearance {
namespace {

Triple<double> at(const VectorPolynomial<double, 2>& v, double t) {
  Triple<double> result;
  for (int k = 0; k < 3; ++k) result[k] = (1.0 - t) * v[0][k] + t * v[1][k];
  return result;
}

/// Converts Bernstein coefficients to those of powers.
PowerPolynomial<4> to_powers(const BernsteinPolynomial<double, 4>& k) {
  return {k[0], 3.0 * (k[1] - k[0]), 3.0 * (k[2] - 2.0 * k[1] + k[0]), (k[3] - k[0]) - 3.0 * (k[2] - k[1])};
}

bool overlaps_at(const PlaneForm<double>& form, double t) {
  const Triple<double> a = at(form.a, t), b = at(form.b, t), q = at(form.q, t);
  const Triple<double> n = cross(a, b);
  const double nn = dot(n, n), u = dot(cross(q, b), n), v = dot(cross(a, q), n);
  if (!(nn > 0.0) || u < 0.0 || v < 0.0) return false;
  return form.is_triangle ? u + v <= nn : u <= nn && v <= nn;
}

}  // namespace

CcdAnswer decide_by_floating_point_roots(const CcdQuery& query, const CcdMethodOptions&) {
  const PlaneForm<double> form = plane_form<double>(query.kind, query.motion.t0, query.motion.t1);
  const BernsteinPolynomial<double, 4> k = coplanarity(form);
  // The curve stays on one side of its control points.
  if (k[0] > 0.0 && k[1] > 0.0 && k[2] > 0.0 && k[3] > 0.0) return {};
  if (k[0] < 0.0 && k[1] < 0.0 && k[2] < 0.0 && k[3] < 0.0) return {};
  const auto roots = unit_roots(to_powers(k));
  for (std::size_t i = 0; i < roots.size; ++i) {
    if (overlaps_at(form, roots.roots[i])) return {true, roots.roots[i]};
  }
  return {};
}

}  // namespace clearance
