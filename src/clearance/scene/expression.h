// Formulas of a scene: text in t [s] and x, y, z [m], with the constants pi and e, the usual functions (`log` is the
// natural logarithm), comparisons and `condition ? a : b`, and in the controls of the scene. Every thread
// keeps the formulas that it has compiled, so that any number of threads may evaluate, and the same text gives the same
// bits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/scene/controls.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Returns the problems of the formulas of `place`, each with the character at which it occurs; empty if there are
/// none.
Issues check_expressions(const Expressions& formulas, const std::string& place, const Controls& controls = {});

/// Returns the three values at time t for every point. Returns an issue if a formula does not compile or is not finite
/// somewhere; it names the place (`place[1]`), the formula, the time and the point.
Result<std::vector<Vec<3>>> evaluate(const Expressions& formulas, const std::string& place, double t,
                                     std::span<const Vec<3>> points, const Controls& controls = {});
/// Returns those of all points at the first time, then at the next one, and so on, without looking the formulas up
/// again for every time.
Result<std::vector<Vec<3>>> evaluate(const Expressions& formulas, const std::string& place,
                                     std::span<const double> times, std::span<const Vec<3>> points,
                                     const Controls& controls = {});

/// The same for a single formula in t alone.
Issues check_time_formula(const std::string& formula, const std::string& place, const Controls& controls = {});
Result<double> evaluate_time_formula(const std::string& formula, const std::string& place, double t,
                                     const Controls& controls = {});

/// Returns the reason why a control cannot have this name; empty if it can.
std::string problem_of_control_name(const std::string& name);

}  // namespace clearance
