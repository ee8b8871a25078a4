// PolyFEM's formulas have the values that its parser gives them.
#include "clearance/io/polyfem/polyfem_formula.h"

#include <gtest/gtest.h>

#include <cmath>

#include "clearance/scene/expression.h"

namespace clearance {
namespace {

/// Evaluates the formula at t = 0.5, (x, y, z) = (2, 3, -4).
double value_of(const std::string& formula, const std::string& time = "t") {
  const Result<std::string> native = native_formula(formula, time);
  for (const Issue& issue : native.issues()) ADD_FAILURE() << to_string(issue);
  if (!native) return std::nan("");
  const std::vector<Vec<3>> points = {{2, 3, -4}};
  const auto values = evaluate({*native, "0", "0"}, "", 0.5, points);
  for (const Issue& issue : values.issues()) ADD_FAILURE() << formula << ": " << to_string(issue);
  return values ? (*values)[0][0] : std::nan("");
}

TEST(PolyfemFormula, HasTheValueThatItsParserGives) {
  EXPECT_EQ(value_of("1 + 2 * 3 - 4 / 2"), 5.0);
  EXPECT_EQ(value_of("8 - 3 - 2"), 3.0);
  EXPECT_EQ(value_of("16 / 4 / 2"), 2.0);
  EXPECT_EQ(value_of("2 ^ 3 ^ 2"), 64.0) << "from the left";
  EXPECT_EQ(value_of("-2 ^ 2"), 4.0) << "signs come first";
  EXPECT_EQ(value_of("2 ^ -1"), 0.5);
  EXPECT_EQ(value_of("--x"), 2.0);
  EXPECT_EQ(value_of("7 % 4 % 2"), 1.0);
  EXPECT_EQ(value_of("x*y+z*t"), 4.0);
  EXPECT_EQ(value_of("1e-3 * .5"), 5e-4);
  EXPECT_NEAR(value_of("pi + e + pi()"), 2 * M_PI + M_E, 1e-15);
  EXPECT_NEAR(value_of("log(100) + ln(e) + log10(10)"), 4.0, 1e-15) << "log is that to base 10";
  EXPECT_NEAR(value_of("sin x"), std::sin(2.0), 1e-15);
  EXPECT_NEAR(value_of("pow(x, y) + abs z + floor(2.5) + ceil 2.5"), 17.0, 1e-14);
  EXPECT_EQ(value_of("min(x, y) - max(x, y)"), -1.0);
  EXPECT_NEAR(value_of("deg2rad(180)"), M_PI, 1e-15);
  EXPECT_NEAR(value_of("rotate_2D_x(x, y, pi / 2)"), -3.0, 1e-14);
  EXPECT_NEAR(value_of("rotate_2D_y(x, y, pi / 2)"), 2.0, 1e-14);
  EXPECT_NEAR(value_of("smooth_abs(t - 0.95, 5)"), std::tanh(5 * -0.45) * -0.45, 1e-15);
  EXPECT_EQ(value_of("if(x - 2, 10, 20)"), 10.0) << "zero counts as true";
  EXPECT_EQ(value_of("if(t - 1, x, y)"), 3.0);
  EXPECT_EQ(value_of("compare(x, y) + 10 * compare(y, x)"), 1.0);
  EXPECT_EQ(value_of("sign(z) + sign(0) + sign(x)"), 0.0);
  EXPECT_NEAR(value_of("-x + y*sin(pi*t/5) + (x + 0.35)*cos(pi*t/5) - 0.35"),
              -2 + 3 * std::sin(M_PI / 10) + 2.35 * std::cos(M_PI / 10) - 0.35, 1e-15);
}

TEST(PolyfemFormula, CountsTimeFromAnotherStart) {
  EXPECT_EQ(value_of("2 * t ^ 2", "(t + 1)"), 4.5);
}

TEST(PolyfemFormula, SaysWhereItIsWrong) {
  const auto problem = [](const std::string& formula) { return to_string(native_formula(formula).issues().at(0)); };
  EXPECT_EQ(problem("1 + "), "this is not a formula: expected a number, a name or `(` at character 5 (got 1 + )");
  EXPECT_EQ(problem("(1"), "this is not a formula: expected `)` at character 3 (got (1)");
  EXPECT_EQ(problem("2 x"), "this is not a formula: expected an operator at character 3 (got 2 x)");
  EXPECT_EQ(problem("2 * foo(x)"), "this is not a formula: unknown name `foo` at character 5 (got 2 * foo(x))");
  EXPECT_EQ(problem("min(x)"), "this is not a formula: `min` has 2 arguments, not 1 at character 7 (got min(x))");
  EXPECT_EQ(problem("min x"), "this is not a formula: expected `(` after `min` at character 5 (got min x)");
  EXPECT_EQ(problem("."), "this is not a formula: expected a number at character 1 (got .)");
  EXPECT_EQ(problem(""), "this is not a formula: expected a number, a name or `(` at character 1");
  EXPECT_NE(problem(std::string(1000, '(')).find("too many brackets"), std::string::npos);
}

}  // namespace
}  // namespace clearance
