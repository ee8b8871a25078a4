// Springs and dampers in whole scenes: motions and forces with closed forms, at default settings.
#include <cmath>
#include <functional>
#include <numbers>

#include "simulation/probed_scene.h"

namespace clearance {
namespace {

constexpr double g = 9.80665, pi = std::numbers::pi;

/// A cube of 0.1 m and 1 kg that moves along x on one spring, with time steps of 5 ms.
std::string oscillator(const std::string& body, const std::string& spring, const std::string& more = "",
                       double step = 0.005) {
  return fmt::format(R"({{"time": {{"step": {}, "duration": 4, "integrator": "bdf2_in_flight"}}, "gravity": [0, 0, 0],
    "bodies": [{{"name": "mass", "generator": {{"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2]}}, {},
                 "material": {{"density": 1000, "youngs_modulus": 1e6}} {}}}],
    "springs": [{{"name": "spring", "body": "mass", "to_point": [-0.5, 0, 0], {}}}],
    "output": {{"probes": [{{"name": "spring", "kind": "spring", "spring": "spring"}},
                           {{"name": "mass", "body": "mass"}},
                           {{"name": "speed", "kind": "velocity", "body": "mass"}}]}}}})",
                     step, body, more, spring);
}

const std::vector<std::string> kinds = {R"("kind": "rigid")", R"("kind": "affine")", R"("kind": "deformable")"};

/// Times at which x crosses zero while a scene is stepped.
std::vector<double> crossings(ProbedScene& scene, int count, double step) {
  std::vector<double> found;
  scene.step();
  double last = scene.probe("mass.x [m]");
  while (static_cast<int>(found.size()) < count && scene.state().time < 4.0) {
    scene.step();
    const double now = scene.probe("mass.x [m]");
    if (last * now < 0.0) found.push_back(scene.state().time - step * now / (now - last));
    last = now;
  }
  return found;
}

// Released 5 cm from where its spring of 100 N/m is relaxed, 1 kg has the period 2 pi sqrt(m / k).
TEST(Springs, MassHasThePeriodOfItsSpring) {
  for (const std::string& kind : kinds) {
    SCOPED_TRACE(kind);
    ProbedScene scene(
        oscillator(kind, R"("stiffness": 100, "length": 0.5)", R"(, "transform": {"translation": [0.05, 0, 0]})"));
    scene.step();
    EXPECT_NEAR(scene.probe("spring.tension [N]"), 5.0, 0.02);
    const std::vector<double> zeros = crossings(scene, 5, 0.005);
    ASSERT_EQ(zeros.size(), 5u);
    EXPECT_NEAR((zeros[4] - zeros[0]) / 2.0, 2.0 * pi * std::sqrt(1.0 / 100.0), 2e-3 * 0.628);
  }
}

// The amplitude of a damped oscillation falls by the logarithmic decrement 2 pi zeta / sqrt(1 - zeta^2) in a period.
TEST(Springs, DampedOscillationHasItsLogarithmicDecrement) {
  constexpr double omega = 10.0, zeta = 0.05, step = 0.002;
  for (const std::string& kind : kinds) {
    SCOPED_TRACE(kind);
    ProbedScene scene(oscillator(kind,
                                 fmt::format(R"("stiffness": 100, "length": 0.5, "damping": {})", 2 * zeta * omega),
                                 R"(, "transform": {"translation": [0.05, 0, 0]})", step));
    std::vector<double> peaks;
    double before = 0.05, last = 0.05;
    while (peaks.size() < 4 && scene.state().time < 4.0) {
      scene.step();
      const double now = scene.probe("mass.x [m]");
      if (last > before && last > now) {
        // The peak of the parabola through three points.
        const double slope = 0.5 * (now - before), bend = now - 2.0 * last + before;
        peaks.push_back(last - slope * slope / (2.0 * bend));
      }
      before = last;
      last = now;
    }
    ASSERT_EQ(peaks.size(), 4u);
    const double decrement = std::log(peaks[0] / peaks[3]) / 3.0;
    EXPECT_NEAR(decrement, 2.0 * pi * zeta / std::sqrt(1.0 - zeta * zeta), 0.01 * 0.314);
  }
}

// A damper alone slows a mass down exponentially, and what it takes is in the account.
TEST(Springs, DamperSlowsDownExponentiallyAndItsWorkIsInTheAccount) {
  for (const std::string& kind : kinds) {
    SCOPED_TRACE(kind);
    ProbedScene scene(oscillator(kind, R"("damping": 2)", R"(, "linear_velocity": [1, 0, 0])", 0.001));
    double damped = 0.0, integrator = 0.0;
    for (int step = 0; step < 500; ++step) {
      const StepReport report = scene.step();
      damped += report.account.damping;
      integrator += report.account.integrator;
      EXPECT_LT(std::abs(report.account.closure()), 1e-9);
      EXPECT_GE(report.account.damping, 0.0);
    }
    const double speed = scene.probe("speed.x [m/s]");
    EXPECT_NEAR(speed, std::exp(-2.0 * 0.5), 3e-3);
    EXPECT_NEAR(damped, 0.5 * (1.0 - speed * speed), 2e-3);
    EXPECT_LT(std::abs(integrator), 2e-3);
    EXPECT_NEAR(scene.probe("spring.tension [N]"), 2.0 * speed, 1e-6);
    EXPECT_NEAR(scene.probe("spring.force.x [N]"), -2.0 * speed, 1e-6);
  }
}

// A free oscillation keeps the sum of kinetic and stored energy, which is that of the spring at the start.
TEST(Springs, EnergyOfASpringIsStored) {
  ProbedScene scene(oscillator(R"("kind": "rigid")", R"("stiffness": 100, "length": 0.5)",
                               R"(, "transform": {"translation": [0.05, 0, 0]})"));
  double kinetic = 0.0, stored = 0.0, gained = 0.0;
  for (int step = 0; step < 400; ++step) {
    const StepReport report = scene.step();
    kinetic += report.account.kinetic;
    stored += report.account.stored;
    gained = std::max(gained, report.gained.share);
    EXPECT_LT(std::abs(report.account.closure()), 1e-12);
    EXPECT_EQ(report.account.drives, 0.0);
  }
  EXPECT_NEAR(kinetic + stored, 0.0, 0.01 * 0.5 * 100 * 0.05 * 0.05);
  EXPECT_LT(gained, 0.01);
}

/// Two balls of 1 kg that hang below each other, in balance.
ProbedScene hanging(const std::string& springs) {
  const std::string ball = R"("kind": "particles", "thickness": 0.1, "material": {"density": 1909.8593171})";
  return ProbedScene(R"({"time": {"step": 1, "duration": 1, "integrator": "quasi_static"},
    "bodies": [{"name": "upper", "geometry": {"vertices": [[0, -0.5, 0]]}, )" +
                     ball + R"(},
               {"name": "lower", "geometry": {"vertices": [[0, -1, 0]]}, )" +
                     ball + R"(}],
    "springs": [)" + springs +
                     R"(],
    "output": {"probes": [{"name": "a", "kind": "spring", "spring": "a"},
                          {"name": "b", "kind": "spring", "spring": "b"}]}})");
}

TEST(Springs, InSeriesCarryTheSameAndInParallelShare) {
  ProbedScene series = hanging(
      R"({"name": "a", "body": "upper", "to_point": [0, 0, 0], "stiffness": 200},
         {"name": "b", "body": "lower", "to": "upper", "stiffness": 400})");
  series.step();
  EXPECT_NEAR(series.probe("a.tension [N]"), 2.0 * g, 1e-3 * g);
  EXPECT_NEAR(series.probe("b.tension [N]"), g, 1e-3 * g);
  EXPECT_NEAR(series.x(0)[1], -0.5 - 2.0 * g / 200.0, 1e-4);
  EXPECT_NEAR(series.x(1)[1], -1.0 - 2.0 * g / 200.0 - g / 400.0, 1e-4);

  // The upper ball lies on nothing else than its own spring; both springs hold the lower one.
  ProbedScene parallel = hanging(
      R"({"body": "upper", "stiffness": 1e4},
         {"name": "a", "body": "lower", "to_point": [0, 0, 0], "stiffness": 100},
         {"name": "b", "body": "lower", "to_point": [0, 0.5, 0], "stiffness": 300})");
  parallel.step();
  EXPECT_NEAR(parallel.x(1)[1], -1.0 - g / 400.0, 1e-4);
  EXPECT_NEAR(parallel.probe("a.tension [N]"), 0.25 * g, 1e-3 * g);
  EXPECT_NEAR(parallel.probe("b.tension [N]"), 0.75 * g, 1e-3 * g);
  // A spring between ends at one place acts in all directions.
  EXPECT_NEAR(parallel.x(0)[1], -0.5 - g / 1e4, 1e-6);
}

// A spring at a place beside the centre of mass turns a stiff body: force and torque of the first step.
TEST(Springs, OffCentreSpringTurnsAStiffBody) {
  for (const std::string kind : {"rigid", "affine"}) {
    SCOPED_TRACE(kind);
    ProbedScene scene(R"({"time": {"step": 1e-4, "duration": 1, "integrator": "implicit_euler"}, "gravity": [0, 0, 0],
      "bodies": [{"name": "block", "kind": ")" +
                      kind + R"(", "material": {"density": 1000},
                  "generator": {"kind": "box", "size": [0.1, 0.2, 0.3], "resolution": [1]}}],
      "springs": [{"name": "spring", "body": "block", "point": [0.02, 0.1, -0.05], "to_point": [0.5, 0.1, -0.05],
                   "tension": 30}],
      "output": {"probes": [{"name": "spring", "kind": "spring", "spring": "spring"}]}})");
    scene.step();
    const Vec<3> force(30.0, 0.0, 0.0), arm(0.02, 0.1, -0.05);
    EXPECT_LT((scene.probe_vector("spring.force", "N") - force).norm(), 1e-3);
    EXPECT_LT((scene.moment(scene.state().x, scene.state().v) - 1e-4 * arm.cross(force)).norm(), 1e-3 * 1e-4 * 3.0);
  }
}

// The mean of a face moves, and the face stays as soft as it is: a membrane that a spring pulls by its rim alone would
// not bend. The total stiffness does not depend on the number of nodes.
TEST(Springs, RegionsActByTheirMeanWithTheStiffnessOfTheSpring) {
  double last = 0.0;
  for (const int cells : {2, 4}) {
    ProbedScene scene(fmt::format(R"({{"time": {{"step": 1, "duration": 1, "integrator": "quasi_static"}},
      "gravity": [0, 0, 0],
      "bodies": [{{"name": "bar", "generator": {{"kind": "box", "size": [0.2, 0.1, 0.1], "resolution": [{0}]}},
                   "material": {{"youngs_modulus": 1e6, "poisson_ratio": 0.3}},
                   "motions": [{{"region": {{"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}},
                                 "components": [true, false, false]}},
                               {{"region": {{"box": [[0, 0, 0], [0, 0, 1]], "frame": "body"}},
                                 "components": [false, true, false]}},
                               {{"region": {{"box": [[0, 0, 0], [0, 1, 0]], "frame": "body"}},
                                 "components": [false, false, true]}}]}}],
      "springs": [{{"name": "spring", "body": "bar", "region": {{"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}},
                    "to_point": [1.1, 0, 0], "stiffness": 5e4, "length": 0.9998}}],
      "output": {{"probes": [{{"name": "spring", "kind": "spring", "spring": "spring"}},
                             {{"name": "bar", "kind": "stress", "body": "bar"}}]}}}})",
                                  cells));
    scene.step();
    // Springs of E A / L = 5e4 N/m and of 5e4 N/m share 0.2 mm.
    EXPECT_NEAR(scene.probe("spring.tension [N]"), 5.0, 0.01 * 5.0);
    // Forces shared by areas make an even stress.
    EXPECT_NEAR(scene.probe("bar.von_mises [Pa]"), 500.0, 0.02 * 500.0);
    last = scene.probe("spring.tension [N]");
  }
  EXPECT_GT(last, 0.0);
}

// A slack cable does nothing: the weight falls freely until the cable is taut.
TEST(Springs, SlackCableDoesNothing) {
  ProbedScene scene(R"({"time": {"step": 0.001, "duration": 1, "integrator": "bdf2_in_flight"},
    "bodies": [{"name": "bob", "kind": "particles", "thickness": 0.1, "geometry": {"vertices": [[0, -0.3, 0]]},
                "material": {"density": 1909.8593171}}],
    "springs": [{"name": "cable", "body": "bob", "to_point": [0, 0, 0], "stiffness": 5e3, "length": 0.5,
                 "pull_only": true}],
    "output": {"probes": [{"name": "cable", "kind": "spring", "spring": "cable"}]}})");
  double most = 0.0;
  while (scene.state().time < 0.4) {
    scene.step();
    const double t = scene.state().time, y = -0.3 - 0.5 * g * t * t;
    if (y > -0.498) {
      EXPECT_EQ(scene.probe("cable.tension [N]"), 0.0);
      EXPECT_NEAR(scene.x(0)[1], y, 2e-3);
    }
    most = std::max(most, scene.probe("cable.tension [N]"));
  }
  // k e^2 / 2 = m g (0.2 + e) at the lowest point.
  const double weight = g, e = (weight + std::sqrt(weight * weight + 2.0 * 5e3 * weight * 0.2)) / 5e3;
  EXPECT_NEAR(most, 5e3 * e, 0.03 * 5e3 * e);
}

/// A block of E A / L = 1e5 N/m on the ground, pressed by a bolt of 5e4 N/m, and pulled up by 4 N from t = 2 on.
std::string bolted() {
  return R"json({"time": {"step": 0.5, "duration": 3, "integrator": "quasi_static"}, "gravity": [0, 0, 0],
    "bodies": [{"name": "block", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2]},
                "material": {"youngs_modulus": 1e6, "poisson_ratio": 0},
                "motions": [{"region": {"box": [[0, 0, 0], [1, 0, 1]], "frame": "body"}}],
                "loads": [{"kind": "force", "expression": [0, "4 * max(0, min(1, t - 2))", 0],
                           "region": {"box": [[0, 1, 0], [1, 1, 1]], "frame": "body"}}]}],
    "springs": [{"name": "bolt", "body": "block", "region": {"box": [[0, 1, 0], [1, 1, 1]], "frame": "body"},
                 "to_point": [0, -0.05, 0], "stiffness": 5e4, "tension": "10 * min(1, t)", "locked_from": 2}],
    "output": {"probes": [{"name": "bolt", "kind": "spring", "spring": "bolt"},
                          {"name": "ground", "kind": "reaction", "body": "block"}]}})json";
}

// The joint diagram: of a service load P the bolt carries P k_bolt / (k_bolt + k_block), and the joint loses the rest.
TEST(Springs, BoltSharesTheServiceLoadByTheJointDiagram) {
  ProbedScene scene(bolted());
  scene.steps(2);
  EXPECT_NEAR(scene.probe("bolt.tension [N]"), 10.0, 1e-12);
  EXPECT_NEAR(scene.probe("bolt.length [m]"), 0.1 - 10.0 / 1e5, 1e-6);
  scene.steps(2);
  EXPECT_NEAR(scene.probe("bolt.tension [N]"), 10.0, 1e-12);
  Simulation& simulation = scene.simulation();
  ProbedScene resumed(bolted());
  ASSERT_TRUE(resumed.simulation().restore(scene.state()));
  scene.steps(2);
  EXPECT_NEAR(scene.probe("bolt.tension [N]"), 10.0 + 4.0 / 3.0, 0.005 * 4.0 / 3.0);
  EXPECT_NEAR(scene.probe("ground.force.y [N]"), 10.0 - 4.0 * 2.0 / 3.0, 0.01);
  // A restart knows the length of the lock.
  resumed.steps(2);
  EXPECT_EQ(resumed.simulation().state_hash(), simulation.state_hash());
}

TEST(Springs, EndsThatAreNowhereAreTold) {
  const auto messages = [](const std::string& spring, const std::string& body = "") {
    const Result<LoadedScene> loaded = load_scene_text(
        R"({"bodies": [{"name": "cube", "generator": {"kind": "box", "size": [1, 1, 1], "resolution": [3]})" + body +
            R"(}], "springs": [{"body": "cube", "stiffness": 1, )" + spring + "}]}",
        "scene", ".", {});
    std::string text;
    const SceneModel scene = build_scene_model(loaded->scene, std::move(load_bodies(loaded->scene)->instances));
    for (const Issue& issue : scene.issues) text += to_string(issue) + "\n";
    return text;
  };
  EXPECT_EQ(messages(R"("point": [0.5, 0, 0], "to_point": [2, 0, 0])"), "");
  EXPECT_NE(messages(R"("point": [0.7, 0, 0], "to_point": [2, 0, 0])").find("the surface of 'cube' is 0.2 m away"),
            std::string::npos);
  EXPECT_NE(messages(R"("region": {"box": [[2, 2, 2], [3, 3, 3]]})").find("springs[0].region: it contains no node"),
            std::string::npos);
  EXPECT_NE(messages(R"("point": [0.5, 0, 0], "tension": 3)").find("springs[0].tension: both ends start at the same"),
            std::string::npos);
  EXPECT_NE(messages(R"("to_point": [2, 0, 0])", R"(, "refinements": 3)").find("give a `point` or a region of fewer"),
            std::string::npos);
}

}  // namespace
}  // namespace clearance
