// Dry friction and armatures of joints: laws, derivatives and memory.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "clearance/bodies/affine/joint_armature_potential.h"
#include "clearance/bodies/affine/joint_friction_potential.h"
#include "jointed_pair.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::dense;
using test::Pair;
using test::relative_difference;

constexpr double step = 0.1, limit = 2.5, eps = 1e-4;

StiffJoint rubbing(const Pair& pair, JointKind type) {
  StiffJoint joint = pair.joint(type);
  joint.friction = limit;
  joint.armature = 0.7;
  return joint;
}

JointFrictionPotential<3> begun(const Pair& pair, JointKind type, std::vector<double> history = {}) {
  JointFrictionPotential<3> potential({rubbing(pair, type)});
  potential.set_history(history);
  EXPECT_TRUE(potential.begin_step(pair.x, step, step));
  return potential;
}

/// Returns the force on the coordinate, by differences of the energy.
double force_at(const JointFrictionPotential<3>& friction, const Pair& pair, double turn) {
  constexpr double by = 1e-7;
  return (friction.energy(pair.moved(turn + by, 0)).value() - friction.energy(pair.moved(turn - by, 0)).value()) /
         (2.0 * by);
}

TEST(JointFriction, SlidesUnderItsLimitWhateverTheSpeed) {
  const Pair pair;
  const auto friction = begun(pair, JointKind::hinge);
  EXPECT_TRUE(friction.is_dissipative());
  for (const double turn : {1e-3, 0.1, 1.2, -0.3}) {
    EXPECT_NEAR(force_at(friction, pair, turn), std::copysign(limit, turn), 1e-6) << turn;
  }
  // Half of the elastic sliding holds three quarters of the limit.
  EXPECT_NEAR(force_at(friction, pair, 0.5 * eps), 0.75 * limit, 1e-3 * limit);
}

TEST(JointFriction, RemembersWhatHoldsIt) {
  const Pair pair;
  const auto first = begun(pair, JointKind::hinge);
  std::vector<double> history(first.history_size());
  ASSERT_EQ(history.size(), 1U);
  ASSERT_EQ(first.history_layout().size(), 1U);
  first.end_step(pair.moved(0.5 * eps, 0), history);
  EXPECT_NEAR(history[0], 0.5 * eps, 1e-12);
  // The next step starts with the force of the last one's end.
  EXPECT_NEAR(force_at(begun(pair, JointKind::hinge, history), pair, 0.0), 0.75 * limit, 1e-3 * limit);
  // A joint that has slipped keeps what it gives way by before it slips.
  first.end_step(pair.moved(-0.4, 0), history);
  EXPECT_NEAR(history[0], -eps, 1e-12);
  EXPECT_NEAR(force_at(begun(pair, JointKind::hinge, history), pair, -1e-3), -limit, 1e-6);
}

template <class P>
void expect_gradient(P& potential, const VecX& x, double length = 6e-6) {
  VecX gradient = VecX::Zero(x.size());
  potential.add_gradient(x, 1.0, gradient);
  EXPECT_GT(gradient.norm(), 1e-3);
  const auto energy = [&](const VecX& y) { return potential.energy(y).value(); };
  EXPECT_LT(relative_difference(gradient, test::finite_difference_gradient(energy, x, length)), 1e-6);
}

template <class P>
MatX exact_hessian(P& potential, const VecX& x) {
  BlockSparseMatrix matrix(3, static_cast<int>(x.size()) / 3, potential.pattern());
  VecX gradient = VecX::Zero(x.size());
  potential.add_exact_derivatives(x, 1.0, gradient, matrix);
  return dense(matrix);
}

TEST(JointFriction, GradientAgreesWithFiniteDifferences) {
  const Pair pair;
  for (const JointKind type : {JointKind::hinge, JointKind::slider}) {
    auto friction = begun(pair, type);
    expect_gradient(friction, pair.moved(0.6, 0.3) + 0.05 * VecX::Random(pair.x.size()));
  }
  // A joint that sticks, at the scale of its elastic sliding.
  auto friction = begun(pair, JointKind::hinge, {0.2 * eps});
  expect_gradient(friction, pair.moved(0.3 * eps, 0), 1e-8);
}

TEST(JointFriction, HessianIsThatOfTheLawAndThatOfDualsIsNowhereIndefinite) {
  const Pair pair;
  auto friction = begun(pair, JointKind::hinge);
  // On a pure turn the gradient of the coordinate has no part across it, so that only the curvature of the law counts.
  const VecX x = pair.moved(0.3 * eps, 0);
  const VecX turning = (pair.moved(0.31 * eps, 0) - x).normalized();
  const auto gradient = [&](const VecX& y) {
    VecX g = VecX::Zero(y.size());
    friction.add_gradient(y, 1.0, g);
    return g;
  };
  const double by = 1e-9,
               expected = (gradient(x + by * turning) - gradient(x - by * turning)).dot(turning) / (2.0 * by);
  EXPECT_NEAR(turning.dot(exact_hessian(friction, x) * turning), expected, 1e-4 * expected);
  // A joint that slides at an iterate and has stuck before has a stiffness that brings it back.
  const VecX away = pair.moved(0.2, 0);
  BlockSparseMatrix matrix(3, static_cast<int>(x.size()) / 3, friction.pattern());
  friction.add_hessian(away, 1.0, matrix);
  const Eigen::SelfAdjointEigenSolver<MatX> solver(dense(matrix), Eigen::EigenvaluesOnly);
  EXPECT_GT(solver.eigenvalues().maxCoeff(), 0.0);
  EXPECT_GT(solver.eigenvalues().minCoeff(), -1e-9 * solver.eigenvalues().maxCoeff());
  // Once the dual has followed, nothing is left of it, as in the law.
  friction.refer_to(away);
  EXPECT_EQ(exact_hessian(friction, away).norm(), 0.0);
}

TEST(JointArmature, IsTheInertiaOfTheAngle) {
  const Pair pair;
  JointArmaturePotential<3> rotor({rubbing(pair, JointKind::hinge)});
  State state;
  state.x = pair.moved(0.3, 0);
  // The first body turns by 2 rad/s about z.
  state.v = VecX::Zero(state.x.size());
  for (int b = 0; b < 4; ++b) state.v.segment<3>(3 * b) = Vec<3>(0, 0, 2).cross(state.x.segment<3>(3 * b));
  EXPECT_NEAR(rotor.kinetic_energy(state.x, state.v, {}), 0.5 * 0.7 * 4.0, 1e-12);
  // A turn of everything is none of the joint.
  VecX together = state.v;
  for (int b = 4; b < 8; ++b) together.segment<3>(3 * b) = Vec<3>(0, 0, 2).cross(state.x.segment<3>(3 * b));
  EXPECT_NEAR(rotor.kinetic_energy(state.x, together, {}), 0.0, 1e-20);

  ASSERT_TRUE(rotor.begin_step(state.x, step, step));
  EXPECT_EQ(rotor.energy(pair.moved(0.9, 0)).value(), 0.0);
  rotor.set_targets(state, [](int) { return InertialFormula{.of_v = step, .weight = 1.0 / (step * step)}; });
  EXPECT_NEAR(rotor.energy(pair.moved(0.3 + 2.0 * step, 0)).value(), 0.0, 1e-18);
  EXPECT_NEAR(rotor.energy(state.x).value(), 0.5 * 0.7 * 4.0, 1e-12);
  expect_gradient(rotor, pair.moved(0.6, 0.3) + 0.05 * VecX::Random(pair.x.size()));
}

TEST(JointArmature, MassIsThatOfItsKineticEnergy) {
  const Pair pair;
  JointArmaturePotential<3> rotor({rubbing(pair, JointKind::slider)});
  const VecX x = pair.moved(0.4, 0.2);
  BlockSparseMatrix mass(3, static_cast<int>(x.size()) / 3, rotor.pattern());
  rotor.add_mass(x, mass);
  const VecX v = VecX::Random(x.size());
  EXPECT_NEAR(0.5 * v.dot(dense(mass) * v), rotor.kinetic_energy(x, v, {}), 1e-12);
}

}  // namespace
}  // namespace clearance
