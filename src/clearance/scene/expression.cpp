#include "clearance/scene/expression.h"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>

#include "clearance/math/elementary.h"
#include "clearance/scene/json.h"

namespace clearance {
namespace {

struct Function {
  const char* name;
  double (*call)(double);
};
constexpr Function functions[] = {
    {"sin", elementary::sin},   {"cos", elementary::cos},   {"tan", elementary::tan},   {"asin", elementary::asin},
    {"acos", elementary::acos}, {"atan", elementary::atan}, {"sinh", elementary::sinh}, {"cosh", elementary::cosh},
    {"tanh", elementary::tanh}, {"exp", elementary::exp},   {"log", elementary::log},   {"log10", elementary::log10},
    {"sqrt", std::sqrt},        {"abs", std::fabs},         {"floor", std::floor},      {"ceil", std::ceil}};

struct Function2 {
  const char* name;
  double (*call)(double, double);
};
constexpr Function2 functions2[] = {
    {"atan2", elementary::atan2}, {"min", std::fmin}, {"max", std::fmax}, {"mod", std::fmod}};

/// Variables that a formula may depend on.
enum class Variables { time, time_and_point };

std::string known_names(Variables variables, const Controls& controls) {
  std::string text = variables == Variables::time ? "t, pi, e" : "t, x, y, z, pi, e";
  for (const Function& function : functions) text += fmt::format(", {}", function.name);
  for (const Function2& function : functions2) text += fmt::format(", {}", function.name);
  for (const std::string& name : controls.names) text += fmt::format(", {}", name);
  return text;
}

/// Replaces `^` by a sign that the parser does not know, defined with the same precedence. The parser's own `^` would
/// call the library's `pow`, whose bits depend on the processor.
constexpr char power_sign = '#';

std::string with_own_power(std::string text) {
  std::replace(text.begin(), text.end(), '^', power_sign);
  return text;
}

/// True if the text has a single `=`, with which the parser would write to a variable.
bool has_assignment(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    const bool ends_comparison = i > 0 && std::string("=<>!").find(text[i - 1]) != std::string::npos;
    const bool starts_comparison = i + 1 < text.size() && text[i + 1] == '=';
    if (!ends_comparison && !starts_comparison) return true;
  }
  return false;
}

/// Names a value that is not finite.
const char* kind_of(double value) {
  return std::isnan(value) ? "not a number" : "infinite";
}

/// One formula. No exception leaves it.
class Formula {
 public:
  Formula(const std::string& text, const Controls& controls, Variables variables)
      : text_(text), controls_(controls), variables_(variables) {
    parser_.ClearFun();
    parser_.ClearConst();
    for (const Function& function : functions) parser_.DefineFun(function.name, function.call);
    for (const Function2& function : functions2) parser_.DefineFun(function.name, function.call);
    parser_.DefineOprt(std::string(1, power_sign), elementary::pow, mu::prPOW, mu::oaRIGHT);
    parser_.DefineConst("pi", M_PI);
    parser_.DefineConst("e", M_E);
    parser_.DefineVar("t", &t);
    for (std::size_t k = 0; k < controls.names.size(); ++k) parser_.DefineVar(controls.names[k], &controls_.values[k]);
    if (variables == Variables::time) return;
    parser_.DefineVar("x", &point[0]);
    parser_.DefineVar("y", &point[1]);
    parser_.DefineVar("z", &point[2]);
  }

  /// Compiles the text. Returns its problem, or an empty text.
  std::string compile() {
    if (text_.find_first_not_of(" \t\n") == std::string::npos)
      return "the formula is empty; expected a formula such as `sin(t)`";
    if (has_assignment(text_)) return "the formula has a single `=`; write a comparison as `==`";
    if (text_.find(power_sign) != std::string::npos) return "the formula has a `#`, which has no meaning";
    try {
      parser_.SetExpr(with_own_power(text_));
      const double value = parser_.Eval();
      if (parser_.GetNumResults() != 1) return "the formula has a comma outside of a function; expected one formula";
      // Other formulas may be finite at all times and points at which they are needed.
      if (!std::isfinite(value) && parser_.GetUsedVar().empty()) {
        return fmt::format("the value is {}; expected a finite number", kind_of(value));
      }
      return "";
    } catch (const mu::ParserError& error) {
      return describe(error);
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  /// Returns the value; not a number if the parser fails, which does not happen after it has compiled.
  double value() {
    try {
      return parser_.Eval();
    } catch (...) {
      return std::nan("");
    }
  }

  double t = 0.0;                 ///< [s]
  Vec<3> point = Vec<3>::Zero();  ///< [m]

  /// True if the formula was made of the same text for controls of the same names.
  bool is_of(const std::string& text, const Controls& controls, Variables variables) const {
    return variables_ == variables && text_ == text && controls_.names == controls.names;
  }
  void set_controls(const std::vector<double>& values) {
    std::copy(values.begin(), values.end(), controls_.values.begin());
  }

 private:
  std::string describe(const mu::ParserError& error) const {
    // The parser takes our own sign for a name where an operator is not possible.
    if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN && error.GetToken().starts_with(power_sign)) {
      return fmt::format("this is not a formula: Unexpected operator \"^\" at character {}", error.GetPos() + 1);
    }
    if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN) {
      return fmt::format("unknown name `{}` at character {}; known are {}", error.GetToken(), error.GetPos() + 1,
                         known_names(variables_, controls_));
    }
    // The message is the parser's, without its end, because the parser counts characters from 0.
    std::string words = error.GetMsg();
    for (const char* end : {" found at position", " at expression position", " at position"}) {
      words = words.substr(0, words.find(end));
    }
    while (!words.empty() && std::string(".! ").find(words.back()) != std::string::npos) words.pop_back();
    std::replace(words.begin(), words.end(), power_sign, '^');
    const int position = std::min(error.GetPos() + 1, static_cast<int>(text_.size()));
    return fmt::format("this is not a formula: {} at character {}", words, std::max(1, position));
  }

  std::string text_;
  Controls controls_;  // a copy, because the parser requires variables that it can write
  Variables variables_;
  mu::Parser parser_;
};

/// Formula that has compiled, or its problem.
struct CompiledFormula {
  Formula* formula = nullptr;
  std::string problem;
};

/// Returns the compiled formula with the values of the controls. Each thread keeps its formulas, because steps evaluate
/// the same ones again and again: compiling three of them takes longer than a step of two rigid boxes needs for its
/// broad phase. The formula is valid until the next call of the thread.
CompiledFormula compile(const std::string& text, const Controls& controls, Variables variables) {
  constexpr std::size_t most_formulas = 1024;
  thread_local std::unordered_multimap<std::string, std::unique_ptr<Formula>> formulas;
  const auto [begin, end] = formulas.equal_range(text);
  const auto known =
      std::find_if(begin, end, [&](const auto& entry) { return entry.second->is_of(text, controls, variables); });
  if (known != end) {
    known->second->set_controls(controls.values);
    return {known->second.get(), ""};
  }
  auto formula = std::make_unique<Formula>(text, controls, variables);
  if (std::string problem = formula->compile(); !problem.empty()) return {nullptr, std::move(problem)};
  if (formulas.size() >= most_formulas) formulas.clear();
  return {formulas.emplace(text, std::move(formula))->second.get(), ""};
}

}  // namespace

Issues check_expressions(const Expressions& formulas, const std::string& place, const Controls& controls) {
  Issues issues;
  for (std::size_t i = 0; i < formulas.size(); ++i) {
    const std::string problem = Formula(formulas[i], controls, Variables::time_and_point).compile();
    if (!problem.empty()) issues.push_back({"", element_path(place, i), formulas[i], problem});
  }
  return issues;
}

Result<std::vector<Vec<3>>> evaluate(const Expressions& formulas, const std::string& place, double t,
                                     std::span<const Vec<3>> points, const Controls& controls) {
  return evaluate(formulas, place, std::span<const double>(&t, 1), points, controls);
}

Result<std::vector<Vec<3>>> evaluate(const Expressions& formulas, const std::string& place,
                                     std::span<const double> times, std::span<const Vec<3>> points,
                                     const Controls& controls) {
  std::vector<Vec<3>> values(times.size() * points.size());
  for (std::size_t i = 0; i < formulas.size(); ++i) {
    const auto [formula, problem] = compile(formulas[i], controls, Variables::time_and_point);
    if (formula == nullptr) return Issue{"", element_path(place, i), formulas[i], problem};
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double t = formula->t = times[k / points.size()];
      const std::size_t p = k % points.size();
      formula->point = points[p];
      const double value = formula->value();
      values[k][static_cast<Eigen::Index>(i)] = value;
      if (std::isfinite(value)) continue;
      const std::string where =
          fmt::format("t = {:g} s, ({:g}, {:g}, {:g})", t, points[p][0], points[p][1], points[p][2]);
      return Issue{"", element_path(place, i), formulas[i],
                   fmt::format("the value is {} at {}; expected a finite number", kind_of(value), where)};
    }
  }
  return values;
}

Issues check_time_formula(const std::string& formula, const std::string& place, const Controls& controls) {
  const std::string problem = Formula(formula, controls, Variables::time).compile();
  return problem.empty() ? Issues{} : Issues{{"", place, formula, problem}};
}

Result<double> evaluate_time_formula(const std::string& formula, const std::string& place, double t,
                                     const Controls& controls) {
  const auto [compiled, problem] = compile(formula, controls, Variables::time);
  if (compiled == nullptr) return Issue{"", place, formula, problem};
  compiled->t = t;
  const double value = compiled->value();
  if (std::isfinite(value)) return value;
  return Issue{"", place, formula,
               fmt::format("the value is {} at t = {:g} s; expected a finite number", kind_of(value), t)};
}

Controls controls_of(const SceneDesc& scene) {
  Controls controls;
  for (const ControlDesc& control : scene.controls) {
    const bool is_taken = std::find(controls.names.begin(), controls.names.end(), control.name) != controls.names.end();
    if (is_taken || !problem_of_control_name(control.name).empty()) continue;
    controls.names.push_back(control.name);
    controls.values.push_back(control.value);
  }
  return controls;
}

std::string problem_of_control_name(const std::string& name) {
  const auto is_letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_sign = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  if (name.empty() || !is_letter(name[0]) || !std::all_of(name.begin(), name.end(), is_sign)) {
    return "expected letters, digits and _, beginning with a letter";
  }
  const auto is_it = [&](const auto& function) { return name == function.name; };
  constexpr std::array variables = {"t", "x", "y", "z", "pi", "e"};
  const bool is_known = std::find(variables.begin(), variables.end(), name) != variables.end() ||
                        std::any_of(std::begin(functions), std::end(functions), is_it) ||
                        std::any_of(std::begin(functions2), std::end(functions2), is_it);
  return is_known ? "formulas already use this name for something else; choose another one" : "";
}

}  // namespace clearance
