// Formulas of named numbers with their derivatives: objectives and constraints of plans (docs/derivatives.md).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/math/types.h"

namespace clearance::optimise {

/// A number and its derivatives by the parameters of a search.
struct Derived {
  double value = 0.0;
  VecX slope;
};

/// Text with numbers, names, + - * / ^, parentheses, the constant pi, and the functions sqrt, exp, log (the natural
/// logarithm), abs, sin, cos, tan, min and max. A name begins with a letter or an underscore and goes on with digits
/// and points, too: `tip.y`.
class Formula {
 public:
  /// Compiles the text. Issues at `place`: what is wrong, with the character at which it occurs.
  static Result<Formula> parse(const std::string& text, const std::string& place);

  /// The names in the text, in the order of their first appearance, each once.
  const std::vector<std::string>& names() const { return names_; }
  /// Returns the formula at `values`, one for each name. Its value is not finite where it is not defined.
  Derived evaluate(std::span<const Derived> values, Eigen::Index num_parameters) const;

 private:
  friend class FormulaParser;

  enum class Operation { number, name, add, subtract, multiply, divide, power, negate, call, min, max };
  /// Functions of one number.
  enum class Function { sqrt, exp, log, abs, sin, cos, tan };
  /// An instruction for a stack: operands are taken from its top, and the result is put there.
  struct Instruction {
    Operation operation = Operation::number;
    double number = 0.0;
    std::size_t name = 0;
    Function function = Function::sqrt;
  };

  static Derived call(Function function, const Derived& a);
  static Derived combine(Operation operation, const Derived& a, const Derived& b);

  std::vector<Instruction> program_;
  std::vector<std::string> names_;
};

}  // namespace clearance::optimise
