// Largest step along which the volume of an element stays positive. The volume is a polynomial of the step length, of
// degree at most 3.
#pragma once

#include <array>

namespace clearance {

/// Fraction of its volume at the start of a step that every element keeps along the whole step ([Fer23, app. A.4]: c =
/// 0.8).
inline constexpr double kept_volume_fraction = 0.2;

/// Returns the largest alpha in [0, 1] with c[0] + c[1] a + c[2] a^2 + c[3] a^3 > 0 for all a in [0, alpha], to a
/// relative accuracy of 1e-3 and never too large: an interval is accepted only if its Bernstein coefficients are
/// positive. Returns 0 if c[0] <= 0 or a coefficient is not finite.
double find_positive_prefix(const std::array<double, 4>& c);

}  // namespace clearance
