#include "clearance/math/predicates.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "clearance/math/expansion.h"

namespace clearance {
namespace {

using expansion::Expansion;

constexpr double unit_roundoff = 0x1p-53;
// Relative error of the determinants below, to be multiplied by the sum of the magnitudes of their terms ([She97, fig.
// 21] and 28).
constexpr double orient2d_error = (3.0 + 16.0 * unit_roundoff) * unit_roundoff;
constexpr double orient3d_error = (7.0 + 56.0 * unit_roundoff) * unit_roundoff;
// Below this magnitude the underflow of a product could exceed the relative bound: with differences of at most 2^301 an
// underflown product changes the determinant by less than 2^-1074 * 2^303, far below 2^-53 * 2^-700.
constexpr double smallest_trusted = 0x1p-700;

int sign(double value) {
  return (value > 0.0) - (value < 0.0);
}

Expansion<16> exact_minor(const Expansion<2>& a, const Expansion<2>& b, const Expansion<2>& c, const Expansion<2>& d) {
  return expansion::add(expansion::multiply(a, d), expansion::negate(expansion::multiply(b, c)));
}

int exact_orient2d(const Vec<2>& a, const Vec<2>& b, const Vec<2>& c) {
  return exact_minor(expansion::difference(b[0], a[0]), expansion::difference(b[1], a[1]),
                     expansion::difference(c[0], a[0]), expansion::difference(c[1], a[1]))
      .sign();
}

int exact_orient3d(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d) {
  std::array<Expansion<2>, 3> ab, ac, ad;
  for (int k = 0; k < 3; ++k) {
    ab[k] = expansion::difference(b[k], a[k]);
    ac[k] = expansion::difference(c[k], a[k]);
    ad[k] = expansion::difference(d[k], a[k]);
  }
  // Expand along the last difference: ad . (ab x ac).
  const auto x = expansion::multiply(exact_minor(ab[1], ab[2], ac[1], ac[2]), ad[0]);
  const auto y = expansion::multiply(exact_minor(ab[2], ab[0], ac[2], ac[0]), ad[1]);
  const auto z = expansion::multiply(exact_minor(ab[0], ab[1], ac[0], ac[1]), ad[2]);
  return expansion::add(expansion::add(x, y), z).sign();
}

/// The plane through three points, with its normal (b - a) x (c - a) and the magnitudes of the terms of that.
class Plane {
 public:
  Plane(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c) : a_(a), b_(b), c_(c) {
    const double abx = b[0] - a[0], aby = b[1] - a[1], abz = b[2] - a[2];
    const double acx = c[0] - a[0], acy = c[1] - a[1], acz = c[2] - a[2];
    const double yz = aby * acz, zy = abz * acy, zx = abz * acx, xz = abx * acz, xy = abx * acy, yx = aby * acx;
    normal_ = {yz - zy, zx - xz, xy - yx};
    magnitudes_ = {std::abs(yz) + std::abs(zy), std::abs(zx) + std::abs(xz), std::abs(xy) + std::abs(yx)};
  }

  int side(const Vec<3>& d) const {
    const double x = d[0] - a_[0], y = d[1] - a_[1], z = d[2] - a_[2];
    const double determinant = x * normal_[0] + y * normal_[1] + z * normal_[2];
    const double magnitude = std::abs(x) * magnitudes_[0] + std::abs(y) * magnitudes_[1] + std::abs(z) * magnitudes_[2];
    // A coordinate that is not finite, or an overflow, makes the comparison false.
    if (magnitude > smallest_trusted && std::abs(determinant) > orient3d_error * magnitude) return sign(determinant);
    if (!a_.allFinite() || !b_.allFinite() || !c_.allFinite() || !d.allFinite()) return 0;
    return exact_orient3d(a_, b_, c_, d);
  }

 private:
  const Vec<3>& a_;
  const Vec<3>& b_;
  const Vec<3>& c_;
  std::array<double, 3> normal_{}, magnitudes_{};
};

}  // namespace

int orient2d(const Vec<2>& a, const Vec<2>& b, const Vec<2>& c) {
  if (!a.allFinite() || !b.allFinite() || !c.allFinite()) return 0;
  const double left = (b[0] - a[0]) * (c[1] - a[1]);
  const double right = (b[1] - a[1]) * (c[0] - a[0]);
  const double determinant = left - right;
  const double magnitude = std::abs(left) + std::abs(right);
  if (magnitude > smallest_trusted && std::abs(determinant) > orient2d_error * magnitude) return sign(determinant);
  return exact_orient2d(a, b, c);
}

int orient3d(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d) {
  return Plane(a, b, c).side(d);
}

std::array<int, 2> orient3d(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d0, const Vec<3>& d1) {
  const Plane plane(a, b, c);
  return {plane.side(d0), plane.side(d1)};
}

}  // namespace clearance
