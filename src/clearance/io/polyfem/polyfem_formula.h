// Formulas of PolyFEM (TinyExpr with functions of its own) as native ones.
#pragma once

#include <string>

#include "clearance/base/result.h"

namespace clearance {

/// Returns the formula with functions that only PolyFEM has written out, all logarithms and powers as TinyExpr means
/// them, and `t` replaced by `time`. Otherwise returns an issue, without a place, that describes the problem.
Result<std::string> native_formula(const std::string& formula, const std::string& time = "t");

}  // namespace clearance
