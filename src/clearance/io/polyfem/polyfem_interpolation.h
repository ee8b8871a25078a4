// The factor over time that a PolyFEM condition multiplies its value by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clearance/scene/foreign_object.h"

namespace clearance {

/// Returns the factor that the object `interpolation` describes, as a native formula in `time`: `linear`,
/// `linear_ramp`, `piecewise_constant`, `piecewise_linear` or `piecewise_cubic` (a spline whose curvature is
/// continuous). Returns "1" if it is 1 at all times; nothing after an issue.
std::optional<std::string> read_interpolation(const ForeignObject& interpolation, const std::string& time);

/// Reads rising times [s]. The list is empty if the key is missing or empty; returns nothing after an issue.
std::optional<std::vector<double>> read_times(const ForeignObject& from, const char* key);

/// Returns, as a native formula in `time`, the function through the values at rising points that is linear between them
/// and constant beyond.
std::string piecewise_linear(std::vector<double> points, std::vector<double> values, const std::string& time);

}  // namespace clearance
