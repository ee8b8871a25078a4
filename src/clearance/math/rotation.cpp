#include "clearance/math/rotation.h"

#include "clearance/math/elementary.h"

namespace clearance {

SincDerivatives sinc_derivatives(double x) {
  const double u = x * x;
  // The closed forms below cancel: `second` loses 45 / x^4 units in the last place. Up to x = 2 the series with the
  // terms (-u)^k / (2k + 1)! is better; first and second are two and four times its first and second derivatives by u.
  if (u <= 4.0) {
    constexpr int num_terms = 15;
    SincDerivatives series{0.0, 0.0, 0.0};
    double inverse_factorial[num_terms + 1];
    inverse_factorial[0] = 1.0;
    for (int k = 1; k <= num_terms; ++k) {
      inverse_factorial[k] = inverse_factorial[k - 1] / (-2.0 * k * (2.0 * k + 1.0));
    }
    for (int k = num_terms; k >= 0; --k) {
      series.value = series.value * u + inverse_factorial[k];
      if (k >= 1) series.first = series.first * u + 2.0 * k * inverse_factorial[k];
      if (k >= 2) series.second = series.second * u + 4.0 * k * (k - 1.0) * inverse_factorial[k];
    }
    return series;
  }
  const double sine = elementary::sin(x), cosine = elementary::cos(x);
  return {sine / x, (cosine - sine / x) / u, ((3.0 / u - 1.0) * sine / x - 3.0 * cosine / u) / u};
}

RotationDerivatives rotation_derivatives(const Vec<3>& w) {
  // R is I + a [w] + c [w]^2 with a = sinc(|w|) and c = sinc^2(|w| / 2) / 2 ([Fer21, eq. 14] misprints this half as 2).
  const double angle = w.norm();
  const SincDerivatives whole = sinc_derivatives(angle), half = sinc_derivatives(0.5 * angle);
  const Mat<3> identity = Mat<3>::Identity(), k = cross_matrix(w), k_sq = k * k, outer = w * w.transpose();
  const Vec<3> da = whole.first * w, dq = 0.25 * half.first * w;
  const Mat<3> dda = whole.second * outer + whole.first * identity;
  const Mat<3> ddq = 0.25 * (0.25 * half.second * outer + half.first * identity);
  const double a = whole.value, c = 0.5 * half.value * half.value;
  const Vec<3> dc = half.value * dq;
  const Mat<3> ddc = dq * dq.transpose() + half.value * ddq;

  RotationDerivatives r;
  r.value = identity + a * k + c * k_sq;
  std::array<Mat<3>, 3> dk, dk_sq;
  for (int i = 0; i < 3; ++i) {
    dk[i] = cross_matrix(Vec<3>::Unit(i));
    dk_sq[i] = dk[i] * k + k * dk[i];
    r.first[i] = da[i] * k + a * dk[i] + dc[i] * k_sq + c * dk_sq[i];
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      r.second[i][j] = dda(i, j) * k + da[i] * dk[j] + da[j] * dk[i] + ddc(i, j) * k_sq + dc[i] * dk_sq[j] +
                       dc[j] * dk_sq[i] + c * (dk[i] * dk[j] + dk[j] * dk[i]);
    }
  }
  return r;
}

}  // namespace clearance
