#include "clearance/optimise/student.h"

#include <algorithm>
#include <cmath>

#include "clearance/math/elementary.h"

namespace clearance::optimise {

namespace {

/// Returns the probability that |t| is below `t`, a finite series for whole degrees of freedom [Abr72, 26.7.3, 26.7.4].
double probability_within(double t, int nu) {
  const double theta = elementary::atan(t / std::sqrt(static_cast<double>(nu)));
  const double sine = elementary::sin(theta), cosine = elementary::cos(theta), cos_sq = cosine * cosine;
  constexpr double pi = 3.141592653589793;
  const bool is_odd = nu % 2 == 1;
  if (nu == 1) return 2.0 * theta / pi;
  // Odd: cos (1 + 2/3 cos^2 (1 + 4/5 cos^2 (...))); even: 1 + 1/2 cos^2 (1 + 3/4 cos^2 (...)).
  double series = 1.0;
  for (int k = nu - 3; k >= (is_odd ? 2 : 1); k -= 2) series = 1.0 + k / (k + 1.0) * cos_sq * series;
  return is_odd ? 2.0 / pi * (theta + sine * cosine * series) : sine * series;
}

}  // namespace

double student_95(int degrees_of_freedom) {
  const int nu = std::max(1, degrees_of_freedom);
  constexpr int longest_series = 200;
  if (nu > longest_series) {
    // [Abr72, 26.7.5]; the next term is below 1e-7.
    constexpr double z = normal_95;
    const double z2 = z * z;
    return z + z * (z2 + 1.0) / (4.0 * nu) + z * ((5.0 * z2 + 16.0) * z2 + 3.0) / (96.0 * nu * nu);
  }
  double low = normal_95, high = 13.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (probability_within(middle, nu) < 0.95 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace clearance::optimise
