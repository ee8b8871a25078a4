#include "clearance/optimise/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "clearance/math/elementary.h"

namespace clearance::optimise {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

/// Reads a formula by recursive descent: a function for each level of precedence.
class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) : text_(text) {}

  /// Reads all of the text; `problem` tells what is wrong.
  Formula read(std::string& problem) {
    sum();
    skip_blanks();
    if (problem_.empty() && at_ < text_.size()) fail("expected an operator or the end");
    problem = problem_;
    return std::move(formula_);
  }

 private:
  using Operation = Formula::Operation;
  using Function = Formula::Function;
  static constexpr int most_levels = 200;  // of parentheses, so that no text exhausts the stack

  void fail(const std::string& why) {
    if (problem_.empty()) problem_ = fmt::format("at character {}: {}", at_ + 1, why);
    at_ = text_.size();
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void add(Operation operation) { formula_.program_.push_back({operation}); }

  void sum() {
    product();
    while (problem_.empty()) {
      const bool is_plus = take('+');
      if (!is_plus && !take('-')) return;
      product();
      add(is_plus ? Operation::add : Operation::subtract);
    }
  }
  void product() {
    sign();
    while (problem_.empty()) {
      const bool is_times = take('*');
      if (!is_times && !take('/')) return;
      sign();
      add(is_times ? Operation::multiply : Operation::divide);
    }
  }
  /// A sign binds less than a power: -x^2 is -(x^2), and x^-2 is a power, too.
  void sign() {
    bool is_negative = false;
    while (problem_.empty()) {
      if (take('-')) {
        is_negative = !is_negative;
      } else if (!take('+')) {
        break;
      }
    }
    power();
    if (is_negative) add(Operation::negate);
  }
  /// Powers are taken from the right: 2^3^2 is 2^9.
  void power() {
    atom();
    if (!problem_.empty() || !take('^')) return;
    enter();
    sign();
    --level_;
    add(Operation::power);
  }
  void enter() {
    if (++level_ > most_levels) fail("too many parentheses or powers within each other");
  }
  void atom() {
    skip_blanks();
    if (!problem_.empty()) return;
    if (at_ >= text_.size()) return fail("expected a number, a name or `(`");
    if (take('(')) {
      enter();
      sum();
      --level_;
      if (problem_.empty() && !take(')')) fail("expected `)`");
      return;
    }
    if (is_letter(text_[at_])) return name();
    number();
  }
  void number() {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) return fail("expected a number, a name or `(`");
    at_ = static_cast<std::size_t>(end - text_.data());
    formula_.program_.push_back({Operation::number, value});
  }
  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    if (take('(')) return call(name, begin);
    if (name == "pi") return formula_.program_.push_back({Operation::number, std::numbers::pi});
    auto& names = formula_.names_;
    const auto found = std::find(names.begin(), names.end(), name);
    formula_.program_.push_back({Operation::name, 0.0, static_cast<std::size_t>(found - names.begin())});
    if (found == names.end()) names.push_back(name);
  }
  /// A function of one number, or min and max of two.
  void call(const std::string& name, std::size_t begin) {
    static constexpr std::array<std::pair<std::string_view, Function>, 7> functions = {{{"sqrt", Function::sqrt},
                                                                                        {"exp", Function::exp},
                                                                                        {"log", Function::log},
                                                                                        {"abs", Function::abs},
                                                                                        {"sin", Function::sin},
                                                                                        {"cos", Function::cos},
                                                                                        {"tan", Function::tan}}};
    const auto* const found =
        std::find_if(functions.begin(), functions.end(), [&](const auto& function) { return function.first == name; });
    const bool has_two = name == "min" || name == "max";
    if (found == functions.end() && !has_two) {
      at_ = begin;
      return fail(
          fmt::format("there is no function `{}`; expected sqrt, exp, log, abs, sin, cos, tan, min or max", name));
    }
    enter();
    sum();
    if (has_two) {
      if (problem_.empty() && !take(',')) fail("expected `,` and a second number");
      sum();
    }
    --level_;
    if (problem_.empty() && !take(')')) return fail("expected `)`");
    if (has_two) return add(name == "min" ? Operation::min : Operation::max);
    if (found != functions.end()) formula_.program_.push_back({Operation::call, 0.0, 0, found->second});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int level_ = 0;
  std::string problem_;
  Formula formula_;
};

Result<Formula> Formula::parse(const std::string& text, const std::string& place) {
  std::string problem;
  Formula formula = FormulaParser(text).read(problem);
  if (!problem.empty()) return Issue{"", place, text, "not a formula: " + problem};
  return formula;
}

Derived Formula::call(Function function, const Derived& a) {
  const auto with = [&](double value, double slope) { return Derived{value, slope * a.slope}; };
  switch (function) {
    case Function::sqrt: {
      const double root = std::sqrt(a.value);
      return with(root, 0.5 / root);
    }
    case Function::exp: {
      const double value = elementary::exp(a.value);
      return with(value, value);
    }
    case Function::log:
      return with(elementary::log(a.value), 1.0 / a.value);
    case Function::abs:
      return with(std::abs(a.value), a.value < 0.0 ? -1.0 : 1.0);
    case Function::sin:
      return with(elementary::sin(a.value), elementary::cos(a.value));
    case Function::cos:
      return with(elementary::cos(a.value), -elementary::sin(a.value));
    case Function::tan: {
      const double value = elementary::tan(a.value);
      return with(value, 1.0 + value * value);
    }
  }
  return a;
}

Derived Formula::combine(Operation operation, const Derived& a, const Derived& b) {
  switch (operation) {
    case Operation::add:
      return {a.value + b.value, a.slope + b.slope};
    case Operation::subtract:
      return {a.value - b.value, a.slope - b.slope};
    case Operation::multiply:
      return {a.value * b.value, b.value * a.slope + a.value * b.slope};
    case Operation::divide:
      return {a.value / b.value, (a.slope - a.value / b.value * b.slope) / b.value};
    case Operation::power: {
      const double value = elementary::pow(a.value, b.value);
      VecX slope = b.value == 0.0 ? VecX::Zero(a.slope.size()).eval()
                                  : VecX(b.value * elementary::pow(a.value, b.value - 1.0) * a.slope);
      // A constant exponent allows a base that is not positive.
      if (!b.slope.isZero(0.0)) slope += value * elementary::log(a.value) * b.slope;
      return {value, std::move(slope)};
    }
    case Operation::min:
      return a.value <= b.value ? a : b;
    case Operation::max:
      return a.value >= b.value ? a : b;
    default:
      return a;
  }
}

Derived Formula::evaluate(std::span<const Derived> values, Eigen::Index num_parameters) const {
  std::vector<Derived> stack;
  for (const Instruction& instruction : program_) {
    switch (instruction.operation) {
      case Operation::number:
        stack.push_back({instruction.number, VecX::Zero(num_parameters)});
        break;
      case Operation::name:
        stack.push_back(values[instruction.name]);
        break;
      case Operation::negate:
        stack.back() = {-stack.back().value, -stack.back().slope};
        break;
      case Operation::call:
        stack.back() = call(instruction.function, stack.back());
        break;
      default: {
        const Derived second = std::move(stack.back());
        stack.pop_back();
        stack.back() = combine(instruction.operation, stack.back(), second);
      }
    }
  }
  return std::move(stack.back());
}

}  // namespace clearance::optimise
