#include "clearance/optimise/formula.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace clearance::optimise {
namespace {

/// Evaluates a formula of x and y, which are both parameters.
Derived at(const std::string& text, double x, double y) {
  const Result<Formula> formula = Formula::parse(text, "");
  EXPECT_TRUE(formula) << text;
  if (!formula) return {0.0, VecX::Zero(2)};
  std::vector<Derived> values;
  for (const std::string& name : formula->names()) {
    values.push_back(name == "x" ? Derived{x, VecX::Unit(2, 0)} : Derived{y, VecX::Unit(2, 1)});
  }
  return formula->evaluate(values, 2);
}

TEST(Formula, OperatorsBindAsInMathematics) {
  EXPECT_EQ(at("2+3*4", 0, 0).value, 14.0);
  EXPECT_EQ(at("(2+3)*4", 0, 0).value, 20.0);
  EXPECT_EQ(at("10-3-2", 0, 0).value, 5.0);
  EXPECT_EQ(at("16/4/2", 0, 0).value, 2.0);
  EXPECT_EQ(at("-2^2", 0, 0).value, -4.0);
  EXPECT_EQ(at("2^3^2", 0, 0).value, 512.0);
  EXPECT_EQ(at("2^-1", 0, 0).value, 0.5);
  EXPECT_EQ(at("3 - -x", 4, 0).value, 7.0);
  EXPECT_EQ(at("1.5e2 + .5", 0, 0).value, 150.5);
  EXPECT_EQ(at("min(x, y) + 10 * max(x, y)", 2, 3).value, 32.0);
  EXPECT_EQ(at("(x)^2", -3, 0).value, 9.0);
}

TEST(Formula, DerivativesAgreeWithDifferences) {
  const std::vector<std::string> texts = {
      "x + 2*y - x*y", "x / y",    "x^3 + y^-2",   "x^y",       "sqrt(x) * exp(y)", "log(x) / y^2",
      "sin(x)*cos(y)", "tan(x*y)", "abs(x - 2*y)", "min(x, y)", "max(x, 3*y)",      "-(x - y)^2 / (1 + x*x)"};
  const double x = 0.7, y = 0.4, h = 1e-5;
  for (const std::string& text : texts) {
    const VecX slope = at(text, x, y).slope;
    EXPECT_GT(slope.norm(), 0.0) << text;
    // The error of the differences grows with the third derivative, as h^2.
    const double error = 1e-8 * (1.0 + slope.norm());
    EXPECT_NEAR(slope[0], (at(text, x + h, y).value - at(text, x - h, y).value) / (2.0 * h), error) << text;
    EXPECT_NEAR(slope[1], (at(text, x, y + h).value - at(text, x, y - h).value) / (2.0 * h), error) << text;
  }
}

TEST(Formula, NamesAreThoseOfColumns) {
  const Result<Formula> formula = Formula::parse("tip.x * _a1 + tip.x", "");
  ASSERT_TRUE(formula);
  EXPECT_EQ(formula->names(), (std::vector<std::string>{"tip.x", "_a1"}));
}

TEST(Formula, WhatIsNoFormulaIsToldWithItsPlace) {
  const auto problem = [](const std::string& text) {
    const Result<Formula> formula = Formula::parse(text, "objective");
    return formula ? std::string() : formula.issues().front().message;
  };
  EXPECT_NE(problem("2 +").find("at character 4: expected a number, a name or `(`"), std::string::npos);
  EXPECT_NE(problem("(x").find("expected `)`"), std::string::npos);
  EXPECT_NE(problem("x y").find("at character 3: expected an operator"), std::string::npos);
  EXPECT_NE(problem("1 + sine(x)").find("at character 5: there is no function `sine`"), std::string::npos);
  EXPECT_NE(problem("max(x)").find("expected `,`"), std::string::npos);
  EXPECT_NE(problem("").find("expected a number"), std::string::npos);
  EXPECT_NE(problem("1e999").find("expected a number"), std::string::npos);
  EXPECT_NE(problem("x + 'y'").find("at character 5"), std::string::npos);
  // A text of parentheses alone may not exhaust the stack.
  EXPECT_NE(problem(std::string(100000, '(')).find("too many parentheses"), std::string::npos);
  std::string powers = "x";
  for (int k = 0; k < 100000; ++k) powers += "^x";
  EXPECT_NE(problem(powers).find("too many parentheses or powers"), std::string::npos);
}

}  // namespace
}  // namespace clearance::optimise
