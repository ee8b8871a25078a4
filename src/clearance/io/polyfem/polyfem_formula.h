// Formulas of PolyFEM (TinyExpr with functions of its own) as native ones.
#pragma once

#include <string>

#include "clearance/base/result.h"

namespace clearance {

/// The formula with functions that only PolyFEM has written out, all logarithms and powers as TinyExpr means them, and
/// `t` replaced by `time`. Or an issue, without a place, that says what is wrong with it.
Result<std::string> native_formula(const std::string& formula, const std::string& time = "t");

}  // namespace clearance
