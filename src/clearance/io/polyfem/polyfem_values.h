// Values of a PolyFEM scene: numbers, formulas, and both with units.
#pragma once

#include <optional>
#include <string>

#include "clearance/scene/foreign_object.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Context that all values of a scene share.
struct PolyfemValues {
  int dim = 3;
  std::string time = "t";  ///< the `t` of the values, as a native formula

  /// Returns a number, given also as text or as `{value, unit}`, in SI units. Returns `usual` if it is missing, or
  /// after an issue; a formula that is not a number is an issue.
  double number(const ForeignObject& from, const char* key, double usual, const Field& range = {}) const;
  /// Returns one formula, in any variables, or nothing after an issue. `times` is as for `formulas`.
  std::optional<std::string> formula(const ForeignObject& from, const char* key,
                                     const std::vector<double>& times = {}) const;
  /// Returns one formula per dimension; the others are 0. Returns nothing after an issue. `times` [s] are those at
  /// which the entries of list values hold. Such a value is linear between them, and constant before the first and
  /// after the last.
  std::optional<Expressions> formulas(const ForeignObject& from, const char* key,
                                      const std::vector<double>& times = {}) const;
};

/// Returns the number that the formula consists of, or nothing if the formula is more than that.
std::optional<double> constant_of(const std::string& formula);
/// Returns the constant vector, or nothing if a formula is more than a number.
std::optional<Vec<3>> constant_of(const Expressions& formulas);
bool is_zero(const Expressions& formulas);

/// Returns the entries of a list, or the object that stands for a list of one, each with its place. Returns nothing if
/// the key is missing or, after an issue, if its value is neither.
std::vector<ForeignObject> objects_of(const ForeignObject& from, const char* key);

}  // namespace clearance
