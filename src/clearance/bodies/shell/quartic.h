// The first root of a quartic polynomial on the way from 0 to 1.
#pragma once

#include <array>

namespace clearance {

/// Coefficients of 1, a, a^2, a^3, a^4.
using Quartic = std::array<double, 5>;

/// Returns a lower bound of the first a in [0, 1] at which a quartic that is positive at 0 is not positive; 1 if there
/// is none.
double first_root_bound(const Quartic& quartic);

}  // namespace clearance
