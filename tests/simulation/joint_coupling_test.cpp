// Joints that follow others (mimic) in running scenes.
#include <fmt/format.h>

#include "simulation/running_scene.h"

namespace clearance {
namespace {

std::string part(const std::string& name, const std::string& kind, int dimension, double x) {
  const std::string generator = dimension == 2 ? R"({"kind": "rectangle", "size": [0.1, 0.1], "resolution": [1, 1]})"
                                               : R"({"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]})";
  return fmt::format(R"({{"name": "{}", "kind": "{}", "generator": {}, "transform": {{"translation": [{}, 0, 0]}}}})",
                     name, kind, generator, x);
}

std::string joint(const std::string& name, const std::string& kind, const std::string& more, int dimension, double x) {
  const std::string axis = kind == "slider" ? R"(, "axis": [0, 1, 0])" : dimension == 3 ? R"(, "axis": [0, 0, 1])" : "";
  return fmt::format(R"({{"name": "{0}", "kind": "{1}", "bodies": ["{0}", ""], "point": [{2}, 0, 0]{3}{4}}})", name,
                     kind, x, axis, more);
}

struct Part {
  std::string joint_kind, more;
};

/// Returns parts a, b, c side by side, each with a joint of its name to the world.
std::string scene_of(const std::string& kind, int dimension, const std::vector<Part>& parts,
                     const std::string& time = R"("step": 0.01)", const std::string& gravity = "0") {
  std::string bodies, joints, probes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string name(1, static_cast<char>('a' + i)), comma = i == 0 ? "" : ", ";
    const double x = 0.5 * static_cast<double>(i);
    bodies += comma + part(name, kind, dimension, x);
    joints += comma + joint(name, parts[i].joint_kind, parts[i].more, dimension, x);
    probes += comma + fmt::format(R"({{"name": "{0}", "kind": "joint", "joint": "{0}"}})", name);
  }
  return fmt::format(R"({{"dimension": {}, "gravity": [0, {}{}], "time": {{{}}}, "contact": {{"enabled": false}},
      "bodies": [{}], "joints": [{}], "output": {{"probes": [{}]}}}})",
                     dimension, gravity, dimension == 3 ? ", 0" : "", time, bodies, joints, probes);
}

struct Values {
  double value, effort;
};
Values values_of(RunningScene& scene, char name) {
  const std::vector<std::string>& columns = scene.simulation().probe_columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].starts_with(name)) {
      const std::vector<double> values = scene.simulation().probe_values();
      return {values[i], values[i + 1]};
    }
  }
  return {};
}

struct CouplingCase {
  std::string kind;
  int dimension;
};
class Mimic : public testing::TestWithParam<CouplingCase> {
 protected:
  std::string scene(const std::vector<Part>& parts,
                    const std::string& time = R"("step": 0.01, "integrator": "implicit_euler")",
                    const std::string& gravity = "0") const {
    return scene_of(GetParam().kind, GetParam().dimension, parts, time, gravity);
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, Mimic,
                         testing::Values(CouplingCase{"affine", 3}, CouplingCase{"rigid", 3}, CouplingCase{"affine", 2},
                                         CouplingCase{"rigid", 2}),
                         [](const auto& test) { return test.param.kind + std::to_string(test.param.dimension) + "d"; });

TEST_P(Mimic, SliderFollowsASliderAndBothStopAtTheLimit) {
  RunningScene running(scene({{"slider", R"(, "lower": 0, "upper": 0.08, "effort": "1")"},
                              {"slider", R"(, "mimic": {"joint": "a", "multiplier": -1})"}}));
  for (int i = 0; i < 300; ++i) {
    running.step();
    ASSERT_NEAR(values_of(running, 'b').value, -values_of(running, 'a').value, 1e-7) << i;
  }
  EXPECT_NEAR(values_of(running, 'a').value, 0.08, 1e-4);
}

TEST_P(Mimic, LimitOfTheFollowerStopsTheLeader) {
  RunningScene running(scene({{"slider", R"(, "effort": "1", "damping": 1)"},
                              {"slider", R"(, "upper": 0.05, "mimic": {"joint": "a", "multiplier": 0.5})"}}));
  running.steps(400);
  EXPECT_NEAR(values_of(running, 'a').value, 0.1, 2e-4);
}

TEST_P(Mimic, HingeFollowsAHingeOverTurns) {
  RunningScene running(
      scene({{"hinge", R"(, "drive": "360 * t^2")"}, {"hinge", R"(, "mimic": {"joint": "a", "multiplier": -0.75})"}}));
  for (int i = 0; i < 200; ++i) running.step();
  EXPECT_NEAR(values_of(running, 'a').value, 1440.0, 1e-3);
  EXPECT_NEAR(values_of(running, 'b').value, -1080.0, 1e-3);
}

TEST_P(Mimic, SliderFollowsAHingeLikeARack) {
  // 1 mm a degree.
  RunningScene running(
      scene({{"hinge", R"(, "drive": "90 * t")"}, {"slider", R"(, "mimic": {"joint": "a", "multiplier": 0.001})"}}));
  running.steps(300);
  EXPECT_NEAR(values_of(running, 'a').value, 270.0, 1e-3);
  EXPECT_NEAR(values_of(running, 'b').value, 0.27, 1e-6);
}

TEST_P(Mimic, HingeFollowsASlider) {
  RunningScene running(
      scene({{"slider", R"(, "drive": "0.1 * t")"}, {"hinge", R"(, "mimic": {"joint": "a", "multiplier": 3000})"}}));
  running.steps(100);
  EXPECT_NEAR(values_of(running, 'b').value, 300.0, 1e-3);
}

TEST_P(Mimic, ChainHandsOnWhateverTheOrder) {
  for (const bool is_reversed : {false, true}) {
    const Part led = {"hinge", R"(, "drive": "50 * t")"};
    const std::vector<Part> parts = is_reversed
                                        ? std::vector<Part>{{"hinge", R"(, "mimic": {"joint": "b", "multiplier": 3})"},
                                                            {"hinge", R"(, "mimic": {"joint": "c", "multiplier": 2})"},
                                                            led}
                                        : std::vector<Part>{led,
                                                            {"hinge", R"(, "mimic": {"joint": "a", "multiplier": 2})"},
                                                            {"hinge", R"(, "mimic": {"joint": "b", "multiplier": 3})"}};
    RunningScene running(scene(parts));
    running.steps(100);
    EXPECT_NEAR(values_of(running, is_reversed ? 'a' : 'c').value, 300.0, 1e-3);
  }
}

TEST_P(Mimic, ForceOnTheFollowerMovesTheLeader) {
  // The two move as one body: F = (m_b + m_a / multiplier^2) a, with the coupling's force on both.
  RunningScene running(
      scene({{"slider", ""}, {"slider", R"(, "effort": "3", "mimic": {"joint": "a", "multiplier": 2})"}}));
  const double mass = running.model().mass[0];
  const int steps = 50;
  running.steps(steps);
  const double acceleration = 3.0 / (mass + 0.25 * mass), h = 0.01;
  EXPECT_NEAR(values_of(running, 'b').value, 0.5 * acceleration * h * h * steps * (steps + 1), 1e-3 * acceleration);
  EXPECT_NEAR(values_of(running, 'a').value, 0.5 * values_of(running, 'b').value, 1e-7);
  // The effort of the leader is the action of the coupling on it: twice the force, on its own mass.
  EXPECT_NEAR(values_of(running, 'a').effort, mass * 0.5 * acceleration, 1e-3 * mass * acceleration);
  EXPECT_NEAR(values_of(running, 'b').effort, mass * acceleration, 1e-3 * mass * acceleration);
}

TEST_P(Mimic, OffsetIsWhereTheFollowerIsBesides) {
  const auto loaded = load_scene_text(
      scene({{"slider", R"(, "drive": "0.1 * t")"}, {"slider", R"(, "mimic": {"joint": "a", "offset": 0.01})"}}),
      "scene", ".", {});
  ASSERT_TRUE(loaded);
  Result<Simulation> simulation = Simulation::create(loaded->scene);
  ASSERT_TRUE(simulation);
  std::string told;
  for (const Issue& issue : simulation->warnings()) told += to_string(issue) + "\n";
  EXPECT_NE(told.find("joints[1].mimic.offset: warning: both joints start at 0, so that this one jumps"),
            std::string::npos)
      << told;
  for (int i = 0; i < 50; ++i) simulation->step();
  const std::size_t columns_per_joint = simulation->probe_columns().size() / 2;
  EXPECT_NEAR(simulation->probe_values()[columns_per_joint], 0.06, 1e-7);
}

TEST_P(Mimic, EnergyOfCoupledBodiesIsOneAccount) {
  // Two pendulums swing against each other through a coupling: energy that one hands to the other is no gain.
  RunningScene running(scene(
      {{"hinge", R"(, "stiffness": 0.5, "rest": "60")"}, {"hinge", R"(, "mimic": {"joint": "a", "multiplier": -3})"}},
      R"("step": 0.002, "integrator": "bdf2_restarted")"));
  StepReport report;
  for (int i = 0; i < 1000; ++i) report = running.step();
  EXPECT_LT(report.gained.share, 0.03);
  EXPECT_LT(report.lost.share, 0.03);
  EXPECT_NEAR(report.account.closure(), 0.0, 1e-6);
}

}  // namespace
}  // namespace clearance
