#include "clearance/solver/step_problem.h"

#include <gtest/gtest.h>

#include "clearance/contact/make_contact_model.h"
#include "solver/spring_models.h"
#include "support/finite_differences.h"

namespace clearance {
namespace {

using test::all_pairs;
using test::relative_difference;
using test::World;

/// A world close to contact, moved at random, with its step problem.
template <int dim>
struct Fixture {
  explicit Fixture(unsigned seed, double gap = 0.004)
      : world(test::falling_bodies<dim>(gap)),
        copies(world.model, make_contact_model<dim>(world.model, world.options.barrier)) {
    test::Random random(seed);
    const VecX noise = random.vector(world.state.x.size(), -0.001, 0.001);
    world.start(world.state.x + noise);
    world.state.v = random.vector(world.state.x.size(), -0.1, 0.1);
    target = predict(world.options.integrator, world.state);
  }
  StepProblem<dim> make() { return {world.model, copies, world.options, target, world.targets, world.state}; }
  Iterate at(const StepProblem<dim>& problem, const VecX& x) const {
    return problem.make_iterate(x, std::make_shared<const Candidates>(all_pairs(dim, world.model.surface)));
  }
  World world;
  WorkingCopies<dim> copies;
  InertialTarget target;
};

template <int dim>
void check_assembly(unsigned seed, bool has_prescribed) {
  SCOPED_TRACE(testing::Message() << dim << "D seed " << seed);
  Fixture<dim> f(seed);
  f.world.options.kappa.fixed = 1e4;
  if (has_prescribed) {
    f.world.targets.blocks = {0, 3};
    f.world.targets.positions = VecX::Zero(2 * dim);
  }
  StepProblem<dim> problem = f.make();
  const Iterate iterate = f.at(problem, f.world.state.x);
  problem.choose_kappa();
  problem.fix_prescribed();
  EXPECT_EQ(problem.kappa(), 1e4);
  EXPECT_FALSE(iterate.contacts.contacts.empty());

  SystemMatrix<dim> system(f.world.model, f.world.options);
  VecX gradient;
  problem.assemble(iterate, system, gradient);
  const auto energy = [&](const VecX& x) { return problem.energy(f.at(problem, x)).value(); };
  VecX expected = test::finite_difference_gradient(energy, iterate.x, 1e-8);
  for (int b : f.world.targets.blocks) expected.segment<dim>(dim * b).setZero();
  EXPECT_GT(expected.norm(), 0.0);
  EXPECT_LT(relative_difference(gradient, expected), 1e-4);

  // Rows of fixed blocks are those of the identity; the matrix can be factorised.
  for (int b : f.world.targets.blocks) {
    for (int c = 0; c < dim; ++c) {
      const VecX unit = VecX::Unit(iterate.x.size(), dim * b + c);
      EXPECT_EQ(system.matrix().multiply(unit), unit);
    }
  }
  EXPECT_EQ(system.solver().factorize(system.matrix()), LinearSolveStatus::solved);
}

}  // namespace

TEST(StepProblem, GradientMatchesFiniteDifferencesOfItsEnergy) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    check_assembly<2>(seed, false);
    check_assembly<3>(seed, false);
  }
}

TEST(StepProblem, FixedBlocksDoNotMove) {
  check_assembly<2>(1, true);
  check_assembly<3>(2, true);
}

TEST(StepProblem, StiffnessAtTheReferenceDistanceCarriesTheMultiplier) {
  // [Fer23, app. A.6]: at d = 1e-8 l a point-point contact has min_multiplier mean masses on the diagonal, 4 d^2 b''
  // kappa, at least, and a hundred times that at most; steps start in the middle. With a min_separation d is that much
  // larger, in both factors.
  for (const double min_separation : {0.0, 1e-3}) {
    Fixture<3> f(1, 1.0);
    f.world.options.barrier.min_separation = min_separation;
    StepProblem<3> problem = f.make();
    const Iterate far = f.at(problem, f.world.state.x);
    EXPECT_TRUE(far.contacts.contacts.empty());
    problem.choose_kappa();
    const double d = 1e-8 * f.world.model.bbox_diagonal + min_separation;
    const double curvature = barrier_derivatives(d * d, f.world.options.barrier).second;
    EXPECT_NEAR(4.0 * d * d * curvature * problem.kappa() / (f.world.options.kappa.min_multiplier * 0.5), 10.0, 1e-8);
  }
}

TEST(StepProblem, StiffnessDoublesOnlyForCloseContactsThatApproach) {
  Fixture<3> f(3);
  f.world.options.kappa.close_distance = 1e-3;
  StepProblem<3> problem = f.make();
  // Vertices of the lowest body at different heights above the floor.
  const auto at_height = [&](double height) {
    VecX x = f.world.state.x;
    for (int v = 0; v < 4; ++v) x[3 * v + 1] += 0.1;
    x[1] = height;
    return f.at(problem, x);
  };
  const Iterate high = at_height(5e-3), close = at_height(8e-4), closer = at_height(4e-4);
  problem.choose_kappa();
  const double start = problem.kappa();
  EXPECT_FALSE(problem.adapt_kappa(high, close)) << "was not close before";
  EXPECT_FALSE(problem.adapt_kappa(closer, close)) << "moves away";
  EXPECT_FALSE(problem.adapt_kappa(close, high)) << "has left";
  EXPECT_EQ(problem.kappa(), start);
  EXPECT_TRUE(problem.adapt_kappa(close, closer));
  EXPECT_DOUBLE_EQ(problem.kappa(), 2.0 * start);
  for (int i = 0; i < 20; ++i) problem.adapt_kappa(close, closer);
  EXPECT_DOUBLE_EQ(problem.kappa(), 10.0 * start) << "bounded above";
  EXPECT_FALSE(problem.adapt_kappa(close, closer));

  f.world.options.kappa.fixed = 7.0;
  StepProblem<3> fixed = f.make();
  fixed.choose_kappa();
  EXPECT_FALSE(fixed.adapt_kappa(close, closer));
  EXPECT_EQ(fixed.kappa(), 7.0);
}

TEST(StepProblem, EnergyIsInfiniteOrNotANumberOutsideOfItsDomain) {
  // A step there is never accepted: the comparison with the last energy fails.
  Fixture<3> f(4);
  StepProblem<3> problem = f.make();
  problem.choose_kappa();
  VecX x = f.world.state.x;
  x[1] = 0.0;  // on the floor
  const double change =
      problem.energy(f.at(problem, x)).value() - problem.energy(f.at(problem, f.world.state.x)).value();
  EXPECT_FALSE(change <= 0.0);
  EXPECT_FALSE(std::isfinite(change));
}

TEST(SystemMatrix, AnalysesAgainOnlyForNewContactBlocks) {
  Fixture<3> f(5);
  SystemMatrix<3> system(f.world.model, f.world.options);
  const auto solve = [&](std::vector<BlockKey> keys) {
    std::sort(keys.begin(), keys.end());
    BlockSparseMatrix& matrix = system.reset(keys);
    for (double value : matrix.values()) EXPECT_EQ(value, 0.0);
    for (int b = 0; b < matrix.num_blocks(); ++b) {
      matrix.add_to_slot<3>(matrix.find_slot(b, b), matrix.slot_stride(b), Mat<3>::Identity());
    }
    for (BlockKey key : keys) EXPECT_GE(matrix.find_slot(block_row(key), block_column(key)), 0);
    EXPECT_EQ(system.solver().factorize(matrix), LinearSolveStatus::solved);
    return system.solver().counters().num_analyses;
  };
  const BlockKey a = make_block_key(4, 0), b = make_block_key(5, 1), c = make_block_key(7, 2);
  const int start = solve({});
  const int with_a = solve({a});
  EXPECT_GT(with_a, start);
  EXPECT_EQ(solve({a}), with_a);
  EXPECT_EQ(solve({}), with_a) << "contacts that left keep their place";
  EXPECT_EQ(solve({a}), with_a) << "and find it when they come back";
  const int with_b = solve({b});
  EXPECT_GT(with_b, with_a);
  EXPECT_EQ(solve({a, b}), with_b);
  EXPECT_EQ(solve({make_block_key(1, 0)}), with_b) << "a block of the springs is always there";
  EXPECT_GT(solve({a, b, c}), with_b);
}

}  // namespace clearance
