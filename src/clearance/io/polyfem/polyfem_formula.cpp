#include "clearance/io/polyfem/polyfem_formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <vector>

namespace clearance {
namespace {

struct Function {
  const char* name;
  std::size_t num_arguments;
  const char* native;  ///< {0}, {1}, ... are the arguments, each in brackets
};

// Functions of TinyExpr with their native forms; fac, ncr and npr have none.
constexpr Function functions[] = {
    {"abs", 1, "abs({0})"},
    {"acos", 1, "acos({0})"},
    {"asin", 1, "asin({0})"},
    {"atan", 1, "atan({0})"},
    {"atan2", 2, "atan2({0}, {1})"},
    {"ceil", 1, "ceil({0})"},
    {"cos", 1, "cos({0})"},
    {"cosh", 1, "cosh({0})"},
    {"exp", 1, "exp({0})"},
    {"floor", 1, "floor({0})"},
    {"ln", 1, "log({0})"},
    {"log", 1, "log10({0})"},
    {"log10", 1, "log10({0})"},
    {"pow", 2, "({0} ^ {1})"},
    {"sin", 1, "sin({0})"},
    {"sinh", 1, "sinh({0})"},
    {"sqrt", 1, "sqrt({0})"},
    {"tan", 1, "tan({0})"},
    {"tanh", 1, "tanh({0})"},
    {"min", 2, "min({0}, {1})"},
    {"max", 2, "max({0}, {1})"},
    {"deg2rad", 1, "({0} * pi / 180)"},
    {"rotate_2D_x", 3, "({0} * cos({2}) - {1} * sin({2}))"},
    {"rotate_2D_y", 3, "({0} * sin({2}) + {1} * cos({2}))"},
    {"smooth_abs", 2, "(tanh({1} * {0}) * {0})"},
    {"if", 3, "({0} >= 0 ? {1} : {2})"},
    {"compare", 2, "({0} < {1} ? 1 : 0)"},
    {"sign", 1, "({0} > 0 ? 1 : ({0} < 0 ? -1 : 0))"},
};

// Translator by recursive descent over the grammar of TinyExpr, in which signs bind more tightly than powers, and
// powers are evaluated from the left.
class Translator {
 public:
  Translator(const std::string& text, const std::string& time) : text_(text), time_(time) {}

  Result<std::string> run() {
    std::string formula = sum();
    if (problem_.empty() && !at_end()) fail("expected an operator");
    if (problem_.empty()) return formula;
    return Issue{"", "", text_, problem_};
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string fail(const std::string& problem) {
    if (problem_.empty()) problem_ = fmt::format("this is not a formula: {} at character {}", problem, at_ + 1);
    return "0";
  }

  std::string sum() {
    std::string left = product();
    while (problem_.empty()) {
      if (take('+')) {
        left = fmt::format("{} + {}", left, product());
      } else if (take('-')) {
        left = fmt::format("{} - {}", left, product());
      } else {
        break;
      }
    }
    return left;
  }
  std::string product() {
    std::string left = power();
    while (problem_.empty()) {
      if (take('*')) {
        left = fmt::format("{} * {}", left, power());
      } else if (take('/')) {
        left = fmt::format("{} / {}", left, power());
      } else if (take('%')) {
        left = fmt::format("mod({}, {})", left, power());
      } else {
        break;
      }
    }
    return left;
  }
  std::string power() {
    std::string base = signed_value();
    while (problem_.empty() && take('^')) base = fmt::format("({} ^ {})", base, signed_value());
    return base;
  }
  std::string signed_value() {
    bool is_negative = false, has_sign = false;
    while (true) {
      if (take('-')) {
        is_negative = !is_negative;
      } else if (!take('+')) {
        break;
      }
      has_sign = true;
    }
    const std::string value = this->value();
    return has_sign && is_negative ? fmt::format("(-{})", value) : value;
  }
  std::string value() {
    if (++depth_ > max_depth) return fail("too many brackets");
    std::string result;
    if (take('(')) {
      result = fmt::format("({})", sum());
      if (!take(')')) fail("expected `)`");
    } else if (!at_end() && (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.')) {
      result = number();
    } else if (!at_end() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0) {
      result = named();
    } else {
      result = fail("expected a number, a name or `(`");
    }
    --depth_;
    return result;
  }
  std::string number() {
    char* end = nullptr;
    const char* begin = text_.c_str() + at_;
    (void)std::strtod(begin, &end);
    std::string digits(begin, static_cast<const char*>(end));
    at_ += digits.size();
    return digits.empty() ? fail("expected a number") : digits;
  }
  std::string named() {
    const std::size_t begin = at_;
    const auto is_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    while (at_ < text_.size() && is_of_name(text_[at_])) ++at_;
    const std::string name = text_.substr(begin, at_ - begin);
    if (name == "t") return time_;
    if (name == "x" || name == "y" || name == "z") return name;
    if (name == "pi" || name == "e") {
      if (take('(') && !take(')')) fail("expected `)`");
      return name;
    }
    const auto* found = std::find_if(std::begin(functions), std::end(functions),
                                     [&](const Function& function) { return name == function.name; });
    if (found != std::end(functions)) return call(*found);
    at_ = begin;
    return fail(fmt::format("unknown name `{}`", name));
  }
  std::string call(const Function& function) {
    std::vector<std::string> arguments;
    if (function.num_arguments == 1 && (at_end() || text_[at_] != '(')) {
      arguments.push_back(fmt::format("({})", signed_value()));  // `sin x`
    } else {
      if (!take('(')) return fail(fmt::format("expected `(` after `{}`", function.name));
      do {
        arguments.push_back(fmt::format("({})", sum()));
      } while (problem_.empty() && take(','));
      if (!take(')')) return fail("expected `)`");
    }
    if (arguments.size() != function.num_arguments) {
      return fail(fmt::format("`{}` has {} argument{}, not {}", function.name, function.num_arguments,
                              function.num_arguments == 1 ? "" : "s", arguments.size()));
    }
    std::string text = function.native;
    for (std::size_t i = 0; i < arguments.size(); ++i) replace_all(text, fmt::format("{{{}}}", i), arguments[i]);
    return text;
  }
  static void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
      text.replace(at, what.size(), with);
    }
  }

  static constexpr int max_depth = 64;

  const std::string& text_;
  const std::string& time_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string problem_;
};

}  // namespace

Result<std::string> native_formula(const std::string& formula, const std::string& time) {
  return Translator(formula, time).run();
}

}  // namespace clearance
