// Affine and rigid bodies move alike, and so does a stiff deformable body.
#include <cmath>

#include "clearance/base/parallel.h"
#include "simulation/stiff_scene.h"

namespace clearance {
namespace {

/// Returns the corners of the box [m], flat.
VecX corners(const RunningScene& scene) {
  return scene.scene().frames.vertex_map.apply(scene.state().x);
}

struct Agreement {
  double rigid = 0.0;       // [m] largest distance of affine and rigid corners
  double deformable = 0.0;  // of affine and deformable ones
};

/// Compares one box of 0.4 x 0.2 x 0.3 m in its three kinds.
Agreement compare(const std::string& place, const std::string& scene, int num_steps, int every) {
  const auto text = [&](const std::string& kind) {
    return R"({"bodies": [{"kind": ")" + kind +
           R"(", "generator": {"kind": "box", "size": [0.4, 0.2, 0.3], "resolution": [1, 1, 1]},
             "material": {"youngs_modulus": 1e9, "poisson_ratio": 0.3}, )" +
           place + "}], " + scene + "}";
  };
  StiffScene affine(text("affine")), rigid(text("rigid"));
  RunningScene deformable(text("deformable"));
  Agreement agreement;
  for (int n = 1; n <= num_steps; ++n) {
    affine.step();
    rigid.step();
    deformable.step();
    EXPECT_LT(affine.strain(0), 1e-3) << "step " << n;
    EXPECT_LT(rigid.strain(0), 1e-12) << "step " << n;
    if (n % every != 0) continue;
    const VecX x = corners(affine);
    agreement.rigid = std::max(agreement.rigid, (corners(rigid) - x).cwiseAbs().maxCoeff());
    agreement.deformable = std::max(agreement.deformable, (corners(deformable) - x).cwiseAbs().maxCoeff());
  }
  return agreement;
}

TEST(Agreement, OfFreeFlightWithSpin) {
  const Agreement agreement = compare(
      R"("transform": {"rotation": [20, 30, 40]}, "linear_velocity": [1, 3, -2], "angular_velocity": [100, 150, -80])",
      R"("time": {"step": 0.005, "integrator": "bdf2"}, "solver": {"force_tolerance": 1e-8})", 100, 1);
  // The box has made three quarters of a turn.
  EXPECT_LT(agreement.rigid, 1e-8);
  EXPECT_LT(agreement.deformable, 1e-6);
}

TEST(Agreement, OfABoxThatLands) {
  const Agreement agreement = compare(
      R"("transform": {"rotation": [0, 0, 15], "translation": [0, 0.25, 0]}, "linear_velocity": [0, -1, 0])",
      R"("half_spaces": [{"point": [0, 0, 0]}], "time": {"step": 0.005, "integrator": "implicit_euler"}, "solver": {"force_tolerance": 1e-6},
               "contact": {"kappa": 1e9}, "friction": {"coefficient": 0.5, "iterations": 0})",
      200, 1);
  // It lands on an edge, falls over and rests; the soft one is pressed together by 1e-5 of its height.
  EXPECT_LT(agreement.rigid, 1e-6);
  EXPECT_LT(agreement.deformable, 1e-4);
}

TEST(Agreement, OfABoxThatSlides) {
  const Agreement agreement = compare(
      R"("transform": {"translation": [0, 0.1005, 0]}, "linear_velocity": [2, 0, 0.5])",
      R"("half_spaces": [{"point": [0, 0, 0]}], "time": {"step": 0.01, "integrator": "implicit_euler"}, "solver": {"convergence": "published", "tolerance": 1e-5},
               "contact": {"kappa": 1e9, "scales": "scene"}, "friction": {"coefficient": 0.3, "stick": 0})",
      80, 1);
  EXPECT_LT(agreement.rigid, 1e-7);
  EXPECT_LT(agreement.deformable, 1e-5);
}

// --- equality of bits ---

/// Returns an affine, a rigid and a soft box on an affine rocker that hinges on the world, and a driven rigid pusher on
/// a slider.
std::string mixed_scene(const std::string& integrator) {
  return R"({"time": {"step": 0.01, "integrator": ")" + integrator +
         R"("}, "half_spaces": [{"point": [0, -0.6, 0]}], "friction": {"coefficient": 0.3},
    "bodies": [)" +
         stiff_box("rocker", "affine", "[1.5, 0.1, 0.5]", "[0, 0, 0]") + "," +
         stiff_box("a", "affine", "[0.2, 0.2, 0.2]", "[-0.5, 0.2, 0]", R"(, "angular_velocity": [0, 90, 20])") + "," +
         stiff_box("r", "rigid", "[0.2, 0.3, 0.2]", "[0.5, 0.25, 0]", R"(, "linear_velocity": [0, -1, 0])") + "," +
         R"({"name": "soft", "generator": {"kind": "box", "size": [0.3, 0.2, 0.3], "resolution": [2, 2, 2]},
            "transform": {"translation": [0, 0.2, 0]}},)" +
         stiff_box("pusher", "rigid", "[0.1, 0.1, 0.4]", "[-0.9, 0.15, 0]") + R"(],
    "joints": [{"kind": "hinge", "bodies": ["rocker", ""], "axis": [0, 0, 1], "lower": -20, "upper": 20},
               {"kind": "slider", "bodies": ["pusher", ""], "axis": [1, 0, 0], "drive": "t"},
               {"kind": "ball", "bodies": ["a", "r"], "point": [0, 0.5, 0]}]})";
}

class MixedKinds : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Integrators, MixedKinds, testing::Values("implicit_euler", "implicit_newmark", "bdf2"),
                         [](const auto& name) { return name.param; });

TEST_P(MixedKinds, ThreadsAndRestartsGiveTheSameBits) {
  std::vector<std::string> expected;
  State saved;
  {
    const ThreadLimit limit(1);
    StiffScene scene(mixed_scene(GetParam()));
    for (int n = 0; n < 30; ++n) {
      EXPECT_GT(scene.step().min_distance, 0.0);
      expected.push_back(scene.simulation().state_hash());
      if (n == 14) saved = scene.state();
    }
    EXPECT_NE(expected.front(), expected.back());
  }
  const ThreadLimit limit(2);
  StiffScene parallel(mixed_scene(GetParam())), resumed(mixed_scene(GetParam()));
  ASSERT_TRUE(resumed.simulation().restore(saved));
  for (std::size_t n = 0; n < 30; ++n) {
    parallel.step();
    ASSERT_EQ(parallel.simulation().state_hash(), expected[n]) << "step " << n;
    if (n < 15) continue;
    resumed.step();
    ASSERT_EQ(resumed.simulation().state_hash(), expected[n]) << "step " << n;
  }
}

}  // namespace
}  // namespace clearance
