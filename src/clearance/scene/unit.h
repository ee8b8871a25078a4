// Units of the field table. A unit is read when the program is compiled, so that a wrong one does not compile; what it
// says of length, mass and time converts the default of the field to the unit system of a scene.
#pragma once

#include <array>
#include <string_view>

#include "clearance/base/unit_system.h"

namespace clearance {

namespace unit_text {

struct NamedUnit {
  std::string_view name;
  Dimension dimension;
};
/// Units of SI, and those without a dimension: degrees, and l, the size of a scene or body.
inline constexpr std::array<NamedUnit, 10> known = {{{"m", dimension::length},
                                                     {"kg", dimension::mass},
                                                     {"s", dimension::time},
                                                     {"N", dimension::force},
                                                     {"Pa", dimension::pressure},
                                                     {"J", dimension::energy},
                                                     {"deg", {}},
                                                     {"rad", {}},
                                                     {"l", {}},
                                                     {"1", {}}}};
/// Texts in place of a unit.
inline constexpr std::array<std::string_view, 6> phrases = {"", "path", "steps", "as frame", "as value", "m per unit"};

constexpr std::string_view until(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? text : text.substr(0, at);
}

/// Returns the dimension of a product such as `N m s/rad`: a space multiplies, a slash divides by the next factor.
constexpr Dimension of_product(std::string_view text) {
  Dimension sum;
  int sign = 1;
  while (!text.empty()) {
    std::size_t end = text.find_first_of(" /");
    if (end == std::string_view::npos) end = text.size();
    const std::string_view factor = text.substr(0, end), name = until(factor, "^");
    int power = sign;
    if (name.size() < factor.size()) {
      if (factor.size() != name.size() + 2 || factor.back() < '2' || factor.back() > '9') throw "a power is ^2 to ^9";
      power *= factor.back() - '0';
    }
    bool is_known = false;
    for (const NamedUnit& unit : known) {
      if (unit.name != name) continue;
      is_known = true;
      sum.length += power * unit.dimension.length;
      sum.mass += power * unit.dimension.mass;
      sum.time += power * unit.dimension.time;
    }
    if (!is_known) throw "unknown unit";
    if (end == text.size()) break;
    sign = text[end] == '/' ? -1 : 1;
    text = text.substr(end + 1);
    if (text.empty()) throw "a unit ends with an operator";
  }
  return sum;
}

/// Returns the dimension of the first of the alternatives `N m or N`, and reads all of them. A unit of 2D scenes may
/// follow in parentheses: a 2D body is a slice one unit of length deep.
constexpr Dimension of(std::string_view text) {
  for (const std::string_view phrase : phrases) {
    if (text == phrase) return {};
  }
  const std::string_view in_plane = " (2D: ";
  if (const std::string_view first = until(text, in_plane); first.size() < text.size()) {
    if (text.back() != ')') throw "a parenthesis is missing";
    const std::size_t start = first.size() + in_plane.size();
    of_product(text.substr(start, text.size() - start - 1));
    return of_product(first);
  }
  Dimension result;
  bool is_first = true;
  while (true) {
    std::string_view next = until(until(text, " or "), ", ");
    const Dimension found = of_product(next);
    if (is_first) result = found;
    is_first = false;
    if (next.size() == text.size()) return result;
    text = text.substr(next.size() + (text[next.size()] == ',' ? 2 : 4));
  }
}

}  // namespace unit_text

/// A unit of SI as the reference prints it, with the dimension of a default in it.
struct Unit {
  std::string_view text;
  Dimension dimension;

  // NOLINTNEXTLINE(google-explicit-constructor): the field table writes a plain text.
  consteval Unit(const char* unit) : text(unit), dimension(unit_text::of(unit)) {}
};

}  // namespace clearance
