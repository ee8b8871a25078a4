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
  const double abx = b[0] - a[0], aby = b[1] - a[1], abz = b[2] - a[2];
  const double acx = c[0] - a[0], acy = c[1] - a[1], acz = c[2] - a[2];
  const double adx = d[0] - a[0], ady = d[1] - a[1], adz = d[2] - a[2];
  const double yz = aby * acz, zy = abz * acy, zx = abz * acx, xz = abx * acz, xy = abx * acy, yx = aby * acx;
  const double determinant = adx * (yz - zy) + ady * (zx - xz) + adz * (xy - yx);
  const double magnitude = std::abs(adx) * (std::abs(yz) + std::abs(zy)) +
                           std::abs(ady) * (std::abs(zx) + std::abs(xz)) +
                           std::abs(adz) * (std::abs(xy) + std::abs(yx));
  // A coordinate that is not finite, or an overflow, makes the comparison false.
  if (magnitude > smallest_trusted && std::abs(determinant) > orient3d_error * magnitude) return sign(determinant);
  if (!a.allFinite() || !b.allFinite() || !c.allFinite() || !d.allFinite()) return 0;
  return exact_orient3d(a, b, c, d);
}

}  // namespace clearance
