// The scenes of examples/: each is valid, says what it shows, and its first steps converge without a contact missed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/cli/run.h"
#include "clearance/simulation/simulation.h"
#include "clearance/verify/folder/verify_folder.h"
#include "support/paths.h"

namespace clearance::cli {

using namespace verify;
namespace {

namespace fs = std::filesystem;

const fs::path examples_folder = source_folder() / "examples";

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(examples_folder)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Every term of the account of energy is computed on its own: only rounding may be left over.
void expect_closed_accounts(const fs::path& stats) {
  std::ifstream file(stats);
  double at_work = 0.0;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json step = nlohmann::json::parse(line);
    for (const auto& [name, energy] : step.at("account").items()) {
      if (name != "closure") at_work = std::max(at_work, std::abs(energy.get<double>()));
    }
    // A body that is not held yet and does not move has energies of rounding alone.
    EXPECT_LE(std::abs(step.at("account").at("closure").get<double>()), 1e-6 * at_work + 1e-20) << step.at("step");
  }
}

class Example : public testing::TestWithParam<std::string> {
 protected:
  fs::path scene() const { return examples_folder / (GetParam() + ".json"); }
};

TEST_P(Example, PassesTheCheck) {
  SceneOptions options;
  options.scene = scene();
  EXPECT_EQ(run_check(options), exit_done);
}

TEST_P(Example, GetsNoWarning) {
  Result<LoadedScene> loaded = load_scene(scene(), SceneFormat::automatic, {});
  ASSERT_TRUE(loaded);
  const Result<Simulation> simulation = Simulation::create(loaded->scene);
  ASSERT_TRUE(simulation);
  for (const Issue& issue : simulation->warnings()) ADD_FAILURE() << to_string(issue);
}

TEST_P(Example, SaysInItsFirstLineWhatItShows) {
  const std::string text = text_of(scene()), line = text.substr(0, text.find('\n'));
  EXPECT_EQ(line.substr(0, 3), "// ") << line;
  EXPECT_EQ(line.back(), '.') << line;
  EXPECT_NE(text_of(examples_folder / "README.md").find("`" + GetParam() + ".json`"), std::string::npos)
      << "not in examples/README.md";
}

TEST_P(Example, FirstStepsConvergeAndVerify) {
  const fs::path folder = fs::temp_directory_path() / ("clearance_example_" + GetParam() + std::to_string(getpid()));
  RunOptions options;
  options.scene.scene = scene();
  options.output = folder;
  options.steps = 3;
  options.is_strict = true;
  options.is_quiet = true;
  EXPECT_EQ(run_simulation(options), exit_done);
  expect_closed_accounts(folder / "stats.jsonl");

  const auto stored = read_verify_folder(folder);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->frames.size(), 4u);
  EXPECT_TRUE(verify_folder(*stored).is_clean());
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(All, Example, testing::ValuesIn(example_names()),
                         [](const testing::TestParamInfo<std::string>& name) { return name.param; });

TEST(Examples, AreThirtyTwo) {
  EXPECT_EQ(example_names().size(), 32u);
}

}  // namespace
}  // namespace clearance::cli
