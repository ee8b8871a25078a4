// Directions that the steps of mechanisms take, and what must not depend on them.
#include <cmath>
#include <cstdlib>

#include "simulation/stiff_scene.h"

namespace clearance {
namespace {

/// Returns a chain of links of 9 cm that falls from level; `joint` is the kind of its joints, and `more` their other
/// fields with a comma before.
std::string chain(const std::string& kind, const std::string& joint, int num_links, const std::string& time,
                  const std::string& more = "", const std::string& settings = "") {
  std::string joints;
  for (int i = 0; i < num_links; ++i) {
    const std::string before = i > 0 ? "link[" + std::to_string(i - 1) + "]" : "";
    joints += (i > 0 ? "," : "") + (R"({"kind": ")" + joint) + R"(", "bodies": ["link[)" + std::to_string(i) +
              R"(]", ")" + before + R"("], "point": [)" + std::to_string(0.1 * i) + ", 0, 0]" + more + "}";
  }
  return R"({"time": )" + time + settings + R"(, "bodies": [{"name": "link", "kind": ")" + kind +
         R"(", "generator": {"kind": "box", "size": [0.09, 0.02, 0.02], "resolution": [1, 1, 1]},
             "transform": {"translation": [0.05, 0, 0]}, "array": {"counts": [)" +
         std::to_string(num_links) + R"(, 1, 1], "spacing": [0.1, 0, 0]}, "material": {"density": 2000}}],
             "joints": [)" +
         joints + "]}";
}

constexpr const char* about_z = R"(, "axis": [0, 0, 1])";

/// Number of directions of the next steps; the largest gap of a joint goes to `strain`.
int directions(RunningScene& scene, int num_steps, double& strain) {
  int sum = 0;
  for (int n = 0; n < num_steps; ++n) {
    sum += scene.step().newton_iterations;
    strain = std::max(strain, scene.simulation().joint_strain().share);
  }
  return sum;
}

struct Chain {
  std::string kind, joint, more;
  int most;  // directions of 200 steps
};

class ChainOfSix : public testing::TestWithParam<Chain> {};
INSTANTIATE_TEST_SUITE_P(Joints, ChainOfSix,
                         testing::Values(Chain{"affine", "hinge", about_z, 800}, Chain{"rigid", "hinge", about_z, 900},
                                         Chain{"affine", "ball", "", 800}, Chain{"rigid", "ball", "", 900}),
                         [](const auto& test) { return test.param.kind + "_" + test.param.joint; });

TEST_P(ChainOfSix, TakesFewDirectionsAndKeepsItsJoints) {
  // Without corrections the affine hinges took 2588 directions and the rigid ones 5958.
  const Chain& of = GetParam();
  RunningScene scene(chain(of.kind, of.joint, 6, R"({"step": 0.005})", of.more));
  double strain = 0.0;
  EXPECT_LE(directions(scene, 200, strain), of.most);
  EXPECT_LT(strain, 1e-5);
}

TEST(FoldingChain, MeetsItselfWithFewDirections) {
  // In steps of 10 ms the chain folds onto itself; without corrections it took 7850 and 9596 directions.
  for (const std::string kind : {"affine", "rigid"}) {
    RunningScene scene(chain(kind, "hinge", 6, R"({"step": 0.01})", about_z));
    double strain = 0.0;
    EXPECT_LE(directions(scene, 150, strain), 900) << kind;
    EXPECT_LT(strain, 1e-4) << kind;
  }
}

TEST(ChainAtLimits, StopsWithFewDirections) {
  // Without corrections: 8457 and 8653.
  for (const std::string kind : {"affine", "rigid"}) {
    const std::string limited = about_z + std::string(R"(, "lower": -35, "upper": 35)");
    RunningScene scene(chain(kind, "hinge", 6, R"({"step": 0.01})", limited));
    double strain = 0.0;
    EXPECT_LE(directions(scene, 150, strain), 900) << kind;
    EXPECT_LT(strain, 1e-4) << kind;
  }
}

TEST(DoublePendulum, EndsStepsAtTheSameMinimumHoweverTheyGetThere) {
  // Steps with a tolerance a ten-thousandth of the default end within ten micrometres.
  const std::string time = R"({"step": 0.005})";
  const auto swung = [&](const std::string& kind, const std::string& settings) {
    StiffScene scene(chain(kind, "hinge", 2, time, about_z, settings));
    scene.steps(60);
    return scene.center(1);
  };
  for (const std::string kind : {"affine", "rigid"}) {
    const Vec<3> usual = swung(kind, R"(, "contact": {"enabled": false})");
    const Vec<3> close = swung(kind, R"(, "contact": {"enabled": false}, "solver": {"force_tolerance": 1e-7})");
    EXPECT_LT((usual - close).norm(), 1e-5) << kind;
  }
}

TEST(DoublePendulum, KeepsItsEnergyInTheSecondOrder) {
  StiffScene scene(chain("rigid", "hinge", 2, R"({"step": 0.001, "integrator": "bdf2"})", about_z));
  double mass = scene.unit_mass(0);
  scene.steps(300);
  const double fallen = -(scene.center(0)[1] + scene.center(1)[1]);
  ASSERT_GT(fallen, 0.02);
  EXPECT_NEAR(scene.kinetic_energy(), mass * 9.80665 * fallen, 1e-2 * mass * 9.80665 * fallen);
}

}  // namespace
}  // namespace clearance
