// Pressures that follow the surface, against closed forms.
#include <cmath>

#include "simulation/probed_scene.h"

namespace clearance {
namespace {

/// Returns a box that slides on the three planes through its corner at the origin (2D: two), under a pressure from all
/// sides.
std::string squeezed_box(int dim, const std::string& pressure, const std::string& integrator) {
  const std::string shape = dim == 2 ? R"("rectangle", "size": [1, 1], "resolution": [3, 3])"
                                     : R"("box", "size": [1, 1, 1], "resolution": [2, 2, 2])";
  const std::string planes =
      dim == 2 ? R"({"region": {"frame": "body", "box": [[0, 0, 0], [0, 1, 1]]}, "components": [true, false, false]},
                    {"region": {"frame": "body", "box": [[0, 0, 0], [1, 0, 1]]}, "components": [false, true, false]})"
               : R"({"region": {"frame": "body", "box": [[0, 0, 0], [0, 1, 1]]}, "components": [true, false, false]},
                    {"region": {"frame": "body", "box": [[0, 0, 0], [1, 0, 1]]}, "components": [false, true, false]},
                    {"region": {"frame": "body", "box": [[0, 0, 0], [1, 1, 0]]}, "components": [false, false, true]})";
  return R"({"dimension": )" + std::to_string(dim) + R"(, "gravity": [0, 0, 0],
    "time": {"step": 1, "integrator": ")" +
         integrator + R"("}, "bodies": [{"generator": {"kind": )" + shape + R"(},
    "transform": {"translation": [0.5, 0.5, )" +
         (dim == 2 ? "0" : "0.5") + R"(]},
    "material": {"model": "neo_hookean", "youngs_modulus": 1e5, "poisson_ratio": 0.3}, "motions": [)" +
         planes + R"(],
    "loads": [{"kind": "pressure", "pressure": )" +
         pressure + "}]}]}";
}

/// Solves for s with the Cauchy stress -p: mu (s - 1 / s) + dim lambda ln s / s = -p s^(dim - 1).
double stretch_under(double p, int dim) {
  const double mu = 1e5 / 2.6, lambda = 1e5 * 0.3 / (1.3 * 0.4);
  double low = 0.1, high = 3.0;
  for (int i = 0; i < 200; ++i) {
    const double s = 0.5 * (low + high);
    const double excess = mu * (s - 1 / s) + dim * lambda * std::log(s) / s + p * std::pow(s, dim - 1);
    (excess > 0.0 ? high : low) = s;
  }
  return low;
}

void expect_stretch(RunningScene& box, double s, double tolerance) {
  for (int i = 0; i < box.num_nodes(); ++i) {
    EXPECT_LT((box.x(i) - s * box.rest(i)).cwiseAbs().maxCoeff(), tolerance) << "node " << i;
  }
}

TEST(Pressure, FromAllSidesShrinksABoxAsItsMaterialSays) {
  for (const int dim : {2, 3}) {
    for (const double p : {2e2, 5e4, -1e4}) {
      RunningScene box(squeezed_box(dim, std::to_string(p), "quasi_static"));
      const StepReport report = box.step();
      const double s = stretch_under(p, dim);
      // The default tolerance of forces is a thousandth.
      expect_stretch(box, s, 1e-3 * std::abs(1 - s));
      // The pressure is constant: its work is p times the volume that the box loses.
      const double loads = report.account.loads;
      EXPECT_NEAR(loads, p * (1 - std::pow(s, dim)), 3e-3 * std::abs(loads)) << dim << " " << p;
      EXPECT_LE(report.newton_iterations, 12);
    }
  }
}

TEST(Pressure, FormulasAreTakenAtTheEndOfTheStepAndWindowsCount) {
  RunningScene box(squeezed_box(3, R"("1e4 * t")", "quasi_static"));
  box.step();
  expect_stretch(box, stretch_under(1e4, 3), 1e-4);
  box.step();
  expect_stretch(box, stretch_under(2e4, 3), 2e-4);
  RunningScene windowed(squeezed_box(3, R"(1e4, "start": 1, "end": 2)", "quasi_static"));
  windowed.step();
  expect_stretch(windowed, 1.0, 1e-12);
  windowed.step();
  expect_stretch(windowed, stretch_under(1e4, 3), 1e-4);
  windowed.step();
  expect_stretch(windowed, 1.0, 1e-4);
}

/// A long block whose left end is turned by 120 degrees in one step, under a pressure on its upper side. Whatever the
/// shape of that side, the force on it is the pressure times the chord between its ends, across it.
TEST(Pressure, FollowsASideThatTurnsAwayInOneStep) {
  const double p = 50.0;
  ProbedScene block(R"({"dimension": 2, "gravity": [0, 0, 0], "time": {"step": 1, "integrator": "quasi_static"},
    "bodies": [{"name": "block", "generator": {"kind": "rectangle", "size": [2, 0.5], "resolution": [16, 4]},
      "material": {"youngs_modulus": 2e4},
      "motions": [{"region": {"frame": "body", "box": [[0, 0, 0], [0, 1, 1]]}, "angular_velocity": [0, 0, 120]}],
      "loads": [{"kind": "pressure", "pressure": 50, "region": {"frame": "body", "box": [[0, 1, 0], [1, 1, 1]]}}]}],
    "output": {"probes": [{"name": "hold", "kind": "reaction", "body": "block"}]}})");
  block.step();
  int left = -1, right = -1;
  for (int i = 0; i < block.num_nodes(); ++i) {
    if (block.rest(i)[1] != 0.25) continue;
    if (block.rest(i)[0] == -1.0) left = i;
    if (block.rest(i)[0] == 1.0) right = i;
  }
  ASSERT_GE(left, 0);
  ASSERT_GE(right, 0);
  const Vec<3> chord = block.x(right) - block.x(left);
  // The outside is to the left of the way from left to right.
  const Vec<3> expected_hold(-p * chord[1], p * chord[0], 0.0);
  EXPECT_GT(std::abs(chord[1]), 1.0);  // it has turned far
  EXPECT_LT((block.probe_vector("hold.force", "N") - expected_hold).norm(), 2e-3 * expected_hold.norm());
}

/// Length of the chord between the ends of a clamped beam of length 1 that a pressure on one side curls up: at every
/// place the moment is half the pressure times the squared distance from the free end.
double curled_chord(double pressure, double bending_stiffness) {
  constexpr int count = 20000;
  double x = 0.0, y = 0.0, angle = 0.0;
  for (int i = 0; i < count; ++i) {
    const double turn = 0.5 * pressure * (x * x + y * y) / bending_stiffness / count;
    x += std::cos(angle + 0.5 * turn) / count;
    y += std::sin(angle + 0.5 * turn) / count;
    angle += turn;
  }
  return std::hypot(x, y);
}

/// An energy that referred to the start had a minimum of its own, far away.
TEST(Pressure, CurlsABeamUpInOneStep) {
  for (const double p : {1000.0, 3000.0}) {
    ProbedScene beam(R"({"dimension": 2, "gravity": [0, 0, 0], "time": {"step": 1, "integrator": "quasi_static"},
      "contact": {"enabled": false}, "bodies": [{"name": "beam",
        "generator": {"kind": "rectangle", "size": [1, 0.1], "resolution": [40, 4]},
        "material": {"youngs_modulus": 1e6, "poisson_ratio": 0.3},
        "motions": [{"region": {"frame": "body", "box": [[0, 0, 0], [0, 1, 1]]}}],
        "loads": [{"kind": "pressure", "pressure": )" +
                     std::to_string(p) + R"(,
                   "region": {"frame": "body", "box": [[0, 1, 0], [1, 1, 1]]}}]}],
      "output": {"probes": [{"name": "tip", "kind": "position", "body": "beam", "point": [0.5, 0, 0]}]}})");
    beam.step();
    const double chord = (beam.probe_vector("tip", "m") - Vec<3>(-0.5, 0, 0)).norm();
    // The larger pressure also stretches the beam, by 12 %; elements of order 3 give 0.44645.
    if (p < 2000.0) {
      EXPECT_NEAR(chord, curled_chord(p, 1e6 / 0.91 * 1e-3 / 12), 0.03);
    } else {
      EXPECT_NEAR(chord, 0.44645, 2e-3);
    }
  }
}

/// The momentum of a block that turns by a third of a radian a step grows by the force on its side where that is at the
/// end of the step.
TEST(Pressure, PushesAcrossWhereTheSideIsAtTheEndOfTheStep) {
  RunningScene block(
      R"({"gravity": [0, 0, 0], "time": {"step": 0.05, "integrator": "implicit_euler"}, "solver": {"force_tolerance": 1e-8}, "bodies": [
    {"generator": {"kind": "box", "size": [1, 0.5, 0.5], "resolution": [4, 2, 2]},
     "material": {"youngs_modulus": 1e6}, "angular_velocity": [0, 0, 382],
     "loads": [{"kind": "pressure", "pressure": 900, "region": {"frame": "body", "box": [[0, 1, 0], [1, 1, 1]]}}]}]})");
  for (int n = 0; n < 4; ++n) {
    const Vec<3> before = block.momentum();
    block.step();
    // The area vector of a surface depends on its edge alone: half the sum of x_i cross x_(i + 1) along it.
    std::vector<int> edge;
    for (int i = 0; i < block.num_nodes(); ++i) {
      const Vec<3> r = block.rest(i);
      if (r[1] == 0.25 && (std::abs(r[0]) == 0.5 || std::abs(r[2]) == 0.25)) edge.push_back(i);
    }
    std::sort(edge.begin(), edge.end(), [&](int a, int b) {
      return std::atan2(block.rest(a)[2], block.rest(a)[0]) < std::atan2(block.rest(b)[2], block.rest(b)[0]);
    });
    Vec<3> area = Vec<3>::Zero();
    for (std::size_t i = 0; i < edge.size(); ++i) {
      area -= 0.5 * block.x(edge[i]).cross(block.x(edge[(i + 1) % edge.size()]));
    }
    const Vec<3> impulse = block.momentum() - before;
    EXPECT_LT((impulse + 0.05 * 900 * area).norm(), 1e-5 * impulse.norm()) << n;
  }
}

TEST(Pressure, OnAllOfAFreeBodyMovesItNowhere) {
  const auto ball = [](const std::string& pressure) {
    return R"({"gravity": [0, 0, 0], "time": {"step": 0.01}, "bodies": [
      {"generator": {"kind": "sphere", "size": [0.5], "resolution": [2]}, "material": {"youngs_modulus": 1e5},
       "angular_velocity": [90, 0, 200], "loads": [{"kind": "pressure", "pressure": )" +
           pressure + "}]}]}";
  };
  RunningScene free(ball("0")), pressed(ball("3000"));
  free.steps(20);
  pressed.steps(20);
  const Vec<3> spin = free.moment(free.state().x, free.state().v);
  EXPECT_GT(spin.norm(), 100.0);
  EXPECT_LT(pressed.momentum().norm(), 1e-3 * spin.norm());
  EXPECT_LT((pressed.moment(pressed.state().x, pressed.state().v) - spin).norm(), 5e-3 * spin.norm());
}

std::string problems_of(const std::string& body) {
  const auto loaded = load_scene_text(
      "{\"controls\": [{\"name\": \"pump\"}], \"bodies\": [{\"generator\": {\"kind\": "
      "\"box\"}, " +
          body + "}]}",
      "scene", ".");
  std::string all;
  for (const Issue& issue : loaded.issues()) all += to_string(issue) + "\n";
  if (loaded) {
    for (const Issue& issue : loaded->warnings) all += to_string(issue) + "\n";
  }
  return all;
}

TEST(Pressure, MistakesAreNamed) {
  EXPECT_EQ(problems_of(R"("loads": [{"kind": "pressure", "pressure": "pump"}])"), "");
  EXPECT_NE(problems_of(R"("loads": [{"kind": "pressure"}])").find("needs the key `pressure`"), std::string::npos);
  EXPECT_NE(
      problems_of(R"("loads": [{"kind": "pressure", "pressure": 1, "value": [0, 1, 0]}])").find("neither `value` nor"),
      std::string::npos);
  EXPECT_NE(problems_of(R"("loads": [{"kind": "traction", "value": [0, 1, 0], "pressure": 3}])")
                .find("only a load of kind `pressure`"),
            std::string::npos);
  EXPECT_NE(problems_of(R"("loads": [{"kind": "pressure", "pressure": "x + 1"}])").find("loads[0].pressure"),
            std::string::npos);
  EXPECT_NE(problems_of(R"("kind": "affine", "loads": [{"kind": "pressure", "pressure": 1}])")
                .find("a load on a stiff body must be a force, a torque or an acceleration"),
            std::string::npos);
}

}  // namespace
}  // namespace clearance
