#include "clearance/contact/mollified_terms.h"

#include <cmath>

#include "clearance/geometry/mollifier.h"
#include "clearance/math/elementary.h"

namespace clearance {

namespace {

/// Returns p . da + q . db as a functional of the vertices ea0, ea1, eb0, eb1.
Vec<12> of_edges(const Vec<3>& p, const Vec<3>& q) {
  Vec<12> functional;
  functional << -p, p, -q, q;
  return functional;
}

/// Returns the unit vector along n, or any unit vector across `a` if the edges are parallel.
Vec<3> direction_of(const Vec<3>& n, const Vec<3>& a) {
  const double length = n.norm();
  if (length > 0.0) return n / length;
  Eigen::Index smallest = 0;
  a.cwiseAbs().minCoeff(&smallest);
  return cross_product(a, Vec<3>(Vec<3>::Unit(smallest))).normalized();
}

/// Appends the positive part of p mu mu^T + q (mu nu^T + nu mu^T) + r nu nu^T.
void add_plane_terms(const Vec<12>& mu, const Vec<12>& nu, double p, double q, double r, RankOneSum<3>& sum) {
  // The quadratic form has rank two, whatever the 12 coordinates are: in an orthonormal basis e, f of the plane of mu
  // and nu, with mu = m e and nu = along e + across f, it is a 2 x 2 matrix with the entries ee, ef, ff.
  const double m = mu.norm();
  const Vec<12> e = mu / m;
  const double along = nu.dot(e);
  Vec<12> f = nu - along * e;
  const double across = f.norm();
  if (across > 0.0) f /= across;
  const double ee = p * m * m + (2.0 * q * m + r * along) * along;
  const double ef = (q * m + r * along) * across;
  const double ff = r * across * across;

  // The eigenvector of the larger eigenvalue, from the row that does not cancel; the other one is across it.
  const double half = 0.5 * (ee - ff), radius = elementary::hypot(half, ef), middle = 0.5 * (ee + ff);
  double x = half < 0.0 ? ef : radius + half, y = half < 0.0 ? radius - half : ef;
  if (!(radius > 0.0)) x = 1.0;
  const double length = elementary::hypot(x, y);
  x /= length;
  y /= length;
  if (middle + radius > 0.0) sum.add(middle + radius, Vec<12>(x * e + y * f));
  if (middle - radius > 0.0) sum.add(middle - radius, Vec<12>(x * f - y * e));
}

}  // namespace

Vec<12> add_mollified_terms(const Contact& contact, const ContactPositions<3>& positions, const ContactFrame<3>& frame,
                            const BarrierValue& barrier, RankOneSum<3>& sum) {
  const Vec<3> a = positions[1] - positions[0], b = positions[3] - positions[2];
  const Vec<3> n = cross_product(a, b);
  const Vec<3> axis = direction_of(n, a);
  const double c = n.squaredNorm(), size = std::sqrt(c), d = frame.distance, eps_x = contact.mollifier_scale;
  const double e = edge_edge_mollifier(c, eps_x), weight = contact.weight;
  // These are e' and e'' of [Fer23, eq. 2.24] by c = n . n.
  const double slope = 2.0 * (1.0 - c / eps_x) / eps_x, curvature = -2.0 / (eps_x * eps_x);
  // mu is axis . dn with dn = da x b + a x db; by the cyclic rule axis . (da x b) = da . (b x axis), and so on.
  const Vec<12> mu = of_edges(cross_product(b, axis), cross_product(axis, a));
  Vec<12> nu;
  for (int i = 0; i < 4; ++i) nu.segment<3>(3 * i) = frame.weights[i] * frame.normal;

  // The first three terms are quadratic in mu and nu (see the header).
  add_plane_terms(mu, nu, weight * barrier.value * (2.0 * slope + 4.0 * curvature * c),
                  weight * 4.0 * d * barrier.first * slope * size, weight * e * normal_curvature(d, barrier), sum);

  // The second variation of c is 2 |dn|^2 + 4 n . (da x db), where |dn|^2 = mu^2 + |dn_across|^2.
  // n changes across its direction as the edges leave their plane: along a, which is little, and across a.
  const double bend = weight * barrier.value * 2.0 * slope;
  const Vec<3> along = a.normalized(), across = cross_product(axis, along);
  sum.add(bend, of_edges(cross_product(b, across), cross_product(across, a)));
  if (size > 0.0) {
    sum.add(bend, of_edges(cross_product(b, along), Vec<3>::Zero()));
    // 4 det(da, db) = |db + R da|^2 - |db - R da|^2, where R turns by a right angle in the plane.
    // The two squares with a positive sign are kept.
    const double shear = weight * barrier.value * slope * size;
    sum.add(shear, of_edges(-across, along));
    sum.add(shear, of_edges(along, across));
  }
  return weight * (barrier.value * (2.0 * slope * size) * mu + (e * 2.0 * d * barrier.first) * nu);
}

}  // namespace clearance
