// Values of a PolyFEM scene: numbers, formulas, and both with units.
#pragma once

#include <optional>
#include <string>

#include "clearance/scene/foreign_object.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// What all values of a scene share.
struct PolyfemValues {
  int dim = 3;
  std::string time = "t";  ///< their `t`, as a native formula

  /// A number, also as text or `{value, unit}`, in SI units. `usual` if it is missing, or after an issue; a formula
  /// that is no number is one.
  double number(const ForeignObject& from, const char* key, double usual, const Field& range = {}) const;
  /// One formula, in whatever variables. Nothing after an issue. `times`: as of `formulas`.
  std::optional<std::string> formula(const ForeignObject& from, const char* key,
                                     const std::vector<double>& times = {}) const;
  /// One formula for every dimension, the others are 0. Nothing after an issue. `times`: [s] when the entries of values
  /// that are lists hold; such a value is linear between them, and constant before the first and after the last.
  std::optional<Expressions> formulas(const ForeignObject& from, const char* key,
                                      const std::vector<double>& times = {}) const;
};

/// A plain number; nothing if the formula is more.
std::optional<double> constant_of(const std::string& formula);
/// The constant vector; nothing if a formula is more.
std::optional<Vec<3>> constant_of(const Expressions& formulas);
bool is_zero(const Expressions& formulas);

/// The entries of a list, or the object that stands for a list of one, each with its place. None if the key is missing
/// or, after an issue, something else.
std::vector<ForeignObject> objects_of(const ForeignObject& from, const char* key);

}  // namespace clearance
