#include "clearance/geometry/volume_polynomial.h"

#include <algorithm>

namespace clearance {

double find_positive_prefix(const std::array<double, 4>& c) {
  double alpha = 0.0, width = 1.0;
  while (alpha < 1.0) {
    // Computes Taylor coefficients at alpha, then Bernstein coefficients on [alpha, alpha + width].
    const double t0 = c[0] + alpha * (c[1] + alpha * (c[2] + alpha * c[3]));
    const double t1 = (c[1] + alpha * (2 * c[2] + alpha * (3 * c[3]))) * width;
    const double t2 = (c[2] + alpha * (3 * c[3])) * width * width;
    const double t3 = c[3] * width * width * width;
    const bool is_positive = t0 > 0 && t0 + t1 / 3 > 0 && t0 + (2 * t1 + t2) / 3 > 0 && t0 + t1 + t2 + t3 > 0;
    if (is_positive) {
      alpha += width;
      width = std::min(2 * width, 1.0 - alpha);
    } else {
      width /= 2;
      if (!(width > 1e-3 * alpha) || width < 1e-300) break;
    }
  }
  return std::min(alpha, 1.0);
}

}  // namespace clearance
