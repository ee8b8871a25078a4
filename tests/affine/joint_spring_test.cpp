// Springs and dampers in joints: derivatives, and the axis and angle that they act on.
#include "clearance/bodies/affine/joint_spring_potential.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "affine_fixtures.h"
#include "jointed_pair.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::dense;
using test::Pair;
using test::relative_difference;

constexpr double step = 0.1;

JointSpringPotential<3> begun(JointSpringKind kind, const StiffJoint& joint, const VecX& x_t0) {
  JointSpringPotential<3> potential(kind, {joint});
  EXPECT_TRUE(potential.begin_step(x_t0, step, step));
  return potential;
}

TEST(JointSpring, EnergyIsThatOfTheAngleAndTheOffset) {
  const Pair pair;
  EXPECT_NEAR(begun(JointSpringKind::spring, pair.joint(JointKind::hinge), pair.x).energy(pair.moved(0.7, 0)).value(),
              0.5 * 3.0 * 0.7 * 0.7, 1e-12);
  EXPECT_NEAR(begun(JointSpringKind::spring, pair.joint(JointKind::slider), pair.x).energy(pair.moved(0, 0.2)).value(),
              0.5 * 3.0 * 0.2 * 0.2, 1e-12);
}

TEST(JointSpring, IsRelaxedWhereItsRestIs) {
  const Pair pair;
  StiffJoint joint = pair.joint(JointKind::hinge);
  joint.rest = [](double, double time_t1) -> Result<double> { return 4.0 * time_t1; };
  const auto spring = begun(JointSpringKind::spring, joint, pair.x);
  EXPECT_NEAR(spring.energy(pair.moved(0.4, 0)).value(), 0.0, 1e-20);
  EXPECT_NEAR(spring.energy(pair.x).value(), 0.5 * 3.0 * 0.4 * 0.4, 1e-12);
  EXPECT_TRUE(spring.is_driven());
}

TEST(JointSpring, PullsTheWayItWasWound) {
  const Pair pair;
  StiffJoint joint = pair.joint(JointKind::hinge);
  joint.rest = [](double, double) -> Result<double> { return 3.0; };
  // From -3 it is less than a third of a radian across the half turn, but the spring is stretched by 6.
  EXPECT_NEAR(begun(JointSpringKind::spring, joint, pair.x).energy(pair.moved(-3.0, 0)).value(), 0.5 * 3.0 * 36.0,
              1e-12);
}

TEST(JointSpring, CountsTurnsOfTheHinge) {
  const Pair pair;
  const VecX x = pair.moved(0.5, 0);
  constexpr double turn = 2.0 * 3.14159265358979323846;
  for (const int turns : {-3, -1, 0, 2, 40}) {
    JointSpringPotential<3> spring(JointSpringKind::spring, {pair.joint(JointKind::hinge)});
    spring.set_turns(x, {turns});
    ASSERT_TRUE(spring.begin_step(x, step, step));
    const double angle = 0.5 + turn * turns;
    EXPECT_NEAR(spring.energy(x).value(), 1.5 * angle * angle, 1e-9 * (1.0 + angle * angle)) << turns;
  }
}

TEST(JointSpring, DamperResistsTheSpeedOfTheStep) {
  const Pair pair;
  const auto damper = begun(JointSpringKind::damper, pair.joint(JointKind::hinge), pair.moved(0.5, 0));
  EXPECT_TRUE(damper.is_dissipative());
  EXPECT_NEAR(damper.energy(pair.moved(0.5, 0)).value(), 0.0, 1e-20);
  // The force on the angle is c times the speed.
  const double ahead = damper.energy(pair.moved(0.7 + 1e-5, 0)).value();
  const double behind = damper.energy(pair.moved(0.7 - 1e-5, 0)).value();
  EXPECT_NEAR((ahead - behind) / 2e-5, 0.4 * 0.2 / step, 1e-8);
}

TEST(JointSpring, GradientAgreesWithFiniteDifferences) {
  const Pair pair;
  for (const JointSpringKind kind : {JointSpringKind::spring, JointSpringKind::damper}) {
    for (const JointKind type : {JointKind::hinge, JointKind::slider}) {
      auto potential = begun(kind, pair.joint(type), pair.x);
      const VecX x = pair.moved(0.6, 0.3) + 0.05 * VecX::Random(pair.x.size());
      VecX gradient = VecX::Zero(x.size());
      potential.add_gradient(x, 1.0, gradient);
      EXPECT_GT(gradient.norm(), 1e-3);
      const auto energy = [&](const VecX& y) { return potential.energy(y).value(); };
      EXPECT_LT(relative_difference(gradient, test::finite_difference_gradient(energy, x)), 1e-7);
    }
  }
}

TEST(JointSpring, HessianIsExactWhereTheSpringIsRelaxedAndNowhereIndefinite) {
  const Pair pair;
  auto potential = begun(JointSpringKind::spring, pair.joint(JointKind::hinge), pair.x);
  const auto hessian_at = [&](const VecX& x) {
    BlockSparseMatrix matrix(3, static_cast<int>(x.size()) / 3, potential.pattern());
    potential.add_hessian(x, 1.0, matrix);
    return dense(matrix);
  };
  const auto gradient = [&](const VecX& x) {
    VecX g = VecX::Zero(x.size());
    potential.add_gradient(x, 1.0, g);
    return g;
  };
  EXPECT_LT(relative_difference(hessian_at(pair.x), test::finite_difference_jacobian(gradient, pair.x)), 1e-7);
  const MatX away = hessian_at(pair.moved(1.2, 0.1));
  const Eigen::SelfAdjointEigenSolver<MatX> solver(away, Eigen::EigenvaluesOnly);
  EXPECT_GT(solver.eigenvalues().minCoeff(), -1e-9 * solver.eigenvalues().maxCoeff());
}

TEST(JointSpring, JointsWithoutOneAreLeftOut) {
  const Pair pair;
  StiffJoint joint = pair.joint(JointKind::hinge);
  joint.damping = 0.0;
  EXPECT_TRUE(JointSpringPotential<3>(JointSpringKind::damper, {joint}).is_empty());
  EXPECT_FALSE(JointSpringPotential<3>(JointSpringKind::spring, {joint}).is_empty());
}

}  // namespace
}  // namespace clearance
