// Springs, dampers, bolts and ties in both modes of derivatives.
#include <string>

#include "both_modes.h"

namespace clearance::derivatives {
namespace {

/// A soft block that hangs on two springs, or on a tie, and swings.
std::string swinging(const std::string& integrator, const std::string& connections) {
  return R"({"time": {"step": 0.01, "duration": 0.12, "integrator": ")" + integrator + R"("}, "gravity": [1, -9, 4],
    "bodies": [{"name": "body", "generator": {"kind": "box", "size": [0.2, 0.1, 0.1], "resolution": [2, 1, 1]},
                "material": {"youngs_modulus": 1e5, "poisson_ratio": 0.3}, "linear_velocity": [0, 0, 0.5]},
               {"name": "base", "generator": {"kind": "box", "size": [0.2, 0.1, 0.1], "resolution": [1, 1, 1]},
                "transform": {"translation": [0, 0.102, 0]}, "material": {"youngs_modulus": 1e5, "poisson_ratio": 0.3},
                "motions": [{"region": {"box": [[0, 1, 0], [1, 1, 1]], "frame": "body"}}]}],
    "contact": {"enabled": false}, )" +
         connections + R"(,
    "output": {"probes": [{"name": "tip", "body": "body", "region": {"box": [[0.099, -0.051, -0.051], [0.101, -0.049, -0.049]]}}]}})";
}

const std::string springs = R"("controls": [{"name": "pull", "value": 5}], "springs": [
    {"body": "body", "region": {"box": [[0, 1, 0], [1, 1, 1]], "frame": "body"}, "to_point": [0, 0.3, 0],
     "stiffness": 200, "damping": 3, "tension": "pull"},
    {"body": "body", "point": [0.1, 0.02, 0], "to": "base", "to_point": [0.1, 0.06, 0.05],
     "stiffness": 300, "tension": "2 + 10 * t", "locked_from": 0.06},
    {"body": "body", "point": [-0.1, 0.02, 0.02], "stiffness": 150, "damping": 1}])";

TEST(SpringDerivatives, AgreeInBothModes) {
  for (const char* integrator : {"implicit_euler", "bdf2_in_flight"}) {
    SCOPED_TRACE(integrator);
    expect_forward(swinging(integrator, springs), {0.1, -0.05, -0.05},
                   {"springs[0].stiffness", "springs[0].damping", "controls[0].value", "springs[1].stiffness",
                    "springs[2].damping", "gravity[1]"},
                   1e-8);
  }
}

TEST(SpringDerivatives, AgreeWithDifferencesOfRuns) {
  const std::string text = swinging("implicit_euler", springs);
  const std::vector<std::string> by = {"springs[0].stiffness", "springs[0].damping", "controls[0].value",
                                       "springs[1].stiffness", "springs[0].to_point[1]"};
  Result<Gradient> gradient = find_gradient(maker(text), {by, {}, 0, {}, {}});
  ASSERT_TRUE(gradient);
  ASSERT_EQ(gradient->end, GradientEnd::complete);
  const std::vector<double> values = {200.0, 3.0, 5.0, 300.0, 0.3};
  const auto run = [&](const std::string& path, double value) {
    Result<Gradient> at = find_gradient(
        [&](const std::vector<std::string>& more) {
          std::vector<std::string> all = more;
          all.insert(all.begin(), path + "=" + std::to_string(value));
          return maker(text)(all);
        },
        {{"gravity[0]"}, {}, 0, {}, {}});
    return at->steps.back().values;
  };
  for (std::size_t k = 0; k < by.size(); ++k) {
    const double length = 1e-3 * values[k];
    const auto above = run(by[k], values[k] + length), below = run(by[k], values[k] - length);
    for (std::size_t c = 0; c < above.size(); ++c) {
      const double difference = (above[c] - below[c]) / (2.0 * length);
      const double scale = gradient->steps.back().derivatives.col(static_cast<Eigen::Index>(k)).norm();
      EXPECT_NEAR(gradient->steps.back().derivatives(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(k)),
                  difference, 1e-4 * scale)
          << by[k] << " " << c;
    }
  }
}

TEST(SpringDerivatives, OfTiesAgreeInBothModes) {
  expect_forward(
      swinging("implicit_euler", R"("attachments": [{"body": "body", "to": "base", "tied": true, "distance": 0.01}])"),
      {0.1, -0.05, -0.05}, {"bodies[0].material.youngs_modulus", "gravity[1]"}, 1e-8);
}

}  // namespace
}  // namespace clearance::derivatives
