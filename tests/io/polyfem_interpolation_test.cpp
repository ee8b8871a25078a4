// Factors over time of PolyFEM scenes, evaluated as the formulas that they become.
#include "clearance/io/polyfem/polyfem_interpolation.h"

#include "clearance/scene/expression.h"
#include "io/polyfem_support.h"

namespace clearance {
namespace {

using namespace polyfem_test;

class PolyfemInterpolation : public testing::Test {
 protected:
  /// Returns the values of the factor at `times`.
  static std::vector<double> factors(const std::string& interpolation, const std::vector<double>& times,
                                     const std::string& time = "t") {
    Issues issues;
    const Json json = Json::parse(interpolation);
    const std::optional<std::string> formula = read_interpolation(ForeignObject(json, "", issues), time);
    for (const Issue& issue : issues) ADD_FAILURE() << to_string(issue);
    std::vector<double> values;
    for (const double t : times) {
      const Result<double> value = evaluate_time_formula(formula.value_or("0"), "", t);
      for (const Issue& issue : value.issues()) ADD_FAILURE() << to_string(issue);
      values.push_back(value ? *value : 0.0);
    }
    return values;
  }
  static std::string piecewise(const std::string& type, const std::string& extend) {
    return R"({"type": "piecewise_)" + type + R"(", "points": [1, 2, 4], "values": [10, 20, 0], "extend": ")" + extend +
           "\"}";
  }
  static double slope(const std::string& interpolation, double t) {
    constexpr double h = 1e-5;
    const std::vector<double> at = factors(interpolation, {t - h, t + h});
    return (at[1] - at[0]) / (2.0 * h);
  }
  static double curvature(const std::string& interpolation, double t) {
    constexpr double h = 1e-3;
    const std::vector<double> at = factors(interpolation, {t - h, t, t + h});
    return (at[0] - 2.0 * at[1] + at[2]) / (h * h);
  }
};
using Values = std::vector<double>;

TEST_F(PolyfemInterpolation, OfSimpleKinds) {
  EXPECT_EQ(factors("{}", {0, 3}), (Values{1, 1}));
  EXPECT_EQ(factors(R"({"type": "none"})", {0, 3}), (Values{1, 1}));
  EXPECT_EQ(factors(R"({"type": "linear"})", {0, 3}), (Values{0, 3}));
  EXPECT_EQ(factors(R"({"type": "linear"})", {0, 3}, "(t + 2)"), (Values{2, 5}));
  EXPECT_EQ(factors(R"({"type": "linear_ramp", "to": 2})", {0, 1, 2, 3}), (Values{0, 1, 2, 2}));
}

TEST_F(PolyfemInterpolation, StepsHoldTheValueBefore) {
  const Values times = {0, 1, 1.5, 2, 3.75, 4, 5, 7.5};
  EXPECT_EQ(factors(piecewise("constant", "constant"), times), (Values{10, 10, 10, 20, 20, 0, 0, 0}));
  EXPECT_EQ(factors(piecewise("constant", "extrapolate"), times), (Values{10, 10, 10, 20, 20, 0, 0, 0}));
  // With the period repeated, 0 is 3 of the period before, 5 is 2, and 7.5 is 1.5.
  EXPECT_EQ(factors(piecewise("constant", "repeat"), times), (Values{20, 10, 10, 20, 20, 10, 20, 10}));
  EXPECT_EQ(factors(piecewise("constant", "repeat_offset"), times), (Values{30, 10, 10, 20, 20, 0, 10, -10}));
}

TEST_F(PolyfemInterpolation, LinesAreExtended) {
  const Values times = {0, 1, 1.5, 2, 3, 4, 5};
  EXPECT_EQ(factors(piecewise("linear", "constant"), times), (Values{10, 10, 15, 20, 10, 0, 0}));
  EXPECT_EQ(factors(piecewise("linear", "extrapolate"), times), (Values{0, 10, 15, 20, 10, 0, -10}));
  EXPECT_EQ(factors(piecewise("linear", "repeat"), times), (Values{10, 10, 15, 20, 10, 10, 20}));
  EXPECT_EQ(factors(piecewise("linear", "repeat_offset"), times), (Values{20, 10, 15, 20, 10, 0, 10}));
}

TEST_F(PolyfemInterpolation, SplinesPassTheirPointsWithContinuousCurvature) {
  for (const char* extend : {"constant", "extrapolate", "repeat"}) {
    const std::string spline = piecewise("cubic", extend);
    const Values at = factors(spline, {1, 2, 4 - 1e-12});
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(at[i], (Values{10, 20, 0})[i], 1e-9) << extend;
    EXPECT_NEAR(slope(spline, 2 - 1e-4), slope(spline, 2 + 1e-4), 1e-1) << extend;
    EXPECT_NEAR(curvature(spline, 2 - 2e-3), curvature(spline, 2 + 2e-3), 2.0) << extend;
  }
  EXPECT_NEAR(slope(piecewise("cubic", "constant"), 1.001), 0.0, 0.1) << "no jump of the speed where it rests";
  EXPECT_EQ(factors(piecewise("cubic", "constant"), {0, 9}), (Values{10, 0}));
  EXPECT_NEAR(curvature(piecewise("cubic", "extrapolate"), 1.01), 0.0, 1.0) << "natural";
  const std::string natural = piecewise("cubic", "extrapolate");
  EXPECT_NEAR(slope(natural, 5.0), slope(natural, 4.0 - 1e-4), 1e-2);
  const std::string periodic =
      R"({"type": "piecewise_cubic", "points": [0, 1, 2], "values": [0, 1, 0], "extend": "repeat"})";
  EXPECT_NEAR(slope(periodic, 2.0 - 1e-4), slope(periodic, 2.0 + 1e-4), 1e-2);
  EXPECT_NEAR(factors(periodic, {0.3})[0], factors(periodic, {4.3})[0], 1e-12);
}

TEST_F(PolyfemInterpolation, ASplineOfACubicIsTheCubic) {
  // The cubic with zero slope at both ends is s^2 (3 - 2 s) on [0, 1]; the spline has a point between.
  const std::string spline =
      R"({"type": "piecewise_cubic", "points": [0, 0.5, 1], "values": [0, 0.5, 1], "extend": "constant"})";
  for (const double t : {0.1, 0.4, 0.5, 0.7, 0.95}) {
    EXPECT_NEAR(factors(spline, {t})[0], t * t * (3.0 - 2.0 * t), 1e-14) << t;
  }
}

TEST_F(PolyfemInterpolation, MultipliesTheValuesOfConditions) {
  const Folder folder;
  const auto displacement = [&](const std::string& interpolation) {
    return folder
        .good(scene_of(entry("cube.msh", sides), R"("boundary_conditions": {"dirichlet_boundary": [
              {"id": 4, "value": [0, "x + t", 2], "interpolation": )" +
                                                     interpolation + "}]}"))
        .bodies[0]
        .motions.at(0)
        .displacement.value();
  };
  EXPECT_EQ(displacement(R"({"type": "linear"})"), (Expressions{"0", "(x + t) * t", "(2) * t"}));
  EXPECT_EQ(displacement(R"([{"type": "none"}, {"type": "linear"}, {"type": "none"}])"),
            (Expressions{"0", "(x + t) * t", "2"}));
  EXPECT_EQ(displacement(R"({"type": "piecewise_constant", "points": [0, 1], "values": [1, 1], "extend": "repeat"})"),
            (Expressions{"0", "x + t", "2"}))
      << "a factor of one is none";
}

TEST_F(PolyfemInterpolation, ThatCannotBeReadSaysWhy) {
  const Folder folder;
  const auto problems = [&](const std::string& interpolation) {
    return folder.problems(scene_of(entry("cube.msh", sides), R"("boundary_conditions": {"dirichlet_boundary": [
        {"id": 4, "value": [0, "t", 0], "interpolation": )" + interpolation +
                                                                  "}]}"));
  };
  const std::string at = "boundary_conditions.dirichlet_boundary[0].interpolation";
  EXPECT_EQ(problems(R"({"type": "quintic"})"),
            Lines{at + ".type: the interpolation quintic is not supported yet (got \"quintic\")"});
  EXPECT_EQ(problems(R"({"type": "piecewise_linear", "points": [0, 0], "values": [1, 2]})"),
            Lines{at + ".points: expected times, each later than the one before (got [0,0])"});
  EXPECT_EQ(problems(R"({"type": "piecewise_linear", "points": [0, 1], "values": [1]})"),
            Lines{at + ".values: expected as many values as `points` (2) (got [1])"});
  EXPECT_EQ(problems(R"({"type": "piecewise_linear", "points": [0, 1], "values": [1, 2], "extend": "mirror"})"),
            Lines{at + ".extend: expected constant, extrapolate, repeat or repeat_offset (got \"mirror\")"});
  EXPECT_EQ(problems(R"([{"type": "linear"}, {"type": "linear"}])"),
            Lines{at + ": expected one object, or 3 (got [... 2 entries])"});
}

}  // namespace
}  // namespace clearance
