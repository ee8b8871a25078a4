#include "clearance/scene/expression.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <thread>

#include "clearance/math/elementary.h"

namespace clearance {
namespace {

std::string problem(const std::string& formula) {
  const Issues issues = check_expressions({"0", formula, "0"}, "load.expression");
  return issues.empty() ? "" : to_string(issues.front());
}

double value(const std::string& formula, double t = 0.0, const Vec<3>& point = Vec<3>::Zero()) {
  const auto values = evaluate({"0", formula, "0"}, "here", t, std::array{point});
  EXPECT_TRUE(values) << formula;
  return values ? (*values)[0][1] : std::nan("");
}

TEST(Expression, KnowsVariablesConstantsFunctionsAndConditions) {
  const Vec<3> p(2, 3, 4);
  EXPECT_EQ(value("t + 10 * x + 100 * y + 1000 * z", 0.5, p), 4320.5);
  EXPECT_EQ(value("sin(2 * pi * t)", 0.3), elementary::sin(2 * M_PI * 0.3));
  EXPECT_EQ(value("log(e)"), 1.0);
  EXPECT_EQ(value("-x^2", 0, p), -4.0);
  EXPECT_EQ(value("x^y^x * x^-x + 2^0.5", 0, p), 128.0 + elementary::pow(2.0, 0.5));
  EXPECT_EQ(value("t < 1 ? x : y", 0.5, p), 2.0);
  EXPECT_EQ(value("t < 1 && x > 2 ? x : y", 0.5, p), 3.0);
  EXPECT_EQ(value("atan2(1, x) + min(x, y) + max(x, y) + mod(z, y)", 0, p), elementary::atan2(1, 2) + 2 + 3 + 1);
  EXPECT_EQ(value("1.5e-3"), 1.5e-3);
}

TEST(Expression, EveryPointHasItsOwnValue) {
  const std::vector<Vec<3>> points = {Vec<3>(1, 0, 0), Vec<3>(0, 1, 0), Vec<3>(0, 0, 1)};
  const auto values = evaluate({"x", "2 * y", "3 * z + t"}, "here", 7.0, points);
  ASSERT_TRUE(values);
  EXPECT_EQ((*values)[0], Vec<3>(1, 0, 7));
  EXPECT_EQ((*values)[1], Vec<3>(0, 2, 7));
  EXPECT_EQ((*values)[2], Vec<3>(0, 0, 10));
}

TEST(Expression, SeveralTimes_GiveTheValuesOfEachTimeByItself) {
  const Expressions formulas = {"sin(t) * x", "y + t^2", "z / (1 + t)"};
  const std::array<Vec<3>, 2> points = {Vec<3>(1, 2, 3), Vec<3>(-4, 5, 0.5)};
  const std::array<double, 3> times = {0.3, 0.0, 2.5};
  const auto all = evaluate(formulas, "here", times, points);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), times.size() * points.size());
  for (std::size_t k = 0; k < times.size(); ++k) {
    const auto alone = evaluate(formulas, "here", times[k], points);
    ASSERT_TRUE(alone);
    for (std::size_t p = 0; p < points.size(); ++p) EXPECT_EQ((*all)[k * points.size() + p], (*alone)[p]);
  }
  EXPECT_FALSE(evaluate({"1 / (t - 2.5)", "0", "0"}, "here", times, points));
}

TEST(Expression, ProblemsSayWhatIsWrongAndWhere) {
  EXPECT_EQ(problem("sin(t)"), "");
  EXPECT_TRUE(
      problem("sin(tt) + 1").starts_with("load.expression[1]: unknown name `tt` at character 5; known are t, "));
  EXPECT_EQ(problem("2 +* 3"),
            "load.expression[1]: this is not a formula: Unexpected operator \"*\" at character 4 (got 2 "
            "+* 3)");
  EXPECT_EQ(problem("sin(t"),
            "load.expression[1]: this is not a formula: Missing parenthesis at character 5 (got sin(t)");
  EXPECT_EQ(problem("t = 3"),
            "load.expression[1]: the formula has a single `=`; write a comparison as `==` (got t = 3)");
  EXPECT_EQ(problem("2 +^ 3"),
            "load.expression[1]: this is not a formula: Unexpected operator \"^\" at character 4 (got 2 "
            "+^ 3)");
  EXPECT_EQ(problem("2 # 3"), "load.expression[1]: the formula has a `#`, which has no meaning (got 2 # 3)");
  EXPECT_EQ(problem("1, 2"),
            "load.expression[1]: the formula has a comma outside of a function; expected one formula (got 1, 2)");
  EXPECT_EQ(problem("1 / 0"), "load.expression[1]: the value is infinite; expected a finite number (got 1 / 0)");
  EXPECT_EQ(problem("sqrt(-2)"),
            "load.expression[1]: the value is not a number; expected a finite number (got sqrt(-2))");
  // A formula of t may be finite at all times at which it is needed.
  EXPECT_EQ(problem("1 / t"), "");
  EXPECT_EQ(problem(" "), "load.expression[1]: the formula is empty; expected a formula such as `sin(t)` (got  )");
}

TEST(Expression, NothingThatIsTypedThrows) {
  for (const char* text : {"\"a\"",         "((((", "))",    "sin()",  "sin(1,2)", "atan2(1)", "1..2", "1e400", "?:",
                           "t ? 1",         "#",    "_pi",   "x(3)",   "sin",      "\xff\xfe", "1 2",  "t t",   "&&",
                           "1 ? 2 : 3 : 4", ",",    "min()", "x = = 1"}) {
    EXPECT_NE(problem(text), "") << text;
  }
  EXPECT_NE(problem(std::string(100000, '(')), "");
  EXPECT_NE(problem(std::string(100000, '-') + "1x"), "");
}

TEST(Expression, ValueThatIsNotFiniteNamesTimeAndPoint) {
  const auto values = evaluate({"0", "0", "1 / (t - x)"}, "bodies[0].loads[1].expression", 0.5,
                               std::array{Vec<3>(0, 0, 0), Vec<3>(0.5, 2, 0)});
  ASSERT_FALSE(values);
  EXPECT_EQ(to_string(values.issues().front()),
            "bodies[0].loads[1].expression[2]: the value is infinite at t = 0.5 s, (0.5, "
            "2, 0); expected a finite number (got 1 / (t - x))");
  EXPECT_FALSE(evaluate({"sqrt(-1)", "0", "0"}, "", 0, std::array{Vec<3>(0, 0, 0)}));
}

TEST(Expression, FormulasThatAreKeptHaveTheValuesOfNewOnes) {
  // The same text with other controls, other values and other variables, and more formulas than a thread keeps.
  const auto with = [](const Controls& controls, double t) {
    const Result<double> value = evaluate_time_formula("2 * a + t", "", t, controls);
    return value ? *value : std::nan("");
  };
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(with({{"a"}, {3.0}, {}}, 0.5), 6.5);
    EXPECT_EQ(with({{"a"}, {4.0}, {}}, 1.0), 9.0);
    EXPECT_EQ(with({{"b", "a"}, {7.0, 1.0}, {}}, 1.0), 3.0);
    EXPECT_FALSE(evaluate_time_formula("2 * a + t", "", 0.0, {{"b"}, {1.0}, {}}));
    EXPECT_EQ(value("x + t", 0.5, Vec<3>(2, 0, 0)), 2.5);
    EXPECT_FALSE(evaluate_time_formula("x + t", "", 0.5));
    EXPECT_FALSE(evaluate_time_formula("t +", "", 0.5));
    for (int k = 0; k < 1500; ++k) EXPECT_EQ(value(std::to_string(k) + " * t", 2.0), 2.0 * k);
  }
}

TEST(Expression, ThreadsDoNotDisturbEachOther) {
  std::vector<Vec<3>> points;
  for (int i = 0; i < 1000; ++i) points.emplace_back(0.1 * i, 1, 2);
  const Expressions formulas = {"sin(x) * t", "y + t", "cos(x * z)"};
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&, k] {
      for (int n = 0; n < 20; ++n) {
        const double t = k + 0.1 * n;
        const auto values = evaluate(formulas, "", t, points);
        for (std::size_t i = 0; i < points.size(); ++i) {
          const Vec<3> expected(elementary::sin(points[i][0]) * t, 1 + t, elementary::cos(points[i][0] * 2));
          if (!values || (*values)[i] != expected) ++wrong[k];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace clearance
