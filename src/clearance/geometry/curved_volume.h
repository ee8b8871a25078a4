// Whether a curved (Lagrange) element is inverted anywhere, at rest and along a step. The volume function det dx/dxi of
// an element of order p is a polynomial of degree dim (p - 1) over the reference simplex: it is positive where all of
// its Bernstein coefficients are, and pieces of the simplex are halved until they tell.
#pragma once

#include <array>
#include <span>

#include "clearance/geometry/volume_polynomial.h"

namespace clearance {

/// Of the elements of one order (1 to max_order): nodes as in geometry/lagrange.h, `dim` numbers each. Constant; may be
/// used from several threads.
template <int dim>
class CurvedVolume {
 public:
  explicit CurvedVolume(int order);
  int order() const { return order_; }

  /// True only if det dx/dxi > 0 all over the closed element: exact for the numbers given. False if it is not, if that
  /// cannot be decided within the subdivisions allowed (the smallest volume is zero or next to it), or if a number is
  /// not finite.
  bool is_valid(std::span<const double> x) const;

  /// A lower bound of the smallest and an upper bound of the largest det dx/dxi / dim! (the volume, for order 1). Each
  /// is off by at most `tolerance` times the largest Bernstein coefficient, unless the subdivisions allowed end before.
  /// Infinite if a number is not finite, or beyond 1e90.
  std::array<double, 2> volume_bounds(std::span<const double> x, double tolerance = 1e-2) const;

  /// An alpha in [0, 1] such that det d(x + a dx)/dxi > kept_volume_fraction det dx/dxi all over the element for all a
  /// in [0, alpha], and that x + alpha dx is valid as rounded. As large as it can be to a relative 4e-3 (no more than a
  /// relative motion of 16 times the element's size, see bound_step). 0 if nothing can be certified. The element must
  /// be valid at x.
  double max_feasible_step(std::span<const double> x, std::span<const double> dx) const;

 private:
  int order_;
};

}  // namespace clearance
