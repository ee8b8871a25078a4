// Model, workspace and broad phase may be discarded between steps and made anew: only the state counts.
#include "simulation/running_scene.h"
#include "support/paths.h"

namespace clearance {
namespace {

RunningScene load(const std::string& example) {
  return RunningScene(load_scene(source_folder() / "examples" / (example + ".json"), SceneFormat::automatic, {}));
}

class RebuiltModel : public testing::TestWithParam<std::string> {};

TEST_P(RebuiltModel, EveryThirdStepGivesTheSameHashes) {
  constexpr int num_steps = 7;
  RunningScene whole = load(GetParam());
  auto rebuilt = std::make_unique<RunningScene>(load(GetParam()));
  for (int step = 1; step <= num_steps; ++step) {
    whole.simulation().step();
    rebuilt->simulation().step();
    ASSERT_EQ(rebuilt->simulation().state_hash(), whole.simulation().state_hash()) << "step " << step;
    if (step % 3 != 0) continue;
    State state = rebuilt->state();
    rebuilt = std::make_unique<RunningScene>(load(GetParam()));
    ASSERT_TRUE(rebuilt->simulation().restore(std::move(state)));
  }
}

// The examples have elements, stiff bodies with friction, joints with drives, prescribed motion, two dimensions,
// damping and loads.
INSTANTIATE_TEST_SUITE_P(Examples, RebuiltModel,
                         testing::Values("mat_on_knives", "card_house", "gears", "soft_gripper", "ships",
                                         "wind_and_waves"));

}  // namespace
}  // namespace clearance
