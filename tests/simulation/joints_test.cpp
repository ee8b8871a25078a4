// Joints, efforts, torques and held motions in running scenes.
#include <cmath>

#include "simulation/stiff_scene.h"

namespace clearance {
namespace {

const Vec<3> point(0.25, 0.1, -0.2);  // [m]
const Vec<3> axis = Vec<3>(1, 2, 3).normalized();
const std::string of_joint = R"("point": [0.25, 0.1, -0.2], "axis": [1, 2, 3])";

/// Returns a scene in which only the joints act, unless `more` (with a comma before) says otherwise.
std::string scene_of(const std::string& bodies, const std::string& joints, const std::string& more = "") {
  return R"({"contact": {"enabled": false}, "gravity": [0, 0, 0], "solver": {"force_tolerance": 1e-4},
    "time": {"integrator": "implicit_euler"}, "bodies": [)" +
         bodies + R"(], "joints": [)" + joints + "]" + more + "}";
}

/// Returns two boxes, thrown apart while they turn, with one joint.
std::string pair_scene(const std::string& kind, const std::string& joint) {
  return scene_of(stiff_box("a", kind, "[0.4, 0.3, 0.5]", "[0, 0, 0]",
                            R"(, "linear_velocity": [1, 0.5, 0.7], "angular_velocity": [100, 60, 80])") +
                      "," +
                      stiff_box("b", kind, "[0.3, 0.4, 0.2]", "[0.5, 0.2, -0.1]",
                                R"(, "linear_velocity": [-1, 0.3, 0.2], "angular_velocity": [-50, 150, 20])"),
                  joint);
}

class Joint : public testing::TestWithParam<std::string> {
 protected:
  std::string kind() const { return GetParam(); }
  std::string box(const std::string& more = "", const std::string& size = "[0.4, 0.3, 0.5]") const {
    return stiff_box("a", kind(), size, "[0, 0, 0]", more);
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, Joint, testing::Values("affine", "rigid"), [](const auto& kind) { return kind.param; });

/// Motion of the first body as seen from the second one, which carries it. The world is body -1.
struct Relative {
  Relative(const StiffScene& scene, int second) {
    const Mat<3> back = second < 0 ? Mat<3>(Mat<3>::Identity()) : Mat<3>(scene.map(second).inverse());
    rotation = rotation_vector(nearest_rotation<3>(back * scene.map(0)));
    offset = back * (scene.moved(0, point) - (second < 0 ? point : scene.moved(second, point)));
  }
  Vec<3> rotation;  // [rad]
  Vec<3> offset;    // [m] of the joint's point
  double turn_about_axis() const { return rotation.dot(axis); }
  double turn_across() const { return (rotation - turn_about_axis() * axis).norm(); }
  double shift_along_axis() const { return offset.dot(axis); }
  double shift_across() const { return (offset - shift_along_axis() * axis).norm(); }
};

TEST_P(Joint, ForbidsWhatItShouldAndNothingElse) {
  for (const std::string type : {"fixed", "ball", "hinge", "slider"}) {
    for (const int second : {1, -1}) {
      SCOPED_TRACE(type + (second < 0 ? " to the world" : ""));
      const std::string bodies = second < 0 ? R"(["a", ""])" : R"(["a", "b"])";
      StiffScene scene(
          pair_scene(kind(), R"({"kind": ")" + type + R"(", "bodies": )" + bodies + ", " + of_joint + "}"));
      const bool may_turn = type == "ball" || type == "hinge";
      double most_turn = 0.0, most_shift = 0.0;
      for (int n = 0; n < 15; ++n) {
        scene.step();
        const Relative relative(scene, second);
        // Forces of 1e4 N against springs of 1e10 N/m.
        if (type != "ball") {
          EXPECT_LT(relative.turn_across(), 2e-5);
        }
        if (!may_turn) {
          EXPECT_LT(std::abs(relative.turn_about_axis()), 2e-5);
        }
        EXPECT_LT(type == "slider" ? relative.shift_across() : relative.offset.norm(), 1e-5);
        most_turn = std::max(most_turn, relative.rotation.norm());
        most_shift = std::max(most_shift, relative.offset.norm());
      }
      if (may_turn) {
        EXPECT_GT(most_turn, 0.1);
      }
      if (type == "slider") {
        EXPECT_GT(most_shift, 0.05);
      }
    }
  }
}

TEST_P(Joint, KeepsTheMomentumOfItsTwoBodies) {
  StiffScene scene(pair_scene(kind(), R"({"kind": "hinge", "bodies": ["a", "b"], )" + of_joint + "}"));
  const Vec<3> before = scene.linear_momentum();
  scene.steps(20);
  EXPECT_LT((scene.linear_momentum() - before).norm(), 1e-8 * before.norm());
}

TEST_P(Joint, DriveOfAHingeFollowsItsFormula) {
  const std::string drive = R"--("drive": "200 * sin(5 * t)", )--";
  StiffScene scene(pair_scene(kind(), R"({"kind": "hinge", "bodies": ["a", "b"], )" + drive + of_joint + "}"));
  for (int n = 1; n <= 40; ++n) {
    scene.step();
    // Beyond half a turn the rotation vector goes the other way round.
    const double expected = 200.0 * pi / 180.0 * std::sin(0.05 * n);
    EXPECT_LT(std::abs(std::remainder(Relative(scene, 1).turn_about_axis() - expected, 2.0 * pi)), 2e-5);
    EXPECT_LT(Relative(scene, 1).turn_across(), 2e-5);
  }
}

TEST_P(Joint, DriveOfASliderFollowsItsFormula) {
  StiffScene scene(
      pair_scene(kind(), R"({"kind": "slider", "bodies": ["a", "b"], "drive": "0.3 * t - t^2", )" + of_joint + "}"));
  for (int n = 1; n <= 30; ++n) {
    scene.step();
    EXPECT_NEAR(Relative(scene, 1).shift_along_axis(), 0.003 * n - 1e-4 * n * n, 1e-5);
    EXPECT_LT(Relative(scene, 1).shift_across(), 1e-5);
  }
}

TEST_P(Joint, EffortOfAHingeIsTorqueOverInertia) {
  StiffScene scene(scene_of(box(), R"({"kind": "hinge", "bodies": ["a", ""], "effort": "3", )" + of_joint + "}"));
  const Vec<3> arm = scene.center(0) - point;
  const double inertia =
      scene.inertia(0, axis) + scene.unit_mass(0) * (arm - arm.dot(axis) * axis).squaredNorm();  // Steiner
  scene.steps(20);
  EXPECT_NEAR(scene.spin(0).dot(axis), 3.0 * 0.2 / inertia, 1e-3 * 0.6 / inertia);
  EXPECT_LT(scene.spin(0).cross(axis).norm(), 1e-4);
}

TEST_P(Joint, EffortOfASliderIsForceOverMass) {
  StiffScene scene(
      pair_scene(kind(), R"({"kind": "slider", "bodies": ["a", "b"], "effort": "900 * t", )" + of_joint + "}"));
  const Vec<3> before = scene.linear_momentum();
  scene.steps(10);
  EXPECT_LT((scene.linear_momentum() - before).norm(), 1e-8 * before.norm());

  StiffScene alone(
      scene_of(box(), R"({"kind": "slider", "bodies": ["a", ""], "effort": "900 * t", )" + of_joint + "}"));
  alone.steps(10);
  // The impulse is the sum of the values at the ends of ten steps.
  const double impulse = 900.0 * 0.01 * 0.01 * 55.0;
  EXPECT_LT((alone.velocity(0) - impulse / alone.unit_mass(0) * axis).norm(), 1e-6);
}

TEST_P(Joint, LimitsStopWhatReachesThem) {
  for (const bool is_hinge : {true, false}) {
    const std::string type =
        is_hinge ? R"("hinge", "lower": -20, "upper": 35)" : R"("slider", "lower": -0.02, "upper": 0.05)";
    for (const double sign : {1.0, -1.0}) {
      const std::string effort = sign > 0.0 ? R"(, "effort": "20")" : R"(, "effort": "-20")";
      StiffScene scene(scene_of(box(), R"({"bodies": ["a", ""], "kind": )" + type + effort + ", " + of_joint + "}"));
      const double lower = is_hinge ? -20.0 * pi / 180.0 : -0.02, upper = is_hinge ? 35.0 * pi / 180.0 : 0.05;
      double value = 0.0;
      for (int n = 0; n < 120; ++n) {
        scene.step();
        const Relative relative(scene, -1);
        value = is_hinge ? relative.turn_about_axis() : relative.shift_along_axis();
        ASSERT_GT(value, lower);
        ASSERT_LT(value, upper);
      }
      // The joint stands in the last degree, or the last thousandth of the body.
      EXPECT_NEAR(value, sign > 0.0 ? upper : lower, is_hinge ? pi / 180.0 : 4e-4);
    }
  }
}

/// Returns a crank of 1 m, a coupler of 3 m and a rocker of 2.5 m, with pins of the world 3 m apart: the loop closes on
/// itself.
std::string four_bar(const std::string& kind, double coupler_angle, double rocker_x, double rocker_y, int dimension) {
  const auto bar = [&](const std::string& name, double length, double x, double y, double angle) {
    const std::string size = std::to_string(length) + ", 0.1";
    const std::string generator = dimension == 2
                                      ? R"({"kind": "rectangle", "size": [)" + size + R"(], "resolution": [1, 1]})"
                                      : R"({"kind": "box", "size": [)" + size + R"(, 0.1], "resolution": [1, 1, 1]})";
    return R"({"name": ")" + name + R"(", "kind": ")" + kind + R"(", "generator": )" + generator +
           R"(, "transform": {"translation": [)" + std::to_string(x) + "," + std::to_string(y) +
           R"(, 0], "rotation": [0, 0, )" + std::to_string(angle) + "]}}";
  };
  const auto hinge = [](const std::string& bodies, double x, double y, const std::string& more = "") {
    return R"({"kind": "hinge", "axis": [0, 0, 1], "bodies": )" + bodies + R"(, "point": [)" + std::to_string(x) + "," +
           std::to_string(y) + ", 0]" + more + "}";
  };
  const double degrees = 180.0 / pi;
  const double rocker_angle = std::atan2(rocker_y, rocker_x - 3.0);
  return R"({"contact": {"enabled": false}, "solver": {"force_tolerance": 1e-4}, "dimension": )" +
         std::to_string(dimension) + R"(, "bodies": [)" + bar("crank", 1.0, 0.5, 0.0, 0.0) + "," +
         bar("coupler", 3.0, 1.0 + 1.5 * std::cos(coupler_angle), 1.5 * std::sin(coupler_angle),
             coupler_angle * degrees) +
         "," + bar("rocker", 2.5, 0.5 * (3.0 + rocker_x), 0.5 * rocker_y, rocker_angle * degrees) +
         R"(], "joints": [)" + hinge(R"(["crank", ""])", 0, 0, R"(, "drive": "360 * t^2")") + "," +
         hinge(R"(["crank", "coupler"])", 1, 0) + "," + hinge(R"(["coupler", "rocker"])", rocker_x, rocker_y) + "," +
         hinge(R"(["rocker", ""])", 3, 0) + "]}";
}

/// Returns the pin between coupler and rocker: on the circles about both ends, on the upper side.
Vec<3> coupler_pin(double crank_angle) {
  const Vec<3> end(std::cos(crank_angle), std::sin(crank_angle), 0.0), foot(3, 0, 0);
  const Vec<3> between = foot - end;
  const double d = between.norm(), along = (9.0 - 6.25 + d * d) / (2.0 * d);
  const Vec<3> up(-between[1] / d, between[0] / d, 0.0);
  return end + along / d * between + std::sqrt(9.0 - along * along) * up;
}

TEST_P(Joint, ClosedLoopOfFourBarsMovesAsGeometryDemands) {
  const Vec<3> pin = coupler_pin(0.0);
  for (int dimension : {2, 3}) {
    if (dimension == 2 && kind() == "rigid") continue;
    StiffScene scene(four_bar(kind(), std::atan2(pin[1], pin[0] - 1.0), pin[0], pin[1], dimension));
    double error = 0.0;
    for (int n = 1; n <= 100; ++n) {
      scene.step();
      error = std::max(error, (scene.moved(1, pin) - coupler_pin(2e-4 * pi * n * n)).norm());
      error = std::max(error, (scene.moved(2, pin) - coupler_pin(2e-4 * pi * n * n)).norm());
    }
    EXPECT_LT(error, 5e-5) << dimension;
  }
}

TEST_P(Joint, TorqueActsInItsWindowOnly) {
  StiffScene scene(scene_of(box(R"(, "loads": [{"kind": "torque", "value": [0, 4, 0], "end": 0.1},
                                               {"kind": "torque", "expression": ["0", "0", "x + 2 * y"]}])"),
                            ""));
  scene.steps(10);
  const double spin = 4.0 * 0.1 / scene.inertia(0, Vec<3>::UnitY());
  EXPECT_NEAR(scene.spin(0)[1], spin, 1e-3 * spin);
  scene.steps(10);
  EXPECT_NEAR(scene.spin(0)[1], spin, 2e-3 * spin);
  EXPECT_LT(scene.velocity(0).norm(), 1e-12);
}

TEST_P(Joint, HeldMotionsStayZero) {
  const std::string fast = R"(, "linear_velocity": [1, 2, 3], "angular_velocity": [100, 200, 300])";
  StiffScene scene(scene_of(box(fast + R"(, "fixed_translation": [true, false, true], "fixed_rotation": true)"), "",
                            R"(, "friction": {"coefficient": 0})"));
  const Vec<3> start = scene.center(0);
  scene.steps(10);
  EXPECT_LT((scene.center(0) - start - 0.1 * Vec<3>(0, 2, 0)).norm(), 1e-6);
  EXPECT_LT(scene.rotation(0).norm(), 1e-6);

  StiffScene spinning(scene_of(box(fast + R"(, "fixed_rotation": [true, false, true])"), ""));
  spinning.steps(10);
  // Implicit Euler takes (h omega)^2 of the spin a step (stiff_rotation_test.cpp).
  EXPECT_NEAR(spinning.rotation(0)[1], 20.0 * pi / 180.0, 3e-3);
  EXPECT_LT(std::hypot(spinning.rotation(0)[0], spinning.rotation(0)[2]), 1e-6);
  EXPECT_LT((spinning.center(0) - 0.1 * Vec<3>(1, 2, 3)).norm(), 1e-9);
}

// --- names and problems ---

Issues problems_of(const std::string& json) {
  const Result<LoadedScene> loaded = load_scene_text(json, "scene", ".", {});
  for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
  const Result<Simulation> simulation = Simulation::create(loaded->scene);
  return simulation ? simulation->warnings() : simulation.issues();
}

/// Returns a body whose edges are those of two separate triangles: the components of one body.
std::string split_scene(const std::string& name, const std::string& more = "") {
  return scene_of(R"({"name": "chain", "kind": "affine", "split_components": true, "geometry": {
      "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 2], [1, 0, 2], [0, 1, 2]],
      "edges": [[0, 1], [1, 2], [3, 4], [4, 5]]}})",
                  R"({"kind": "hinge", "bodies": [")" + name + R"(", ""])" + more + "}");
}

TEST(JointNames, ComponentsOfASplitBodyAreCounted) {
  const Issues none = problems_of(split_scene("chain[1]"));
  EXPECT_TRUE(none.empty()) << to_string(none.front());
  const Issues beyond = problems_of(split_scene("chain[2]"));
  ASSERT_EQ(beyond.size(), 1u);
  EXPECT_EQ(to_string(beyond[0]),
            "joints[0].bodies[0]: this part does not exist; the number of parts of `chain` is 2 (got \"chain[2]\")");
  const Issues whole = problems_of(split_scene("chain"));
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_NE(to_string(whole[0]).find("name one of them, `chain[0]` to `chain[1]`"), std::string::npos);
}

TEST(JointNames, JointOfAComponentHoldsThatOneOnly) {
  StiffScene scene(split_scene("chain[1]", R"(, "point": [0, 0, 2], "axis": [0, 0, 1], "effort": "1")"));
  scene.steps(10);
  EXPECT_LT((scene.moved(1, Vec<3>(0, 0, 2)) - Vec<3>(0, 0, 2)).norm(), 1e-5);
  EXPECT_GT(scene.rotation(1)[2], 1e-3);
  EXPECT_LT(scene.rotation(0).norm(), 1e-12);
}

TEST(JointNames, DriveThatStartsElsewhereIsAWarning) {
  const Issues warnings = problems_of(split_scene("chain[0]", R"--(, "drive": "90 * cos(t)")--"));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].severity, Severity::warning);
  EXPECT_NE(to_string(warnings[0]).find("is 90 at t = 0, but the joint starts at 0"), std::string::npos);
}

TEST(JointNames, FormulaThatIsNotDefinedEndsTheStep) {
  StiffScene scene(split_scene("chain[0]", R"--(, "effort": "1 / (t - 0.02)")--"));
  scene.step();
  const StepReport report = scene.simulation().step();
  EXPECT_EQ(report.status, StepStatus::undefined_input);
  EXPECT_NE(report.limited_by.find("joints[0].effort"), std::string::npos) << report.limited_by;
}

/// Directions of 1e-17 m, which rounding leaves below any tolerance, were halved as those that turn joints too far, and
/// steps that had converged were taken in parts.
TEST(Joints, DirectionsOfRoundingAreNotCorrected) {
  for (const char* tolerance : {"1e-7", "1e-9"}) {
    SCOPED_TRACE(tolerance);
    StiffScene scene(R"({"gravity": [0, 0, 0], "time": {"step": 0.005, "duration": 0.5},
      "solver": {"force_tolerance": )" +
                     std::string(tolerance) + R"(},
      "bodies": [{"name": "arm", "kind": "rigid", "generator": {"kind": "box", "size": [0.4, 0.05, 0.05],
        "resolution": [1]}, "transform": {"translation": [0.2, 0, 0]}, "material": {"density": 800}}],
      "joints": [{"name": "motor", "kind": "hinge", "bodies": ["arm", ""], "point": [0, 0, 0], "axis": [0, 0, 1],
        "effort": "0.02", "stiffness": 0.05, "damping": 0.01}]})");
    for (int n = 0; n < 100; ++n) EXPECT_LT(scene.step().newton_iterations, 10) << n;
  }
}

}  // namespace
}  // namespace clearance
