// Bodies that meet: balances of momentum and energy, rest on a half-space, three bodies in the plane.
#include <cmath>

#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns two boxes that fly into each other off-centre.
std::string colliding_boxes(const std::string& integrator, const std::string& contact = "") {
  return R"({"gravity": [0, 0, 0], "time": {"step": 0.01, "integrator": ")" + integrator + R"("},
    "solver": {"tolerance": 1e-7}, "contact": {)" +
         contact + R"(},
    "bodies": [
      {"name": "left", "generator": {"kind": "box", "size": [0.5, 0.5, 0.5], "resolution": [2, 2, 2]},
       "material": {"youngs_modulus": 5e4}, "transform": {"rotation": [10, 20, 5]}, "linear_velocity": [2, 0, 0]},
      {"name": "right", "generator": {"kind": "box", "size": [0.4, 0.6, 0.5], "resolution": [2, 2, 2]},
       "material": {"youngs_modulus": 2e4, "density": 700}, "transform": {"translation": [0.75, 0.2, 0.1]},
       "linear_velocity": [-1, 0, 0.3]}]})";
}

class Collision : public testing::TestWithParam<std::string> {};

TEST_P(Collision, ConservesLinearMomentum) {
  RunningScene boxes(colliding_boxes(GetParam()));
  const Vec<3> before = boxes.momentum();
  int most_contacts = 0;
  for (int n = 1; n <= 40; ++n) {
    most_contacts = std::max(most_contacts, boxes.step().num_contacts);
    // Newton stops at |dx| / h below 1e-7 of the scene's size of 1.5 m, so a step may miss that velocity at most.
    EXPECT_LT((boxes.momentum() - before).norm(), boxes.total_mass() * 1.5e-7 * n) << "step " << n;
  }
  EXPECT_GT(most_contacts, 3) << "the boxes missed each other";
}

INSTANTIATE_TEST_SUITE_P(Integrators, Collision,
                         testing::Values("implicit_euler", "implicit_newmark", "bdf2", "bdf2_restarted",
                                         "bdf2_in_flight"),
                         [](const auto& name) { return name.param; });

TEST(Collision, OfImplicitEulerExertsNoTorque) {
  // Elastic and contact forces at the end of a step have no moment there: sum m x_t1 x (v_t1 - v_t0) = 0. The angular
  // momentum itself is not kept by implicit Euler, since v_t1 x v_t0 is not zero.
  RunningScene boxes(colliding_boxes("implicit_euler"));
  for (int n = 1; n <= 40; ++n) {
    const VecX v_t0 = boxes.state().v;
    boxes.step();
    const Vec<3> torque = boxes.moment(boxes.state().x, boxes.state().v - v_t0);
    EXPECT_LT(torque.norm(), boxes.total_mass() * 1.5e-7 * 2.0) << "step " << n;
  }
}

TEST(Collision, AngularMomentumIsKeptTheBetterTheShorterTheStep) {
  const auto drift = [](double h) {
    RunningScene boxes(colliding_boxes("bdf2"), {"time.step=" + std::to_string(h)});
    const Vec<3> before = boxes.moment(boxes.state().x, boxes.state().v);
    boxes.steps(static_cast<int>(std::lround(0.2 / h)));
    return (boxes.moment(boxes.state().x, boxes.state().v) - before).norm() / before.norm();
  };
  const double coarse = drift(0.01), fine = drift(0.0025);
  EXPECT_LT(fine, 0.5 * coarse);
  EXPECT_LT(fine, 0.02);
}

TEST(Collision, OfImplicitEulerNeverGainsEnergy) {
  // The stiffness is constant: the adaptive one rescales the energy stored in the barriers between steps.
  RunningScene boxes(colliding_boxes("implicit_euler", R"("kappa": 1e6)"));
  double energy = infinity, first = 0.0;
  int most_contacts = 0;
  for (int n = 1; n <= 60; ++n) {
    const StepReport report = boxes.step();
    if (n == 1) energy = first = total_energy(report);
    // Velocities are found to 1.5e-7 m/s at some m/s: a relative error of the kinetic energy of 1e-7 per step.
    EXPECT_LE(total_energy(report), energy + 1e-7 * first) << "step " << n;
    energy = total_energy(report);
    most_contacts = std::max(most_contacts, report.num_contacts);
  }
  EXPECT_GT(most_contacts, 3);
  EXPECT_LT(energy, 0.99 * first) << "a collision excites vibrations, which implicit Euler damps";
}

/// Force of all contacts on the deformable bodies [N].
Vec<3> contact_force(RunningScene& scene) {
  const Frame frame = scene.simulation().frame();
  Vec<3> sum = Vec<3>::Zero();
  for (int i = 0; i < scene.num_nodes(); ++i) {
    if (scene.mass(i) > 0.0) sum += frame.contact_force.at(i);
  }
  return sum;
}

TEST(Rest, OnAHalfSpaceTheContactForceIsTheWeight) {
  RunningScene box(
      R"({"time": {"step": 0.02}, "solver": {"force_tolerance": 1e-5}, "half_spaces": [{}], "output": {"contact_forces": true},
    "bodies": [{"generator": {"kind": "box", "size": [0.5, 0.3, 0.4], "resolution": [2, 1, 2]},
                "material": {"youngs_modulus": 1e5}, "transform": {"translation": [0, 0.151, 0]}}]})");
  const double weight = box.total_mass() * 9.80665;
  StepReport report;
  for (int n = 0; n < 150; ++n) {
    const Vec<3> before = box.momentum();
    report = box.step();
    // Newton's second law holds in every step, at rest or not.
    const Vec<3> force = (box.momentum() - before) / 0.02 + Vec<3>(0, weight, 0);
    ASSERT_LT((contact_force(box) - force).norm(), 1e-4 * weight) << "step " << n;
  }
  EXPECT_NEAR(contact_force(box)[1], weight, 1e-3 * weight);
  EXPECT_LT(box.state().v.cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_GT(report.num_contacts, 0);
}

TEST(Plane, ThreeBodiesFallOnAHalfSpaceAndAWedgeAndComeToRest) {
  RunningScene pile(R"({"dimension": 2, "time": {"step": 0.02}, "solver": {"tolerance": 1e-4},
    "half_spaces": [{"point": [0, 0]}],
    "bodies": [
      {"generator": {"kind": "disk", "size": [0.3], "resolution": [3]}, "transform": {"translation": [0.0, 0.5]}},
      {"generator": {"kind": "rectangle", "size": [0.5, 0.3], "resolution": [3, 2]},
       "transform": {"translation": [0.1, 1.1], "rotation": 10}, "material": {"model": "fixed_corotational"}},
      {"generator": {"kind": "disk", "size": [0.2], "resolution": [2]}, "transform": {"translation": [-0.1, 1.7]},
       "linear_velocity": [0, -3]},
      {"kind": "obstacle", "generator": {"kind": "rectangle", "size": [0.2, 1], "is_surface": true, "resolution": [1, 1]},
       "transform": {"translation": [-0.9, 0.6], "rotation": 20}},
      {"kind": "obstacle", "generator": {"kind": "rectangle", "size": [0.2, 1], "is_surface": true, "resolution": [1, 1]},
       "transform": {"translation": [0.9, 0.6], "rotation": -20}}]})");
  const VecX start = pile.state().x;
  int most_contacts = 0;
  for (int n = 0; n < 400; ++n) {
    const StepReport report = pile.step();
    ASSERT_EQ(report.status, StepStatus::converged);
    EXPECT_GT(report.min_distance, 0.0);
    most_contacts = std::max(most_contacts, report.num_contacts);
  }
  EXPECT_GT(most_contacts, 2);
  double fastest = 0.0;
  for (int i = 0; i < pile.num_nodes(); ++i) {
    fastest = std::max(fastest, pile.v(i).norm());
    if (pile.mass(i) > 0.0) {
      EXPECT_GT(pile.x(i)[1], 0.0);
    } else {
      EXPECT_EQ(pile.x(i), pile.at(start, i)) << "an obstacle moved";
    }
  }
  // Without friction, round bodies roll on slowly; a body that fell at some m/s has lost a hundredth at least.
  EXPECT_LT(fastest, 0.05);
}

TEST(Collision, BodiesThatTouchOnlyObstaclesFallThroughEachOther) {
  const std::string boxes = R"({"time": {"step": 0.02}, "contact": {"obstacles_only": true},
    "half_spaces": [{"point": [0, -0.6, 0]}], "bodies": [
      {"generator": {"kind": "box", "resolution": [1, 1, 1]}, "motions": [{}]},
      {"generator": {"kind": "box", "size": [0.5, 0.5, 0.5], "resolution": [1, 1, 1]},
       "transform": {"translation": [0, 0.8, 0]}}]})";
  RunningScene scene(boxes);
  scene.steps(40);
  // The small one is inside of the large one, and above the half-space.
  EXPECT_LT(scene.x(8)[1], 0.0);
  EXPECT_GT(scene.x(8)[1], -0.6);
}

}  // namespace
}  // namespace clearance
