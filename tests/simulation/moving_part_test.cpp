// Steps that move, between directions of everything, only the parts that still move.
#include "clearance/solver/moving_part.h"

#include "clearance/base/parallel.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns a soft block that falls onto a wall and a pin, which moves at `pin_speed` [m/s] upwards: it folds over them
/// here and there.
std::string block_on_a_wall(double pin_speed = 0.0) {
  return R"({
  "format": "clearance/2",
  "time": {"step": 0.01},
  "friction": {"coefficient": 0.2},
  "bodies": [
    {"generator": {"kind": "box", "size": [0.3, 0.1, 0.3], "resolution": [11, 4, 11]},
     "transform": {"translation": [0, 0.16, 0]}, "linear_velocity": [0, -2, 0],
     "material": {"density": 1000, "youngs_modulus": 2e4, "poisson_ratio": 0.4}},
    {"kind": "obstacle", "generator": {"kind": "box", "size": [0.02, 0.2, 0.4], "resolution": [1, 4, 8]}},
    {"kind": "obstacle", "generator": {"kind": "box", "size": [0.01, 0.16, 0.01], "resolution": [1, 4, 1]},
     "transform": {"translation": [0.1, 0.01, 0.05]}, "motions": [{"linear_velocity": [0, )" +
         std::to_string(pin_speed) + R"(, 0]}]}]})";
}

struct Course {
  std::vector<std::string> hashes;
  int num_partial = 0;
  int num_while_pulled = 0;  // of the part, before scripted nodes have arrived
};

/// Expects that every step converges, and that its end is verified exactly.
Course run(RunningScene& scene, int num_steps) {
  Course course;
  for (int n = 0; n < num_steps; ++n) {
    const StepReport report = scene.step();
    course.num_partial += report.partial_iterations;
    int num_whole = 0, num_partial = 0;
    for (const IterationReport& iteration : report.iterations) {
      num_whole += iteration.num_moving == 0;
      num_partial += iteration.num_moving > 0;
      if (iteration.event == "scripted nodes have arrived") course.num_while_pulled += num_partial;
      EXPECT_LE(2 * iteration.num_moving, scene.num_nodes());
    }
    EXPECT_EQ(num_whole, report.newton_iterations);
    EXPECT_EQ(report.iterations.back().num_moving, 0) << "a part has no say in whether a step is done";
    course.hashes.push_back(scene.simulation().state_hash());
  }
  return course;
}

TEST(MovingPart, StepsEndInBalanceWithTheSameBitsForThreadsAndRestarts) {
  for (const char* convergence : {"forces", "published"}) {
    SCOPED_TRACE(convergence);
    const std::vector<std::string> overrides = {std::string("solver.convergence=") + convergence};
    RunningScene whole(block_on_a_wall(), overrides), threaded(block_on_a_wall(), overrides);
    const Course expected = run(whole, 3);
    EXPECT_GT(expected.num_partial, 5);
    {
      const ThreadLimit limit(3);
      EXPECT_EQ(run(threaded, 3).hashes, expected.hashes);
    }
    RunningScene first(block_on_a_wall(), overrides), second(block_on_a_wall(), overrides);
    run(first, 1);
    ASSERT_TRUE(second.simulation().restore(first.state()));
    EXPECT_EQ(run(second, 2).hashes, std::vector<std::string>(expected.hashes.begin() + 1, expected.hashes.end()));
  }
}

TEST(MovingPart, ScriptedNodesThatArePulledHavePartsAsWell) {
  RunningScene scene(block_on_a_wall(15.0)), twin(block_on_a_wall(15.0));
  const Course course = run(scene, 1);
  EXPECT_GT(course.num_while_pulled, 0);
  const ThreadLimit limit(3);
  EXPECT_EQ(run(twin, 1).hashes, course.hashes);
}

}  // namespace
}  // namespace clearance
