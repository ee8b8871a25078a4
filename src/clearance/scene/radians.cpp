#include "clearance/scene/radians.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

namespace clearance {

namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// True for functions that return one of their arguments, up to its sign; other functions return a different quantity.
bool hands_on(std::string_view function) {
  return function == "min" || function == "max" || function == "abs";
}
/// True for functions whose values are radians, which a factor with pi scales.
bool is_inverse(std::string_view function) {
  return function.starts_with("asin") || function.starts_with("acos") || function.starts_with("atan");
}
/// True for numbers that show that the formula converts to degrees.
bool is_conversion(double number) {
  return number == 180.0 || number == 360.0 || std::abs(number - 180.0 / std::numbers::pi) < 0.01;
}

/// Reads a formula from left to right and notes what its value consists of.
class Scan {
 public:
  explicit Scan(std::string_view formula) : formula_(formula) {
    while (at_ < formula_.size()) step();
  }
  bool has_radians() const { return has_radians_ && !converts_; }

 private:
  void step() {
    const char c = formula_[at_];
    if (is_letter(c)) return read_name();
    if (is_digit(c) || (c == '.' && at_ + 1 < formula_.size() && is_digit(formula_[at_ + 1]))) return read_number();
    if (c == '(') is_inside_.push_back(is_inside());
    if (c == ')' && !is_inside_.empty()) is_inside_.pop_back();
    if (std::isspace(static_cast<unsigned char>(c)) == 0) last_ = c;
    ++at_;
  }

  void read_name() {
    const std::size_t first = at_;
    while (at_ < formula_.size() && (is_letter(formula_[at_]) || is_digit(formula_[at_]))) ++at_;
    const std::string_view name = formula_.substr(first, at_ - first);
    while (at_ < formula_.size() && std::isspace(static_cast<unsigned char>(formula_[at_])) != 0) ++at_;
    if (at_ < formula_.size() && formula_[at_] == '(') {
      if (is_inverse(name)) converts_ = true;
      is_inside_.push_back(is_inside() || !hands_on(name));
      last_ = '(';
      ++at_;
      return;
    }
    if (name == "pi" && !is_inside() && last_ != '/') has_radians_ = true;
    last_ = 'a';
  }

  void read_number() {
    const std::string rest(formula_.substr(at_));
    char* end = nullptr;
    const double number = std::strtod(rest.c_str(), &end);
    at_ += end - rest.c_str();
    if (is_conversion(number)) converts_ = true;
    if (!is_inside() && looks_like_radians(number)) has_radians_ = true;
    last_ = '0';
  }

  /// True inside the arguments of a function that returns a different quantity.
  bool is_inside() const { return !is_inside_.empty() && is_inside_.back(); }

  std::string_view formula_;
  std::size_t at_ = 0;
  char last_ = '(';              // the last token: a character, or a for names, 0 for numbers
  std::vector<bool> is_inside_;  // per open parenthesis
  bool has_radians_ = false, converts_ = false;
};

}  // namespace

bool looks_like_radians(double angle) {
  constexpr double step = std::numbers::pi / 12.0, largest = 8.0 * std::numbers::pi;
  const double multiple = std::round(angle / step);
  return multiple != 0.0 && std::abs(angle) <= largest && std::abs(angle - multiple * step) <= 1e-5 * std::abs(angle);
}

bool looks_like_radians(std::string_view formula) {
  return Scan(formula).has_radians();
}

}  // namespace clearance
