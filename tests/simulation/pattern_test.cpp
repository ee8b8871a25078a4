// Shells whose shape at rest is a pattern of panels.
#include <fmt/format.h>

#include <cmath>

#include "io/mesh_test_support.h"
#include "simulation/probed_scene.h"

namespace clearance {
namespace {

/// Writes a tube of 8 panels around the y axis, 0.2 m in diameter and 0.1 m high, whose texture coordinates are one
/// flat sheet, and returns the scene text of it in a box without gravity.
std::string tube(const test::TemporaryFolder& folder, double scale, const std::string& pattern) {
  constexpr int around = 8;
  std::string text;
  const double side = 0.2 * std::sin(std::acos(-1.0) / around);
  for (int row = 0; row < 2; ++row) {
    for (int i = 0; i < around; ++i) {
      const double angle = 2.0 * std::acos(-1.0) * i / around;
      text += fmt::format("v {} {} {}\n", 0.1 * std::cos(angle), 0.1 * row, 0.1 * std::sin(angle));
    }
  }
  for (int row = 0; row < 2; ++row) {
    for (int i = 0; i <= around; ++i) text += fmt::format("vt {} {}\n", side * i / scale, 0.1 * row / scale);
  }
  for (int i = 0; i < around; ++i) {
    const int a = i + 1, b = (i + 1) % around + 1, ta = i + 1, tb = i + 2, up = around, tup = around + 1;
    text += fmt::format("f {}/{} {}/{} {}/{}\n", a, ta, b + up, tb + tup, b, tb);
    text += fmt::format("f {}/{} {}/{} {}/{}\n", a, ta, a + up, ta + tup, b + up, tb + tup);
  }
  test::write_text(folder / "tube.obj", text);
  return fmt::format(
      R"({{"gravity": [0, 0, 0], "time": {{"step": 0.01}}, "bodies": [{{"name": "tube", "kind": "shell",
        "thickness": 1e-3, "mesh": "tube.obj", "units": "m", "material": {{"youngs_modulus": 1e5}},
        "shell": {{"bending": "hinges", "pattern": {}}}}}]}})",
      pattern);
}

Result<LoadedBodies> load(const std::string& scene, const test::TemporaryFolder& folder) {
  const Result<LoadedScene> loaded = load_scene_text(scene, "scene", folder / "");
  if (!loaded) return loaded.issues();
  return load_bodies(loaded->scene);
}

TEST(Pattern, OfTextureCoordinatesUnfoldsATube) {
  const test::TemporaryFolder folder;
  const std::string scene = tube(folder, 0.01, R"({"texture": true, "scale": 0.01})");
  RunningScene running(load_scene_text(scene, "scene", folder / ""));
  const StepReport report = running.step();
  // The panels have their sizes, so that the tube is bent and not stretched: each of the edges along it but the seam
  // has an angle of 45 degrees from rest, and the seam, too, which is flat at rest.
  EXPECT_LT(energy_term(report, "membrane"), 0.05 * energy_term(report, "bending"));
  EXPECT_GT(energy_term(report, "bending"), 0.0);
}

TEST(Pattern, ProblemsAreExplained) {
  const test::TemporaryFolder folder;
  const auto problem = [&](const std::string& pattern) {
    const Result<LoadedBodies> loaded = load(tube(folder, 1.0, pattern), folder);
    return loaded ? std::string() : to_string(loaded.issues().front());
  };
  test::write_text(folder / "small.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_NE(
      problem(R"({"mesh": "small.obj"})")
          .find("bodies[0].shell.pattern: shell 'tube' has 16 triangles; expected a pattern with the same ones, in "
                "the same order (got 1 triangles)"),
      std::string::npos)
      << problem(R"({"mesh": "small.obj"})");
  EXPECT_NE(problem("{}").find("bodies[0].shell.pattern.mesh: expected the file of the pattern"), std::string::npos)
      << problem("{}");
  const Result<LoadedBodies> large = load(tube(folder, 1.0, R"({"texture": true, "scale": 10})"), folder);
  ASSERT_TRUE(large);
  ASSERT_EQ(large->warnings.size(), 1u);
  EXPECT_NE(to_string(large->warnings[0]).find("has 100 times the area of the shell"), std::string::npos)
      << to_string(large->warnings[0]);
}

}  // namespace
}  // namespace clearance
