#include "clearance/io/polyfem/polyfem_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/io/polyfem/polyfem_formula.h"
#include "clearance/io/polyfem/polyfem_interpolation.h"

namespace clearance {
namespace {

struct Unit {
  const char* name;
  double si;  ///< its size in the SI unit
};
constexpr Unit units[] = {{"", 1.0},       {"m", 1.0},       {"cm", 1e-2},   {"mm", 1e-3},       {"um", 1e-6},
                          {"km", 1e3},     {"kg", 1.0},      {"g", 1e-3},    {"t", 1e3},         {"s", 1.0},
                          {"ms", 1e-3},    {"Pa", 1.0},      {"kPa", 1e3},   {"MPa", 1e6},       {"GPa", 1e9},
                          {"N", 1.0},      {"kN", 1e3},      {"N/m^2", 1.0}, {"kg/m^3", 1.0},    {"kg/m^2", 1.0},
                          {"g/cm^3", 1e3}, {"g/mm^3", 1e6},  {"m/s", 1.0},   {"mm/s", 1e-3},     {"cm/s", 1e-2},
                          {"m/s^2", 1.0},  {"mm/s^2", 1e-3}, {"rad", 1.0},   {"deg", M_PI / 180}};

std::string text_of(double number) {
  return fmt::format("{}", number);
}

class ValueReader {
 public:
  ValueReader(const PolyfemValues& values, Issues& issues, std::vector<double> times = {})
      : values_(values), issues_(issues), times_(std::move(times)) {}

  /// Reads a value as a native formula; returns nothing after an issue.
  std::optional<std::string> read(const Json& value, const std::string& place) {
    if (value.is_number()) {
      if (std::isfinite(value.get<double>())) return text_of(value.get<double>());
      return fail(value, place, "expected a finite number");
    }
    if (value.is_string()) return read_formula(value, place);
    if (value.is_object() && value.contains("value")) return read_with_unit(value, place);
    if (value.is_object() && value.contains("file_name")) {
      return fail(value, place, "the value calls a Python function, which is not supported");
    }
    if (value.is_array()) return read_table(value, place);
    return fail(value, place, "expected a number, a formula or {value, unit}");
  }

 private:
  std::optional<std::string> read_formula(const Json& value, const std::string& place) {
    Result<std::string> formula = native_formula(value.get<std::string>(), values_.time);
    if (formula) return std::move(formula).value();
    return fail(value, place, formula.issues().front().message);
  }

  std::optional<std::string> read_with_unit(const Json& value, const std::string& place) {
    const std::string unit =
        value.contains("unit") && value["unit"].is_string() ? value["unit"].get<std::string>() : "";
    const auto* known = std::find_if(std::begin(units), std::end(units), [&](const Unit& u) { return u.name == unit; });
    if (known == std::end(units)) return fail(value, place + ".unit", fmt::format("the unit `{}` is not known", unit));
    std::optional<std::string> formula = read(value["value"], place + ".value");
    if (!formula || known->si == 1.0) return formula;
    return fmt::format("({}) * {}", *formula, text_of(known->si));
  }

  // Reads a table with a number for each of the times. PolyFEM evaluates tables only at their times, which its steps
  // have to meet.
  std::optional<std::string> read_table(const Json& value, const std::string& place) {
    if (times_.empty()) {
      return fail(value, place,
                  "lists of values need `time_reference`, the times of their entries; values per element are not "
                  "supported");
    }
    const bool has_numbers =
        value.size() == times_.size() && std::all_of(value.begin(), value.end(), [](const Json& entry) {
          return entry.is_number() && std::isfinite(entry.get<double>());
        });
    if (!has_numbers) {
      return fail(value, place,
                  fmt::format("expected as many numbers as `time_reference` has times ({})", times_.size()));
    }
    std::string formula = piecewise_linear(times_, value.get<std::vector<double>>(), values_.time);
    // muParser reads up to 20,000 characters, including the formula's later factors.
    constexpr std::size_t longest_formula = 18000;
    if (formula.size() <= longest_formula) return formula;
    return fail(value, place,
                fmt::format("the table has {} times, but a formula can have about 400 at most; leave out times between "
                            "which values are linear",
                            times_.size()));
  }

  std::nullopt_t fail(const Json& value, const std::string& place, const std::string& message) {
    issues_.push_back({"", place, brief_text(value), message});
    return std::nullopt;
  }

  const PolyfemValues& values_;
  Issues& issues_;
  std::vector<double> times_;
};

// Parses `2e-3` or `(3) * 0.001` of a unit.
std::optional<double> product_of_numbers(const std::string& formula) {
  double product = 1.0;
  std::string rest = formula;
  while (true) {
    rest.erase(0, rest.find_first_not_of(" ("));
    char* end = nullptr;
    product *= std::strtod(rest.c_str(), &end);
    if (end == rest.c_str()) return std::nullopt;
    rest.erase(0, end - rest.c_str());
    rest.erase(0, rest.find_first_not_of(" )"));
    if (rest.empty()) return product;
    if (rest.front() != '*') return std::nullopt;
    rest.erase(0, 1);
  }
}

}  // namespace

double PolyfemValues::number(const ForeignObject& from, const char* key, double usual, const Field& range) const {
  const Json* value = from.find(key);
  if (value == nullptr) return usual;
  const std::optional<std::string> formula = ValueReader(*this, from.issues()).read(*value, from.place_of(key));
  if (!formula) return usual;
  const std::optional<double> number = constant_of(*formula);
  if (!number) {
    from.error(key, "must be a number; values that vary in space or time are not supported yet");
    return usual;
  }
  if (is_in_range(range, *number)) return *number;
  from.error(key, "must be " + range_text(range));
  return usual;
}

std::optional<std::string> PolyfemValues::formula(const ForeignObject& from, const char* key,
                                                  const std::vector<double>& times) const {
  const Json* value = from.find(key);
  if (value != nullptr) return ValueReader(*this, from.issues(), times).read(*value, from.place_of(key));
  from.error(key, "expected a number or a formula");
  return std::nullopt;
}

std::optional<Expressions> PolyfemValues::formulas(const ForeignObject& from, const char* key,
                                                   const std::vector<double>& times) const {
  const Json* value = from.find(key);
  if (value == nullptr || !value->is_array() || value->empty()) {
    from.error(key, fmt::format("expected {} numbers or formulas", dim));
    return std::nullopt;
  }
  const std::size_t count = std::min<std::size_t>(value->size(), dim);
  if (std::ssize(*value) < dim) {
    from.warning(key, fmt::format("the list has {} of {} values; the others are set to 0", count, dim));
  }
  Expressions formulas = {"0", "0", "0"};
  bool is_good = true;
  ValueReader reader(*this, from.issues(), times);
  for (std::size_t c = 0; c < count; ++c) {
    const std::optional<std::string> formula = reader.read((*value)[c], element_path(from.place_of(key), c));
    is_good = is_good && formula.has_value();
    if (formula) formulas[c] = *formula;
  }
  if (!is_good) return std::nullopt;
  return formulas;
}

std::optional<double> constant_of(const std::string& formula) {
  return product_of_numbers(formula);
}

std::optional<Vec<3>> constant_of(const Expressions& formulas) {
  Vec<3> constant;
  for (std::size_t c = 0; c < 3; ++c) {
    const std::optional<double> number = constant_of(formulas[c]);
    if (!number) return std::nullopt;
    constant[static_cast<Eigen::Index>(c)] = *number;
  }
  return constant;
}

bool is_zero(const Expressions& formulas) {
  const std::optional<Vec<3>> constant = constant_of(formulas);
  return constant && constant->isZero(0.0);
}

std::vector<ForeignObject> objects_of(const ForeignObject& from, const char* key) {
  std::vector<ForeignObject> objects;
  const Json* value = from.find(key);
  if (value == nullptr) return objects;
  if (value->is_object()) {
    objects.push_back(from.child(key));
  } else if (value->is_array()) {
    for (std::size_t i = 0; i < value->size(); ++i) {
      objects.emplace_back((*value)[i], element_path(from.place_of(key), i), from.issues());
    }
  } else {
    from.error(key, "expected a list of objects, not " + type_text(*value));
  }
  return objects;
}

}  // namespace clearance
