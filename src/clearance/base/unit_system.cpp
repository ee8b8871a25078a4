#include "clearance/base/unit_system.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace clearance {
namespace {

constexpr double inch = 0.0254, foot = 0.3048;  // [m]
constexpr double pound = 4.4482216152605;       // [N] 0.45359237 kg * 9.80665 m/s^2

/// Systems in the order of UnitSystemName.
constexpr std::array<UnitSystem, 7> systems = {{
    {},
    {"mm-N-MPa", 1e-3, 1e3, 1.0, "mm", "t", "s", "N", "MPa", "mJ"},
    {"cm-g-s", 1e-2, 1e-3, 1.0, "cm", "g", "s", "dyn", "Ba", "erg"},
    {"m-kN-kPa", 1.0, 1e3, 1.0, "m", "t", "s", "kN", "kPa", "kJ"},
    {"mm-kN-GPa", 1e-3, 1.0, 1e-3, "mm", "kg", "ms", "kN", "GPa", "J"},
    {"in-lbf-psi", inch, pound / inch, 1.0, "in", "slinch", "s", "lbf", "psi", "in lbf"},
    {"ft-lbf-psf", foot, pound / foot, 1.0, "ft", "slug", "s", "lbf", "psf", "ft lbf"},
}};

/// A number as a quotient: factors that powers of ten make large are exact, their reciprocals are not.
struct Quotient {
  double numerator = 1.0;
  double denominator = 1.0;

  void multiply(double factor, int power) {
    // The reciprocal of a unit below 1, such as 1e-3, rounds to the whole number that is meant.
    const double whole = factor < 1.0 ? 1.0 / factor : factor;
    double& side = (factor < 1.0) == (power < 0) ? numerator : denominator;
    for (int i = power < 0 ? -power : power; i > 0; --i) side *= whole;
  }
};

/// Returns the SI value of one unit of this dimension.
Quotient unit_in_si(const UnitSystem& units, const Dimension& dimension) {
  Quotient unit;
  unit.multiply(units.length, dimension.length);
  unit.multiply(units.mass, dimension.mass);
  unit.multiply(units.time, dimension.time);
  return unit;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Returns the length of the name of a unit of SI at the start of a text, with its power; 0 if there is none.
std::size_t length_of_unit(std::string_view text) {
  for (const std::string_view name : {"kg", "Pa", "m", "s", "N", "J"}) {
    if (!text.starts_with(name)) continue;
    std::size_t end = name.size();
    if (end + 1 < text.size() && text[end] == '^' && is_digit(text[end + 1])) end += 2;
    const bool is_word = end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '_');
    if (!is_word) return end;
  }
  return 0;
}

/// Returns the length of units such as `N m`, `kg/m^3` or `1/s` at the start of a text; 0 if there are none.
std::size_t length_of_units(std::string_view text) {
  std::size_t end = text.starts_with("1/") ? 2 : 0;
  std::size_t unit = length_of_unit(text.substr(end));
  if (unit == 0) return 0;
  end += unit;
  while (end + 1 < text.size() && (text[end] == ' ' || text[end] == '/')) {
    unit = length_of_unit(text.substr(end + 1));
    if (unit == 0) break;
    end += 1 + unit;
  }
  return end;
}

}  // namespace

double UnitSystem::from_si(double value, const Dimension& dimension) const {
  const Quotient unit = unit_in_si(*this, dimension);
  return value * unit.denominator / unit.numerator;
}

double UnitSystem::to_si(double value, const Dimension& dimension) const {
  const Quotient unit = unit_in_si(*this, dimension);
  return value * unit.numerator / unit.denominator;
}

std::string UnitSystem::text(std::string_view si_units) const {
  const auto renamed = [&](std::string_view word) {
    if (word == "m") return length_name;
    if (word == "kg") return mass_name;
    if (word == "s") return time_name;
    if (word == "N") return force_name;
    if (word == "Pa") return pressure_name;
    if (word == "J") return energy_name;
    return word;
  };
  std::string result;
  for (std::size_t i = 0; i < si_units.size();) {
    std::size_t end = i;
    while (end < si_units.size() && is_letter(si_units[end])) ++end;
    if (end == i) ++end;
    result += renamed(si_units.substr(i, end - i));
    i = end;
  }
  return result;
}

std::string UnitSystem::message(std::string_view text_with_si_units) const {
  std::string result;
  for (std::size_t i = 0; i < text_with_si_units.size(); ++i) {
    result += text_with_si_units[i];
    if (i == 0 || text_with_si_units[i] != ' ' || !is_digit(text_with_si_units[i - 1])) continue;
    const std::size_t num_letters = length_of_units(text_with_si_units.substr(i + 1));
    result += text(text_with_si_units.substr(i + 1, num_letters));
    i += num_letters;
  }
  return result;
}

const UnitSystem& unit_system(UnitSystemName name) {
  return systems.at(static_cast<std::size_t>(name));
}

const UnitSystem* find_unit_system(std::string_view name) {
  const auto* found =
      std::find_if(systems.begin(), systems.end(), [&](const UnitSystem& units) { return units.name == name; });
  return found == systems.end() ? nullptr : found;
}

}  // namespace clearance
