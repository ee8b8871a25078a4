// The solver does not know how large a metre is.
#include <fmt/format.h>

#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns a ball that falls onto a box that falls onto a floor, while an obstacle pushes; lengths times `s`, stresses
/// times s^2.
std::string impact(double s) {
  return fmt::format(
      R"({{"time": {{"step": 0.01}}, "gravity": [0, {}, 0], "friction": {{"coefficient": 0.3, "iterations": 2}},
          "half_spaces": [{{"point": [0, {}, 0]}}], "bodies": [
            {{"generator": {{"kind": "sphere", "size": [{}], "resolution": [3]}}, "material": {{"youngs_modulus": {}}},
              "transform": {{"translation": [0, {}, 0]}}, "linear_velocity": [{}, {}, 0]}},
            {{"generator": {{"kind": "box", "size": [{}, {}, {}], "resolution": [3, 2, 3]}},
              "material": {{"youngs_modulus": {}, "model": "fixed_corotational"}}, "transform": {{"rotation": [10, 20, 5], "translation": [0, {}, 0]}}}},
            {{"kind": "obstacle", "generator": {{"kind": "box", "size": [{}, {}, {}], "resolution": [1, 1, 1], "is_surface": true}},
              "transform": {{"translation": [{}, {}, 0]}}, "motions": [{{"linear_velocity": [{}, 0, 0]}}]}}]}})",
      -9.81 * s, -0.3 * s, 0.2 * s, 2e4 * s * s, 0.4 * s, 0.2 * s, -2.0 * s, 0.5 * s, 0.2 * s, 0.5 * s, 1e5 * s * s,
      -0.05 * s, 0.2 * s, 0.2 * s, 0.2 * s, 0.5 * s, -0.15 * s, -0.5 * s);
}

std::vector<int> iterations(double s) {
  RunningScene scene(impact(s));
  std::vector<int> result;
  for (int n = 0; n < 40; ++n) result.push_back(scene.step().newton_iterations);
  return result;
}

TEST(Scale, SceneOfAnySizeTakesTheSameIterations) {
  const std::vector<int> expected = iterations(1.0);
  EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 5) << "the scene has no impact";
  // Powers of two change no bit of any mantissa.
  EXPECT_EQ(iterations(1.0 / 128.0), expected);
  EXPECT_EQ(iterations(128.0), expected);
  for (const double s : {0.01, 100.0}) {
    const std::vector<int> scaled = iterations(s);
    // Rounding may move a comparison across its bound now and then.
    int difference = 0;
    for (std::size_t n = 0; n < scaled.size(); ++n) difference += std::abs(scaled[n] - expected[n]);
    EXPECT_LE(difference, 10) << "scale " << s;
  }
}

}  // namespace
}  // namespace clearance
