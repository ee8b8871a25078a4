// Angles that were probably meant in radians where degrees are asked for.
#pragma once

#include <string_view>

namespace clearance {

/// A multiple of pi / 12, written with at least five digits: no angle in degrees looks like that by chance.
bool looks_like_radians(double angle);

/// A formula whose value has the factor `pi`, or a number that looks like radians, and that converts nothing: `pi / 2`
/// and `1.5708 * t`, but neither `90 * sin(2 * pi * t)` nor `180 / pi * 0.5`.
bool looks_like_radians(std::string_view formula);

}  // namespace clearance
