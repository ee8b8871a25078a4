// Detection of angles that were probably meant in radians where degrees are required.
#pragma once

#include <string_view>

namespace clearance {

/// True for a multiple of pi / 12 that is written with at least five digits: an angle in degrees does not look like
/// that by chance.
bool looks_like_radians(double angle);

/// True for a formula whose value has the factor `pi`, or a number that looks like radians, and that contains no
/// conversion: `pi / 2` and `1.5708 * t`, but neither `90 * sin(2 * pi * t)` nor `180 / pi * 0.5`.
bool looks_like_radians(std::string_view formula);

}  // namespace clearance
