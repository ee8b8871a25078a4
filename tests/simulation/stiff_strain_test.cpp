// Stiff bodies that something presses out of shape: they are named in messages, and prescribed motions stop at them.
#include <fmt/format.h>

#include "clearance/math/svd.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns two plates at heights of y and -y that close on each other by 40 mm/s.
std::string closing_plates(const std::string& generator, double y) {
  const auto plate = [&](const std::string& name, double sign) {
    return fmt::format(R"~({{"name": "{}", "kind": "obstacle", "generator": {{{}}},
        "transform": {{"translation": [0, {}, 0]}}, "motions": [{{"displacement": ["0", "{} * min(t, 0.5)", "0"]}}]}})~",
                       name, generator, sign * y, -0.04 * sign);
  };
  return plate("top", 1.0) + ", " + plate("bottom", -1.0);
}
/// Returns two plates that close from 1.2 to 0.8 times the size of the body between them.
std::string plates(const std::string& between, const std::string& more = "") {
  return R"({"dimension": 2, "gravity": [0, 0], "time": {"step": 0.01, "duration": 0.5})" + more + R"(, "bodies": [)" +
         between + ", " + closing_plates(R"("kind": "rectangle", "size": [0.3, 0.02], "resolution": [1, 1])", 0.07) +
         "]}";
}
std::string square(const std::string& more = "") {
  return R"({"name": "square", "kind": "affine", "generator": {"kind": "rectangle", "size": [0.1, 0.1],
      "resolution": [1, 1]})" +
         more + "}";
}

struct Outcome {
  int num_blocked = 0, num_at_limit = 0;
  double strain = 0.0, turn = 0.0, height = 0.0;
  Vec<3> middle = Vec<3>::Zero();  // mean of the vertices of the first body at the end
};
Outcome run(const std::string& json, int steps) {
  RunningScene scene(json);
  Outcome outcome;
  for (int i = 0; i < steps; ++i) {
    const StepStatus status = scene.simulation().step().status;
    outcome.num_blocked += status == StepStatus::prescribed_motion_blocked ? 1 : 0;
    outcome.num_at_limit += status == StepStatus::iteration_limit ? 1 : 0;
    outcome.strain = std::max(outcome.strain, scene.simulation().stiff_strain().strain);
    outcome.turn = std::max(outcome.turn, scene.simulation().coarse_turn().angle);
  }
  double low = infinity, high = -infinity;
  const int num_vertices = scene.simulation().bodies()[0].vertices.count;
  const std::vector<Vec<3>> x = scene.simulation().positions();
  for (int v = 0; v < num_vertices; ++v) {
    outcome.middle += x[v] / num_vertices;
    low = std::min(low, x[v].y());
    high = std::max(high, x[v].y());
  }
  outcome.height = high - low;
  return outcome;
}

TEST(StiffStrain, PlatesThatCloseOnAStiffBodyAreBlocked) {
  for (const std::string more : {"", R"(, "transform": {"rotation": 90})", R"(, "mass": 0.001)", R"(, "mass": 1e6)",
                                 R"(, "transform": {"rotation": 3})"}) {
    const Outcome outcome = run(plates(square(more)), 50);
    EXPECT_GT(outcome.num_blocked, 20) << more;
    EXPECT_LE(outcome.strain, 1e-3) << more;
    EXPECT_EQ(outcome.turn, 0.0) << "no coarse turn " << more;
  }
  const Outcome outcome = run(plates(square()), 50);
  EXPECT_NEAR(outcome.height, 0.1, 1e-4);
}

TEST(StiffStrain, PlatesThatSqueezeACubeAreBlockedBeforeTheIterationLimit) {
  for (const std::string more : {"", R"(, "mass": 1000)"}) {
    const Outcome outcome =
        run(R"({"gravity": [0, 0, 0], "time": {"step": 0.01}, "bodies": [{"name": "cube", "kind": "affine", "generator":
            {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]})" +
                more + "}, " + closing_plates(R"("kind": "box", "size": [0.3, 0.02, 0.3], "resolution": [1])", 0.065) +
                "]}",
            20);
    EXPECT_EQ(outcome.num_at_limit, 0) << more;
    EXPECT_GT(outcome.num_blocked, 5) << more;
    EXPECT_LE(outcome.strain, 1e-3) << more;
    EXPECT_LT(outcome.middle.norm(), 5e-3) << more;  // 0.1 m before the plates were held early
  }
}

TEST(StiffStrain, PlatesThatOpenAgainMoveOn) {
  std::string json = plates(square());
  for (std::size_t at; (at = json.find("min(t, 0.5)")) != std::string::npos;) json.replace(at, 11, "sin(6.28 * t) / 2");
  RunningScene scene(json);
  for (int i = 0; i < 50; ++i) scene.simulation().step();
  EXPECT_EQ(to_string(scene.simulation().step().status), "converged");
  EXPECT_EQ(scene.simulation().stiff_strain().body, -1);
}

TEST(StiffStrain, OfABodyThatIsToldToBeSoftIsFoundWithItsName) {
  const std::string soft =
      R"({"time": {"step": 0.01, "integrator": "implicit_euler"}, "half_spaces": [{}], "bodies": [{"name": "soft", "kind": "affine",
      "generator": {"kind": "box", "size": [1, 1, 1], "resolution": [1]}, "transform": {"translation": [0, 0.502, 0]},
      "material": {"stiffness": )";
  RunningScene strained(soft + "1e5}}]}");
  for (int i = 0; i < 20; ++i) strained.simulation().step();
  // The strain is rho g L / (16 kappa).
  EXPECT_NEAR(strained.simulation().stiff_strain().strain, 1000.0 * 9.80665 / 16e5, 2e-3);
  EXPECT_EQ(strained.simulation().stiff_strain().body, 0);
  RunningScene stiff(soft + "1e8}}]}");
  for (int i = 0; i < 20; ++i) stiff.simulation().step();
  EXPECT_EQ(stiff.simulation().stiff_strain().body, -1);
  EXPECT_EQ(stiff.simulation().stiff_strain().strain, 0.0);
}

TEST(StiffStrain, OfFastTurningBodiesIsNone) {
  RunningScene scene(R"({"gravity": [0, 0, 0], "time": {"step": 0.01}, "bodies": [{"kind": "affine", "generator":
      {"kind": "box", "size": [0.3, 0.1, 0.2], "resolution": [1]}, "angular_velocity": [0, 2000, 500]}]})");
  for (int i = 0; i < 20; ++i) {
    scene.simulation().step();
    EXPECT_EQ(scene.simulation().stiff_strain().body, -1);
  }
}

/// The press is in space, with friction.
TEST(StiffStrain, APressOnAStiffCubeIsBlocked) {
  const std::string json =
      R"({"time": {"step": 0.01, "duration": 0.2}, "friction": {"coefficient": 0.3}, "half_spaces": [{}],
      "bodies": [{"name": "cube", "kind": "affine", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1]},
                  "transform": {"translation": [0, 0.0502, 0]}},
                 {"name": "top", "kind": "obstacle", "generator": {"kind": "box", "size": [0.3, 0.02, 0.3], "resolution": [1]},
                  "transform": {"translation": [0, 0.112, 0]}, "motions": [{"displacement": ["0", "-0.04 * t", "0"]}]}]})";
  const Outcome outcome = run(json, 12);
  EXPECT_GT(outcome.num_blocked, 5);
  EXPECT_LE(outcome.strain, 1e-3);
}

}  // namespace
}  // namespace clearance
