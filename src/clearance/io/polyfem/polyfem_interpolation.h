// The factor over time that a PolyFEM condition multiplies its value by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clearance/scene/foreign_object.h"

namespace clearance {

/// The factor that the object `interpolation` describes, as a native formula in `time`: `linear`, `linear_ramp`,
/// `piecewise_constant`, `piecewise_linear` or `piecewise_cubic` (a spline whose curvature is continuous). "1" where it
/// is 1 at all times; nothing after an issue.
std::optional<std::string> read_interpolation(const ForeignObject& interpolation, const std::string& time);

/// Rising times [s]; empty if the key is missing or empty, nothing after an issue.
std::optional<std::vector<double>> read_times(const ForeignObject& from, const char* key);

/// The values at rising points and straight lines between them, constant beyond, as a native formula in `time`.
std::string piecewise_linear(std::vector<double> points, std::vector<double> values, const std::string& time);

}  // namespace clearance
