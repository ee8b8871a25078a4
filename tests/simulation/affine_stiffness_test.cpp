// Default resistance of affine bodies to deformation: proportional to their mass, so that their weight does not matter.
#include <fmt/format.h>

#include <functional>

#include "simulation/stiff_scene.h"

namespace clearance {
namespace {

std::string cube(double size, const std::string& more, const std::string& at = "[0, 0, 0]") {
  return fmt::format(R"({{"name": "b", "kind": "affine", "generator": {{"kind": "box", "size": [{0}, {0}, {0}],
      "resolution": [1]}}, "transform": {{"translation": {1}}}{2}}})",
                     size, at, more);
}
std::string scene_of(const std::string& bodies, const std::string& more = "") {
  return R"({"time": {"step": 0.01, "duration": 1})" + more + R"(, "bodies": [)" + bodies + "]}";
}
/// Stiffness of the first stiff body or part [Pa].
double stiffness(const std::string& json) {
  return StiffScene(json).unit(0).stiffness;
}

TEST(AffineStiffness, IsOneE11AtTheDensityOfWater) {
  for (const double size : {0.01, 0.1, 1.0}) EXPECT_EQ(stiffness(scene_of(cube(size, ""))), 1e11) << size;
  EXPECT_EQ(stiffness(scene_of(R"({"kind": "affine", "generator": {"kind": "sphere", "size": [0.1]}})")), 1e11);
  const std::string plane = R"({"dimension": 2, "bodies": [{"kind": "affine", "generator": {"kind": "rectangle",
      "size": [0.1, 0.1], "resolution": [1, 1]}}]})";
  EXPECT_EQ(stiffness(plane), 1e11);
}

TEST(AffineStiffness, IsInProportionToTheMass) {
  for (const double mass : {1e-6, 1e-3, 1.0, 1e3, 1e9}) {
    EXPECT_NEAR(stiffness(scene_of(cube(1.0, fmt::format(R"(, "mass": {})", mass)))), 1e8 * mass, 1e-6 * 1e8 * mass);
  }
  EXPECT_EQ(stiffness(scene_of(cube(0.1, R"(, "material": {"density": 7800})"))), 7.8e11);
  const std::string part = R"({"generator": {"kind": "box", "size": [1, 0.2, 0.2], "resolution": [10, 2, 2]},
      "stiff_parts": [{"region": {"frame": "body", "box": [[0.5, -1, -1], [2, 2, 2]]}, "density": 2000}]})";
  EXPECT_NEAR(stiffness(scene_of(part)), 2e11, 1e3);
}

TEST(AffineStiffness, ThatIsGivenIsKept) {
  EXPECT_EQ(stiffness(scene_of(cube(1.0, R"(, "mass": 1e9, "material": {"stiffness": 3e7})"))), 3e7);
  const std::string part = R"({"generator": {"kind": "box", "size": [1, 0.2, 0.2], "resolution": [10, 2, 2]},
      "stiff_parts": [{"region": {"frame": "body", "box": [[0.5, -1, -1], [2, 2, 2]]}, "stiffness": 1e9}]})";
  EXPECT_EQ(stiffness(scene_of(part)), 1e9);
}

TEST(AffineStiffness, GrowsWithWhatStrainsTheBody) {
  // An impact that stops a body of 100 m, at a speed of its whole radius per step, within one step strains it by 1e-4.
  const double radius_sq = 0.75e4;
  EXPECT_NEAR(stiffness(scene_of(cube(100.0, ""))), 1000.0 * radius_sq / (8e-4 * 1e-4), 1e7);
  // A force of 1e10 N on 0.1 m.
  const std::string load = R"(, "loads": [{"kind": "force", "value": [0, -1e10, 0]}])";
  EXPECT_NEAR(stiffness(scene_of(cube(0.1, load))), 1e10 * 0.1 * std::sqrt(0.75) / (16e-5 * 1e-3), 1e-3 * 5e15);
  const std::string formula = R"(, "loads": [{"kind": "force", "expression": ["0", "-1e10 * t", "0"]}])";
  EXPECT_NEAR(stiffness(scene_of(cube(0.1, formula))), 1e10 * 0.1 * std::sqrt(0.75) / (16e-5 * 1e-3), 1e-3 * 5e15);
  // The scene has steel between stiff bodies.
  const std::string steel =
      R"(, {"generator": {"kind": "box", "size": [1, 1, 1]}, "transform": {"translation": [0, 5, 0]},
      "material": {"youngs_modulus": 2e11}})";
  EXPECT_EQ(stiffness(scene_of(cube(0.1, "") + steel)), 2e12);
}

TEST(AffineStiffness, LeavesTheInertiaOfTinyBodiesFiveDigits) {
  const double h = 0.01, radius_sq = 0.75e-12;
  EXPECT_NEAR(stiffness(scene_of(cube(1e-6, ""))), 1e11 * 1000.0 * radius_sq / (h * h), 1e3);
}

TEST(AffineStiffness, OfQuasiStaticScenesDoesNotDependOnTheStep) {
  const auto of_step = [](const char* step) {
    return stiffness(fmt::format(
        R"({{"gravity": [0, 0, 0], "time": {{"integrator": "quasi_static", "step": {}, "duration": 1}}, "bodies": [{}]}})",
        step, cube(100.0, R"(, "fixed_translation": [true, true, true], "fixed_rotation": [true, true, true])")));
  };
  EXPECT_EQ(of_step("1"), 1e11);
  EXPECT_EQ(of_step("1e-4"), 1e11);
}

/// Returns the position after some steps of the first body's corner farthest from its centre, divided by the body's
/// size.
Vec<3> place_after(const std::string& json, int steps) {
  StiffScene scene(json);
  for (int i = 0; i < steps; ++i) scene.simulation().step();
  const AffineFrame& frame = scene.unit(0).frame;
  return (scene.center(0) + scene.map(0) * Vec<3>(0.5, 0.4, 0.0) * frame.radius) / frame.radius;
}
void expect_same_for_all_masses(const std::string& what, int steps, const std::function<std::string(double)>& scene) {
  const Vec<3> expected = place_after(scene(1.0), steps);
  for (const double mass : {1e-6, 1e-2, 1e5, 1e9}) {
    EXPECT_LT((place_after(scene(mass), steps) - expected).norm(), 1e-5) << what << " of " << mass << " kg";
  }
}

TEST(AffineStiffness, LetsBodiesOfAnyMassMoveAlike) {
  const std::string head = R"({"time": {"step": 0.005}, "friction": {"coefficient": 0.5}, "half_spaces": [{}], )";
  expect_same_for_all_masses("a cube that falls on a corner", 150, [&](double mass) {
    return head +
           fmt::format(R"("bodies": [{{"kind": "affine", "mass": {}, "generator": {{"kind": "box", "size": [1, 1, 1],
        "resolution": [1]}}, "transform": {{"rotation": [10, 20, 30], "translation": [0, 1.2, 0]}}}}]}})",
                       mass);
  });
  expect_same_for_all_masses("a rod of 1 mm", 60, [&](double mass) {
    return head + fmt::format(R"("bodies": [{{"kind": "affine", "mass": {}, "generator": {{"kind": "box",
        "size": [0.001, 0.0002, 0.0002], "resolution": [1]}}, "transform": {{"rotation": [0, 0, 40],
        "translation": [0, 0.0008, 0]}}, "linear_velocity": [0.02, 0, 0]}}]}})",
                              mass);
  });
  expect_same_for_all_masses("a box of 100 m that slides", 60, [&](double mass) {
    return head + fmt::format(R"("bodies": [{{"kind": "affine", "mass": {}, "generator": {{"kind": "box",
        "size": [100, 50, 100], "resolution": [1]}}, "transform": {{"translation": [0, 25.05, 0]}},
        "linear_velocity": [9, 0, 0]}}]}})",
                              mass);
  });
  expect_same_for_all_masses("an open surface", 100, [&](double mass) {
    return head +
           fmt::format(R"("bodies": [{{"kind": "affine", "mass": {}, "generator": {{"kind": "sheet", "size": [1, 1],
        "resolution": [1]}}, "transform": {{"rotation": [20, 0, 10], "translation": [0, 0.6, 0]}}}}]}})",
                       mass);
  });
  expect_same_for_all_masses("two that hit each other", 60, [&](double mass) {
    const auto one = [&](double x, double speed) {
      return fmt::format(R"({{"kind": "affine", "mass": {}, "generator": {{"kind": "box", "size": [0.1, 0.1, 0.1],
          "resolution": [1]}}, "transform": {{"translation": [{}, {}, 0]}}, "linear_velocity": [{}, 0, 0]}})",
                         mass, x, 0.03 * x, speed);
    };
    return R"({"gravity": [0, 0, 0], "time": {"step": 0.005}, "bodies": [)" + one(-0.1, 2.0) + ", " + one(0.1, -1.0) +
           "]}";
  });
}

TEST(AffineStiffness, LetsBodiesOfAnyMassSwingSpinSlideAndSlipAlike) {
  const auto body = [](double mass, const std::string& more) {
    return fmt::format(R"({{"name": "b", "kind": "affine", "mass": {}, "generator": {{"kind": "box",
        "size": [0.2, 0.1, 0.3], "resolution": [1]}}, {}}})",
                       mass, more);
  };
  const auto scene = [](const std::string& all, const std::string& more) {
    return R"({"time": {"step": 0.01}, )" + more + R"("bodies": [)" + all + "]}";
  };
  expect_same_for_all_masses("a pendulum on a hinge", 60, [&](double mass) {
    return scene(body(mass, R"("transform": {"translation": [0.5, 0, 0]})"),
                 R"("joints": [{"kind": "hinge", "bodies": ["b", ""], "axis": [0, 0, 1]}], )");
  });
  expect_same_for_all_masses("a body on a ball joint with a spin", 60, [&](double mass) {
    return scene(body(mass, R"("transform": {"translation": [0, -0.3, 0]}, "angular_velocity": [0, 200, 90])"),
                 R"("joints": [{"kind": "ball", "bodies": ["b", ""]}], )");
  });
  expect_same_for_all_masses("a body that tumbles freely", 60, [&](double mass) {
    return scene(body(mass, R"("angular_velocity": [300, 10, 20])"), "");
  });
  expect_same_for_all_masses("a body that slides to rest", 60, [&](double mass) {
    return scene(body(mass, R"("transform": {"translation": [0, 0.0501, 0]}, "linear_velocity": [1, 0, 0])"),
                 R"("friction": {"coefficient": 0.2}, "half_spaces": [{}], )");
  });
  expect_same_for_all_masses("a body on a smooth slope", 60, [&](double mass) {
    return scene(body(mass, R"("transform": {"translation": [0, 0.0501, 0]})"),
                 R"("gravity": [2, -9.6, 1], "half_spaces": [{}], )");
  });
}

TEST(AffineStiffness, LetsBodiesOfAnyMassMoveAlikeInThePlane) {
  const auto place = [](double mass) {
    RunningScene scene(fmt::format(R"({{"dimension": 2, "time": {{"step": 0.005}}, "friction": {{"coefficient": 0.3}},
        "half_spaces": [{{}}], "bodies": [{{"kind": "affine", "mass": {}, "generator": {{"kind": "rectangle",
        "size": [1, 0.6], "resolution": [1, 1]}}, "transform": {{"rotation": 25, "translation": [0, 0.8]}},
        "angular_velocity": 100}}]}})",
                                   mass));
    for (int i = 0; i < 150; ++i) scene.simulation().step();
    return VecX(scene.state().x);
  };
  const VecX expected = place(1.0);
  for (const double mass : {1e-6, 1e-2, 1e5, 1e9}) EXPECT_LT((place(mass) - expected).norm(), 1e-5) << mass;
}

TEST(AffineStiffness, DoesNotLetHeavyPlatesSag) {
  for (const double mass : {1e-6, 1e9, 1e10}) {
    StiffScene scene(fmt::format(R"({{"half_spaces": [{{}}], "bodies": [{{"kind": "affine", "mass": {}, "generator":
        {{"kind": "box", "size": [1, 0.1, 1], "resolution": [1]}}, "transform": {{"translation": [0, 0.051, 0]}}}}]}})",
                                 mass));
    for (int i = 0; i < 30; ++i) scene.simulation().step();
    EXPECT_LT(scene.strain(0), 1e-5) << mass;
  }
}

TEST(AffineStiffness, OfALightBodyCarriesHeavyOnes) {
  // A plate of a gram under a cube of ten tonnes.
  StiffScene scene(R"({"half_spaces": [{}], "bodies": [
      {"kind": "affine", "mass": 0.001, "generator": {"kind": "box", "size": [1, 0.1, 1], "resolution": [1]},
       "transform": {"translation": [0, 0.0505, 0]}},
      {"kind": "affine", "mass": 10000, "generator": {"kind": "box", "size": [0.8, 0.8, 0.8], "resolution": [1]},
       "transform": {"translation": [0, 0.502, 0]}}]})");
  for (int i = 0; i < 30; ++i) scene.simulation().step();
  EXPECT_LT(scene.strain(0), 1e-4);
}

}  // namespace
}  // namespace clearance
