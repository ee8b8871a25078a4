// Exact tests of whether a curved (Lagrange) element is inverted anywhere, at rest and along a step. The volume
// function det dx/dxi of an element of order p is a polynomial of degree dim (p - 1) over the reference simplex. It is
// positive if all of its Bernstein coefficients are; otherwise the simplex is halved repeatedly until the sign is
// decided.
#pragma once

#include <array>
#include <span>

#include "clearance/geometry/volume_polynomial.h"

namespace clearance {

/// Tests for the elements of one order (1 to max_order). Nodes are numbered as in geometry/lagrange.h, with `dim`
/// numbers each. The object is constant and may be used from several threads.
template <int dim>
class CurvedVolume {
 public:
  explicit CurvedVolume(int order);
  int order() const { return order_; }

  /// True only if det dx/dxi > 0 all over the closed element: exact for the numbers given. Returns false if it is not,
  /// if a number is not finite, or if the allowed subdivisions cannot decide (the smallest volume is zero or next to
  /// it).
  bool is_valid(std::span<const double> x) const;

  /// Returns a lower bound of the smallest and an upper bound of the largest det dx/dxi / dim! (the volume, for order
  /// 1). Each is off by at most `tolerance` times the largest Bernstein coefficient, unless the allowed subdivisions
  /// are exhausted before. The bounds are infinite if a number is not finite, or beyond 1e90.
  std::array<double, 2> volume_bounds(std::span<const double> x, double tolerance = 1e-2) const;

  /// Returns an alpha in [0, 1] such that det d(x + a dx)/dxi > kept_volume_fraction det dx/dxi all over the element
  /// for all a in [0, alpha], and such that x + alpha dx is valid as rounded. Alpha is the largest possible to a
  /// relative 4e-3, but allows no more than a relative motion of 16 times the element's size, see bound_step. Returns 0
  /// if nothing can be certified. The element must be valid at x.
  double max_feasible_step(std::span<const double> x, std::span<const double> dx) const;

 private:
  int order_;
};

}  // namespace clearance
