// The values of the runs.
#include "clearance/sweep/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace clearance::sweep {
namespace {

std::vector<Values> sample_of(const std::string& text) {
  const Result<Plan> plan = parse_plan(text, "plan.json");
  EXPECT_TRUE(plan);
  return plan ? sample(*plan) : std::vector<Values>{};
}

std::vector<Values> drawn(const std::string& kind, int count, int seed) {
  return sample_of(R"({"scene": "s.json", "sampling": {"kind": ")" + kind + R"(", "count": )" + std::to_string(count) +
                   R"(, "seed": )" + std::to_string(seed) + R"(}, "parameters": [
    {"path": "a", "from": -1, "to": 3}, {"path": "b", "distribution": "log_uniform", "from": 1e-3, "to": 1e3},
    {"path": "c", "distribution": "normal", "mean": 5, "deviation": 2}, {"path": "d", "values": ["x", "y", "z"]},
    {"path": "e", "from": 1, "to": 4, "whole": true}]})");
}

TEST(Grid, LastParameterChangesFastest) {
  const auto runs = sample_of(R"({"scene": "s.json", "parameters": [
    {"path": "a", "values": [1, 2]}, {"path": "b", "values": ["x", "y", "z"]}]})");
  EXPECT_EQ(Json(runs).dump(), R"([[1,"x"],[1,"y"],[1,"z"],[2,"x"],[2,"y"],[2,"z"]])");
}

TEST(List, FirstValuesGoTogether) {
  const auto runs = sample_of(R"({"scene": "s.json", "sampling": "list", "parameters": [
    {"path": "a", "values": [1, 2, 3]}, {"path": "b", "from": 10, "to": 1000, "count": 3, "scale": "log"}]})");
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0][1], 10.0);
  EXPECT_NEAR(runs[1][1].get<double>(), 100.0, 1e-12);
  EXPECT_EQ(runs[2][1], 1000.0);
}

TEST(Spacing, MeetsBothEndsAndIsShortInDecimals) {
  const auto runs =
      sample_of(R"({"scene": "s.json", "parameters": [{"path": "a", "from": 0.1, "to": 0.7, "count": 7}]})");
  EXPECT_EQ(Json(runs).dump(), "[[0.1],[0.2],[0.3],[0.4],[0.5],[0.6],[0.7]]");
  const auto whole = sample_of(R"({"scene": "s.json", "parameters": [{"path": "a", "from": 2, "to": 8, "count": 4}]})");
  EXPECT_EQ(Json(whole).dump(), "[[2],[4],[6],[8]]");
}

TEST(Random, FirstRunsStayWhenMoreAreAsked) {
  const auto few = drawn("random", 10, 7), many = drawn("random", 200, 7);
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(Json(few[i]), Json(many[i])) << i;
  EXPECT_NE(Json(drawn("random", 10, 8)), Json(few));
}

TEST(Sampling, GivesTheSameBitsAsEver) {
  // Users' plans take their values from here: if these changed, folders of sweeps could not be continued.
  EXPECT_EQ(Json(drawn("random", 3, 7)).dump(),
            "[[1.4375780982727,0.4231906155655656,5.034769015001952,\"y\",4],"
            "[2.8534068903689875,55.03521230586038,4.57104354901114,\"x\",1],"
            "[0.1705733227173396,0.0034411438714511706,5.294628965810854,\"x\",3]]");
  EXPECT_EQ(Json(drawn("latin_hypercube", 3, 7)).dump(),
            "[[1.1458593660909,75.07788150217992,3.083579344712609,\"y\",2],"
            "[2.951135630122996,3.803763867778197,6.719445280606248,\"z\",2],"
            "[-0.6098088924275535,0.0015097357652712677,5.097894667507357,\"x\",4]]");
}

TEST(Random, FollowsItsDistributions) {
  const auto runs = drawn("random", 20000, 3);
  double sum_a = 0.0, sum_log = 0.0, sum_c = 0.0, sum_c_sq = 0.0;
  int num_x = 0, num_four = 0;
  for (const Values& run : runs) {
    const double a = run[0].get<double>(), b = run[1].get<double>(), c = run[2].get<double>();
    ASSERT_TRUE(a >= -1.0 && a <= 3.0 && b >= 1e-3 && b <= 1e3);
    sum_a += a;
    sum_log += std::log10(b);
    sum_c += c;
    sum_c_sq += (c - 5.0) * (c - 5.0);
    num_x += run[3] == "x" ? 1 : 0;
    num_four += run[4] == 4 ? 1 : 0;
    ASSERT_TRUE(run[4].is_number_integer() && run[4] >= 1 && run[4] <= 4);
  }
  // The bounds are five standard errors of the means.
  const double n = static_cast<double>(runs.size());
  EXPECT_NEAR(sum_a / n, 1.0, 5 * 4 / std::sqrt(12 * n));
  EXPECT_NEAR(sum_log / n, 0.0, 5 * 6 / std::sqrt(12 * n));
  EXPECT_NEAR(sum_c / n, 5.0, 5 * 2 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(sum_c_sq / n), 2.0, 5 * 2 / std::sqrt(2 * n));
  EXPECT_NEAR(num_x / n, 1.0 / 3, 5 * 0.5 / std::sqrt(n));
  EXPECT_NEAR(num_four / n, 1.0 / 4, 5 * 0.5 / std::sqrt(n));
}

TEST(LatinHypercube, OneValueInEveryPartOfEveryParameter) {
  const int count = 60;
  const auto runs = drawn("latin_hypercube", count, 11);
  std::set<int> uniform, logarithmic, normal;
  std::multiset<std::string> choices;
  std::multiset<int> whole;
  for (const Values& run : runs) {
    uniform.insert(static_cast<int>((run[0].get<double>() + 1.0) / 4.0 * count));
    logarithmic.insert(static_cast<int>((std::log10(run[1].get<double>()) + 3.0) / 6.0 * count));
    normal.insert(static_cast<int>(0.5 * std::erfc(-(run[2].get<double>() - 5.0) / 2.0 / std::sqrt(2.0)) * count));
    choices.insert(run[3].get<std::string>());
    whole.insert(run[4].get<int>());
  }
  for (const auto* parts : {&uniform, &logarithmic, &normal}) EXPECT_EQ(parts->size(), 60U);
  EXPECT_EQ(choices.count("x"), 20U);
  EXPECT_EQ(choices.count("z"), 20U);
  for (int number = 1; number <= 4; ++number) EXPECT_EQ(whole.count(number), 15U);
  // The parameters are shuffled independently of each other.
  std::vector<int> orders[2];
  for (const Values& run : runs) {
    orders[0].push_back(static_cast<int>((run[0].get<double>() + 1.0) / 4.0 * count));
    orders[1].push_back(static_cast<int>((std::log10(run[1].get<double>()) + 3.0) / 6.0 * count));
  }
  EXPECT_NE(orders[0], orders[1]);
}

TEST(Normal, QuantilesAreThoseOfTables) {
  Parameter parameter;
  parameter.distribution = Distribution::normal;
  parameter.mean = 0.0;
  parameter.deviation = 1.0;
  EXPECT_NEAR(quantile(parameter, 0.5).get<double>(), 0.0, 1e-15);
  EXPECT_NEAR(quantile(parameter, 0.975).get<double>(), 1.959963984540054, 1e-14);
  EXPECT_NEAR(quantile(parameter, 0.025).get<double>(), -1.959963984540054, 1e-14);
  EXPECT_NEAR(quantile(parameter, 0.8413447460685429).get<double>(), 1.0, 1e-14);
  EXPECT_NEAR(quantile(parameter, 1e-6).get<double>(), -4.753424308822899, 1e-9);
}

}  // namespace
}  // namespace clearance::sweep
