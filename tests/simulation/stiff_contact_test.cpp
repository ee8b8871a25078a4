// Stiff bodies on inclines, gears that mesh, bodies that collide: against closed forms.
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "simulation/stiff_scene.h"
#include "support/paths.h"

namespace clearance {
namespace {

constexpr double g = 9.80665;  // [m/s^2]

class StiffContact : public testing::TestWithParam<std::string> {
 protected:
  std::string kind() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Kinds, StiffContact, testing::Values("affine", "rigid"),
                         [](const auto& kind) { return kind.param; });

/// Returns a scene that turns gravity instead of the ground: down the slope is +x.
std::string slope(double angle, double mu, const std::string& body, double dhat, const std::string& more = "") {
  return R"({"gravity": [)" + std::to_string(g * std::sin(angle)) + "," + std::to_string(-g * std::cos(angle)) +
         R"(, 0], "half_spaces": [{"point": [0, 0, 0]}], "contact": {"dhat_is_absolute": true, "dhat": )" +
         std::to_string(dhat) + R"(}, "friction": {"iterations": 0, "eps_v": 1e-4, "coefficient": )" +
         std::to_string(mu) + R"(}, "solver": {"force_tolerance": 1e-5}, "time": {"integrator": "bdf2"}, "bodies": [)" +
         body + "]" + more + "}";
}

TEST_P(StiffContact, BoxSlidesDownTheInclineAsCoulombSays) {
  const double angle = 0.5, mu = 0.3;
  StiffScene scene(slope(angle, mu, stiff_box("a", kind(), "[0.4, 0.2, 0.3]", "[0, 0.1005, 0]"), 1e-3));
  scene.steps(20);
  const double v0 = scene.velocity(0)[0], x0 = scene.center(0)[0];
  scene.steps(50);
  const double a = (scene.velocity(0)[0] - v0) / 0.5;
  const double expected = g * (std::sin(angle) - mu * std::cos(angle));
  EXPECT_NEAR(a, expected, 1e-5 * expected);
  EXPECT_NEAR(scene.center(0)[0] - x0, 0.5 * v0 + 0.125 * expected, 1e-2 * 0.5 * v0);
  EXPECT_LT(scene.strain(0), 1e-3);
}

TEST_P(StiffContact, BoxSticksOnTheInclineBelowTheAngleOfFriction) {
  StiffScene scene(slope(0.4, 0.45, stiff_box("a", kind(), "[0.4, 0.2, 0.3]", "[0, 0.1005, 0]"), 1e-3));
  scene.steps(100);
  // eps_v is 5e-5 m/s for this body.
  EXPECT_LT(std::abs(scene.velocity(0)[0]), 5e-5);
  EXPECT_LT(std::abs(scene.center(0)[0]), 5e-3);
}

/// Returns a cylinder about z, so fine that its edges are no bumps: they are 6e-5 m where contact begins at 2e-3 m.
std::string fine_cylinder(const std::string& kind) {
  constexpr int num_sides = 200;
  std::string vertices = "[0, 0, -0.1], [0, 0, 0.1]", triangles;
  const auto corner = [](int k, int side) { return std::to_string(2 + 2 * (k % num_sides) + side); };
  const auto add = [&](const std::string& a, const std::string& b, const std::string& c) {
    triangles += (triangles.empty() ? "[" : ",[") + a + "," + b + "," + c + "]";
  };
  for (int k = 0; k < num_sides; ++k) {
    const double angle = 2.0 * pi * k / num_sides;
    for (const char* z : {"-0.1", "0.1"}) {
      vertices +=
          ",[" + std::to_string(0.5 * std::cos(angle)) + "," + std::to_string(0.5 * std::sin(angle)) + "," + z + "]";
    }
    add("0", corner(k + 1, 0), corner(k, 0));
    add("1", corner(k, 1), corner(k + 1, 1));
    add(corner(k, 0), corner(k + 1, 0), corner(k + 1, 1));
    add(corner(k, 0), corner(k + 1, 1), corner(k, 1));
  }
  return R"({"kind": ")" + kind + R"(", "transform": {"translation": [0, 0.5019, 0]}, "geometry": {"vertices": [)" +
         vertices + R"(], "triangles": [)" + triangles + "]}}";
}

TEST_P(StiffContact, CylinderRollsDownTheInclineWithoutSliding) {
  const double angle = 0.2, radius = 0.5;
  for (const std::string integrator : {"implicit_euler", "bdf2"}) {
    StiffScene scene(slope(angle, 0.8, fine_cylinder(kind()), 2e-3),
                     {"time.integrator=" + integrator, "time.step=0.005"});
    scene.steps(40);
    const double v0 = scene.velocity(0)[0];
    scene.steps(100);
    const double a = (scene.velocity(0)[0] - v0) / 0.5;
    const double ratio = scene.inertia(0, Vec<3>::UnitZ()) / (scene.unit_mass(0) * radius * radius);
    EXPECT_NEAR(ratio, 0.5, 1e-3);
    const double expected = g * std::sin(angle) / (1.0 + ratio);
    // The cylinder's edges cost half a percent.
    EXPECT_NEAR(a, expected, 0.01 * expected);
    EXPECT_NEAR(-scene.spin(0)[2] * radius, scene.velocity(0)[0], 1e-3);
    EXPECT_LT(scene.strain(0), 1e-3);
  }
}

TEST_P(StiffContact, CollisionOfTwoKeepsMomentumAndGainsNoEnergy) {
  for (const std::string integrator : {"implicit_euler", "bdf2", "implicit_newmark"}) {
    StiffScene scene(
        R"({"gravity": [0, 0, 0], "solver": {"force_tolerance": 1e-6}, "time": {"step": 0.002, "integrator": ")" +
        integrator + R"("}, "bodies": [)" +
        stiff_box("a", kind(), "[0.5, 0.4, 0.3]", "[-0.4, 0, 0]", R"(, "linear_velocity": [3, 0.2, 0],
                               "angular_velocity": [20, 40, -30])") +
        "," + stiff_box("b", kind(), "[0.3, 0.5, 0.4]", "[0.15, 0.25, 0.1]", R"(, "linear_velocity": [-1, 0, 0.3])") +
        "]}");
    const Vec<3> momentum = scene.linear_momentum(), angular = scene.angular_momentum();
    const double energy = scene.kinetic_energy();
    double most = 0.0;
    bool has_touched = false;
    for (int n = 0; n < 100; ++n) {
      const StepReport report = scene.step();
      has_touched = has_touched || report.num_contacts > 0;
      most = std::max(most, total_energy(report));
    }
    EXPECT_TRUE(has_touched);
    EXPECT_LT((scene.linear_momentum() - momentum).norm(), 1e-12 * momentum.norm());
    // Contact forces have no moment; the loss is the drift of spin (stiff_rotation_test.cpp).
    const double drift = integrator == "implicit_euler" ? 3e-2 : integrator == "bdf2" ? 3e-3 : 4e-4;
    EXPECT_LT((scene.angular_momentum() - angular).norm(), drift * angular.norm());
    // Newmark conserves energy only for linear forces, and the barrier is not linear: the run warns of it.
    EXPECT_LT(most, energy * (integrator == "implicit_newmark" ? 1.25 : 1.0 + 1e-9));
  }
}

/// A slope of Rigid IPC's fixtures has the tangent 0.5. At its own tolerance, ten times the speed that counts as
/// sticking, every step that sticks is good enough.
TEST_P(StiffContact, PublishedSlopeSticksAt05AndSlidesAt049) {
  const auto folder = peer_data() / "rigid-ipc/fixtures/3D/friction/incline-plane";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no published scenes in " << folder;
  for (const std::string mu : {"0.5", "0.49"}) {
    StiffScene scene(load_scene(folder / ("slopeTest_highSchoolPhysics_mu=" + mu + ".json"), SceneFormat::automatic,
                                {"bodies.type=" + kind(), "solver.tolerance=1e-7"}));
    const Vec<3> down(2 / std::sqrt(5.0), -1 / std::sqrt(5.0), 0);
    scene.steps(20);
    const double v0 = scene.velocity(0).dot(down);
    scene.steps(60);
    const double gained = scene.velocity(0).dot(down) - v0;
    if (mu == "0.5") {
      // The slope is exactly the angle of friction: the body comes to rest.
      EXPECT_LT(v0, 1e-3);
      EXPECT_LT(gained, 0.0);
    } else {
      const double expected = 9.8 * (1.0 - 2.0 * 0.49) / std::sqrt(5.0);
      EXPECT_NEAR(gained / 1.5, expected, 1e-2 * expected);
    }
  }
}

TEST_P(StiffContact, ResistsAFallThroughTheHeightOfTheScene) {
  const auto compliance_of_stack = [&](int count, double gravity) {
    StiffScene scene(R"({"gravity": [0, )" + std::to_string(-gravity) + R"(, 0], "bodies": [{"kind": ")" + kind() +
                     R"(", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [1, 1, 1]},
                     "array": {"counts": [1, )" +
                     std::to_string(count) + R"(, 1], "spacing": [0, 0.1001, 0]}}]})");
    return scene.model().contact_scales.compliance[0];
  };
  const double dhat = 1e-3 * std::sqrt(3.0) * 0.1, weightless = compliance_of_stack(40, 0.0);
  for (const int count : {1, 5, 10}) {
    // Half of dhat stops the speed of the fall within half a step, if that takes more than a hundred dhat of inertia.
    const double height = 0.1001 * (count - 1) + 0.1, speed = std::sqrt(2.0 * 9.8 * height);
    const double growth = std::max(1.0, 2.0 * speed * 0.01 / (100.0 * dhat));
    EXPECT_NEAR(weightless / compliance_of_stack(count, 9.8), growth, 1e-6 * growth) << count;
  }
  EXPECT_NEAR(weightless / compliance_of_stack(150, 9.8), 16.0, 1e-6);
}

}  // namespace
}  // namespace clearance
