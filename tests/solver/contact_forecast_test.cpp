// Forecast of contacts from directions: fewer Newton iterations, the same minimum, the same energy.
#include "clearance/solver/contact_forecast.h"

#include <gtest/gtest.h>

#include "solver/spring_models.h"

namespace clearance {
namespace {

using test::ModelBuilder;
using test::World;

/// Returns bodies of springs side by side, each with a floor at another depth below it; all fall at the same speed.
World landing_party(int num_bodies, double speed) {
  ModelBuilder builder(3);
  for (int i = 0; i < num_bodies; ++i) {
    const Vec<3> origin(2.0 * i, 0.02 + 0.9 * std::abs(std::sin(1.7 * i)), 0.0);
    builder.add_body(
        {origin, origin + Vec<3>(0.5, 0.1, 0.0), origin + Vec<3>(0.0, 0.15, -0.5), origin + Vec<3>(0.1, 0.5, -0.1)},
        {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}});
  }
  builder.add_half_space(Vec<3>::UnitY(), 0.0);
  World world;
  world.model = builder.build();
  world.model.potentials = {std::make_shared<test::SpringPotential<3>>(world.model, 1000.0),
                            std::make_shared<test::WeightPotential>(world.model, -10.0)};
  world.options.integrator.h = 0.1;
  world.options.barrier.dhat = 0.01;
  world.options.tolerance = 1e-4;
  world.options.max_iterations = 500;
  world.start(builder.x());
  for (int b = 0; b < world.model.layout.num_blocks; ++b) world.state.v[3 * b + 1] = -speed;
  return world;
}

StepReport one_step(World& world) {
  StepWorkspace<3> workspace(world.model, world.options);
  return advance<3>(world.model, world.options, world.targets, world.state, workspace);
}

}  // namespace

TEST(ContactForecast, WallsThatAreMetOneAfterTheOtherAreForetoldAtOnce) {
  // Every body alone needs the same number of iterations; in a crowd the first impact cuts the direction of all.
  World few = landing_party(2, 5.0), many = landing_party(40, 5.0);
  const StepReport of_few = one_step(few), of_many = one_step(many);
  EXPECT_EQ(of_few.status, StepStatus::converged);
  EXPECT_EQ(of_many.status, StepStatus::converged);
  EXPECT_LE(of_many.newton_iterations, 2 * of_few.newton_iterations + 5)
      << of_few.newton_iterations << " for two bodies";
}

}  // namespace clearance
