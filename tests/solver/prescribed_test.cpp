#include "clearance/solver/prescribed.h"

#include <gtest/gtest.h>

#include "contact/contact_models.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::Random;
using test::relative_difference;

struct Fixture {
  explicit Fixture(unsigned seed) : random(seed) {
    targets.blocks = {1, 2, 4};
    targets.positions = random.vector(9, -1.0, 1.0);
    masses = random.vector(3, 0.1, 2.0);
    x_t0 = random.vector(15, -1.0, 1.0);
  }
  AugmentedLagrangian<3> make() const { return {targets, masses, x_t0}; }
  /// Returns x with the prescribed blocks at the given fraction of the way to their targets.
  VecX on_the_way(double fraction) const {
    VecX x = x_t0;
    for (int k = 0; k < 3; ++k) {
      const int b = targets.blocks[k];
      x.segment<3>(3 * b) += fraction * (targets.positions.segment<3>(3 * k) - x_t0.segment<3>(3 * b));
    }
    return x;
  }
  Random random;
  PrescribedTargets targets;
  VecX masses, x_t0;
};

}  // namespace

TEST(AugmentedLagrangian, DerivativesMatchFiniteDifferences) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Fixture f(seed);
    AugmentedLagrangian<3> lagrangian = f.make();
    lagrangian.activate();
    lagrangian.update(f.on_the_way(0.999));  // multipliers that are not zero
    const VecX x = f.random.vector(15, -1.0, 1.0);
    const auto gradient_at = [&](const VecX& p) {
      VecX g = VecX::Zero(15);
      lagrangian.add_gradient(p, g);
      return g;
    };
    VecX gradient = VecX::Zero(15);
    BlockSparseMatrix matrix(3, 5, {});
    lagrangian.add_derivatives(x, gradient, matrix);
    EXPECT_EQ(gradient, gradient_at(x));
    EXPECT_GT(gradient.norm(), 0.0);
    const auto energy = [&](const VecX& p) { return lagrangian.energy(p).value(); };
    EXPECT_LT(relative_difference(gradient, test::finite_difference_gradient(energy, x)), 1e-6) << seed;
    MatX dense(15, 15);
    for (int j = 0; j < 15; ++j) dense.col(j) = matrix.multiply(VecX::Unit(15, j));
    EXPECT_GT(dense.norm(), 0.0);
    EXPECT_LT(relative_difference(dense, test::finite_difference_jacobian(gradient_at, x)), 1e-6) << seed;
  }
}

TEST(AugmentedLagrangian, InactiveAddsNothing) {
  Fixture f(1);
  AugmentedLagrangian<3> lagrangian = f.make();
  VecX gradient = VecX::Zero(15);
  lagrangian.add_gradient(f.x_t0, gradient);
  EXPECT_EQ(lagrangian.energy(f.x_t0).value(), 0.0);
  EXPECT_EQ(gradient.norm(), 0.0);
  lagrangian.activate();
  EXPECT_GT(lagrangian.energy(f.x_t0).value(), 0.0);
  lagrangian.deactivate();
  EXPECT_EQ(lagrangian.energy(f.x_t0).value(), 0.0);
}

TEST(AugmentedLagrangian, ProgressIsTheFractionOfTheWay) {
  // [Fer23, eq. A.5]
  Fixture f(2);
  const AugmentedLagrangian<3> lagrangian = f.make();
  for (double fraction : {0.0, 0.25, 0.9, 1.0})
    EXPECT_NEAR(lagrangian.progress(f.on_the_way(fraction)), fraction, 1e-12);
  EXPECT_LT(lagrangian.progress(f.on_the_way(-1.0)), 0.0);
}

TEST(AugmentedLagrangian, ProgressOfNodesThatStayIsComplete) {
  PrescribedTargets targets;
  targets.blocks = {0};
  targets.positions = VecX::Ones(2);
  const AugmentedLagrangian<2> lagrangian(targets, VecX::Ones(1), VecX::Ones(2));
  EXPECT_EQ(lagrangian.progress(VecX::Ones(2)), 1.0);
}

TEST(AugmentedLagrangian, StiffensFarFromTheTargetAndShiftsMultipliersNearIt) {
  // Tests the updates of [Fer23, alg. A.1].
  Fixture f(3);
  AugmentedLagrangian<3> lagrangian = f.make();
  lagrangian.activate();
  const VecX far = f.on_the_way(0.5), near = f.on_the_way(0.995);
  const double energy_far = lagrangian.energy(far).value();
  lagrangian.update(far);
  EXPECT_NEAR(lagrangian.energy(far).value() / energy_far, 2.0, 1e-12);

  // The shifted multiplier alone exerts, at the target, the force that the penalty exerted before.
  VecX before = VecX::Zero(15), at_target = VecX::Zero(15);
  lagrangian.add_gradient(near, before);
  lagrangian.update(near);
  lagrangian.add_gradient(f.on_the_way(1.0), at_target);
  EXPECT_GT(before.norm(), 0.0);
  EXPECT_LT(relative_difference(at_target, before), 1e-9);
}

TEST(AugmentedLagrangian, StiffnessStaysBounded) {
  Fixture f(4);
  AugmentedLagrangian<3> lagrangian = f.make();
  lagrangian.activate();
  const VecX far = f.on_the_way(0.1);
  const double start = lagrangian.energy(far).value();
  for (int i = 0; i < 7; ++i) lagrangian.update(far);
  EXPECT_NEAR(lagrangian.energy(far).value() / start, 128.0, 1e-9);  // 1e6 doubled until it is at least 1e8
  const VecX at_target = f.on_the_way(1.0);
  VecX gradient = VecX::Zero(15);
  lagrangian.update(far);  // from now on the multipliers change instead
  lagrangian.add_gradient(at_target, gradient);
  EXPECT_GT(gradient.norm(), 0.0);
}

}  // namespace clearance
