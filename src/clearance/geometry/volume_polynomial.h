// How far along a step the volume of an element stays positive: a polynomial of the step length, of degree 3 at most.
#pragma once

#include <array>

namespace clearance {

/// Fraction of its volume at the start of a step that every element keeps on the whole way ([Fer23, app. A.4]: c =
/// 0.8).
inline constexpr double kept_volume_fraction = 0.2;

/// Largest alpha in [0, 1] with c[0] + c[1] a + c[2] a^2 + c[3] a^3 > 0 for all a in [0, alpha], to a relative accuracy
/// of 1e-3 and never too large: intervals are accepted only when their Bernstein coefficients are positive. 0 if c[0]
/// <= 0 or a coefficient is not finite.
double find_positive_prefix(const std::array<double, 4>& c);

}  // namespace clearance
