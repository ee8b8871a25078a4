// Runs as a library: results in folders, stops within a step, and going on from them.
#include "clearance/simulation/run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "clearance/io/result/result_files.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A soft box that is squeezed between plates: a step takes about ten iterations.
constexpr const char* squeezed_box = R"({
  "format": "clearance/2",
  "time": {"step": 0.02, "duration": 0.12},
  "solver": {"force_tolerance": 1e-8},
  "output": {"frame_interval": 100, "checkpoint_interval": 100,
             "fields": ["contact_pressure", "friction_force"],
             "probes": [{"name": "plate", "kind": "contact", "bodies": ["box", "plate"]}]},
  "friction": {"coefficient": 0.3},
  "bodies": [
    {"name": "box", "generator": {"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [2, 2, 2]},
     "material": {"density": 1000, "youngs_modulus": 1e5, "poisson_ratio": 0.45}},
    {"name": "plate", "kind": "obstacle", "generator": {"kind": "sheet", "size": [1, 1]},
     "transform": {"translation": [0, 0.101, 0]}, "motions": [{"displacement": ["0.2 * t", "-0.4 * t", "0"]}]}],
  "half_spaces": [{"point": [0, -0.101, 0]}]})";

class Runs : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / fmt::format("clearance_run_{}_{}", test->name(), getpid());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Runs the whole scene or a part of it; the results are in `folder_ / name`.
  RunOutcome run_into(const std::string& name, FolderUse use, const RunObserver& observer = {},
                      const RunLimits& limits = {}) const {
    RunningScene scene(squeezed_box);
    const Result<FolderClaim> claim = FolderClaim::make(folder_ / name, use);
    if (!claim) throw std::runtime_error(to_string(claim.issues().front()));
    const Result<RunOutcome> outcome = run(scene.simulation(), *claim, limits, observer);
    if (!outcome) throw std::runtime_error(to_string(outcome.issues().front()));
    return *outcome;
  }

  std::string read(const std::string& file) const {
    std::ifstream stream(folder_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  /// Returns the values of each line that do not depend on the clock.
  std::vector<std::string> stats_of(const std::string& name) const {
    std::vector<std::string> lines;
    std::ifstream file(folder_ / name / "stats.jsonl");
    for (std::string line; std::getline(file, line);) {
      Json record = Json::parse(line);
      record.erase("seconds");
      record.erase("frame");  // a run that was stopped has one more
      // A symbolic factorisation of the step before is kept where it would be made again just the same.
      record["counters"].erase("analyses");
      lines.push_back(record.dump());
    }
    return lines;
  }
  fs::path folder_;
};

/// Stops at the n-th question.
RunObserver stop_at(int n) {
  RunObserver observer;
  observer.is_stop_wanted = [n, num_questions = 0]() mutable { return ++num_questions >= n; };
  return observer;
}

TEST_F(Runs, StepTakesManyIterationsHere) {
  RunningScene scene(squeezed_box);
  for (int step = 0; step < 6; ++step) EXPECT_GE(scene.step().newton_iterations, 4);
}

TEST_F(Runs, StoppedWithinAStepIsTheSameAsOneThatPlannedToEndThere) {
  const RunOutcome outcome = run_into("stopped", FolderUse::start, stop_at(50));
  EXPECT_EQ(outcome.end, RunEnd::stopped);
  ASSERT_GE(outcome.last_step, 1);
  ASSERT_LT(outcome.last_step, 6);
  run_into("planned", FolderUse::start, {}, {outcome.last_step, false});
  EXPECT_EQ(stats_of("stopped"), stats_of("planned"));
  const std::string frame = fmt::format("frames/frame_{:06}.vtu", outcome.last_step);
  for (const std::string& file : {frame, std::string("frames.pvd"), std::string("probes.csv"),
                                  std::string("checkpoint/state.bin"), std::string("bodies.json")}) {
    EXPECT_FALSE(read("stopped/" + file).empty()) << file;
    EXPECT_TRUE(read("stopped/" + file) == read("planned/" + file)) << file;
  }
  const std::vector<StatsLine> lines = read_stats_lines(folder_ / "stopped");
  EXPECT_EQ(Json::parse(lines.back().text)["frame"], frame);
  EXPECT_EQ(Json::parse(read("stopped/summary.json"))["finished"], "stopped");
}

TEST_F(Runs, TakenStepByStepAreTheWholeOneAndStoppedStepsCanBeTakenAgain) {
  run_into("whole", FolderUse::start);
  RunningScene scene(squeezed_box);
  const Result<FolderClaim> claim = FolderClaim::make(folder_ / "steps", FolderUse::start);
  ASSERT_TRUE(claim);
  int num_questions = 0;
  RunObserver observer;
  observer.is_stop_wanted = [&] { return ++num_questions == 5; };
  {
    Result<clearance::Run> run = clearance::Run::begin(scene.simulation(), *claim, {}, observer);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->num_steps(), 6);
    int num_stopped = 0;
    while (!run->is_over()) {
      num_questions = num_stopped < 3 ? 0 : 100;
      const std::string before = scene.simulation().state_hash();
      if (run->step().status != StepStatus::stopped) continue;
      ++num_stopped;
      EXPECT_EQ(scene.simulation().state_hash(), before);
    }
    EXPECT_EQ(num_stopped, 3);
    EXPECT_EQ(run->finish().end, RunEnd::complete);
  }
  EXPECT_EQ(stats_of("steps"), stats_of("whole"));
  EXPECT_TRUE(read("steps/checkpoint/state.bin") == read("whole/checkpoint/state.bin"));
}

TEST_F(Runs, ResumedAfterAnyStopAreTheUninterruptedOneBitForBit) {
  EXPECT_EQ(run_into("whole", FolderUse::start).end, RunEnd::complete);
  for (const int interval : {1, 2, 7, 23}) {
    SCOPED_TRACE(interval);
    const std::string name = fmt::format("stopped_{}", interval);
    // The first stop comes before the first step is complete; later ones wait longer, so that the run makes progress.
    RunOutcome outcome = run_into(name, FolderUse::start, stop_at(interval));
    int num_stops = 0;
    while (outcome.end == RunEnd::stopped) {
      ++num_stops;
      ASSERT_LT(num_stops, 100);
      outcome = run_into(name, FolderUse::resume, stop_at(interval + 10 * num_stops));
    }
    EXPECT_EQ(outcome.end, RunEnd::complete);
    EXPECT_GE(num_stops, 1);
    EXPECT_EQ(stats_of(name), stats_of("whole"));
    EXPECT_TRUE(read(name + "/probes.csv") == read("whole/probes.csv"));
    EXPECT_TRUE(read(name + "/checkpoint/state.bin") == read("whole/checkpoint/state.bin"));
    EXPECT_TRUE(read(name + "/frames/frame_000006.vtu") == read("whole/frames/frame_000006.vtu"));
  }
}

TEST_F(Runs, StoppedStepLeavesTheStateUntouched) {
  RunningScene scene(squeezed_box), undisturbed(squeezed_box);
  scene.step();
  undisturbed.step();
  int num_questions = 0;
  const StepReport report = scene.simulation().step({}, [&] { return ++num_questions > 2; });
  EXPECT_EQ(to_string(report.status), "stopped");
  EXPECT_FALSE(report.is_advanced());
  EXPECT_EQ(report.newton_iterations, 2);
  EXPECT_EQ(scene.state().step, 1);
  EXPECT_EQ(scene.simulation().state_hash(), undisturbed.simulation().state_hash());
  // Going on at once gives the same, too.
  scene.step();
  undisturbed.step();
  EXPECT_EQ(scene.simulation().state_hash(), undisturbed.simulation().state_hash());
}

TEST_F(Runs, ObserverHearsOfEveryStepAndIteration) {
  RunObserver observer;
  int num_starts = 0, num_iterations = 0, num_steps = 0, num_reported = 0;
  observer.on_start = [&](int first_step, int last_step) {
    ++num_starts;
    EXPECT_EQ(first_step, 0);
    EXPECT_EQ(last_step, 2);
  };
  observer.on_iteration = [&](int step, int, double) {
    EXPECT_EQ(step, num_steps + 1);
    ++num_iterations;
  };
  observer.on_step = [&](int step, const StepReport& report) {
    EXPECT_EQ(step, ++num_steps);
    num_reported += report.newton_iterations;
  };
  const RunOutcome outcome = run_into("heard", FolderUse::start, observer, {2, false});
  EXPECT_EQ(num_starts, 1);
  EXPECT_EQ(num_steps, 2);
  EXPECT_EQ(num_iterations, num_reported);
  EXPECT_EQ(outcome.last_step, 2);
  EXPECT_EQ(outcome.num_steps_by_status.at("converged"), 2);
}

TEST_F(Runs, NeedACheckpointToResumeFrom) {
  run_into("result", FolderUse::start, {}, {1, false});
  fs::remove(folder_ / "result/checkpoint/state.bin");
  RunningScene scene(squeezed_box);
  const Result<FolderClaim> claim = FolderClaim::make(folder_ / "result", FolderUse::resume);
  ASSERT_TRUE(claim);
  const Result<RunOutcome> outcome = run(scene.simulation(), *claim);
  ASSERT_FALSE(outcome);
  EXPECT_NE(to_string(outcome.issues().front()).find("no checkpoint"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder_ / "result/summary.json"));
}

// A power cut may leave this. Going on would make a file with a hole.
TEST_F(Runs, CheckpointAheadOfItsLinesIsRefused) {
  run_into("result", FolderUse::start, {}, {3, false});
  const std::string lines = read("result/stats.jsonl");
  std::ofstream(folder_ / "result/stats.jsonl", std::ios::binary) << lines.substr(0, lines.find('\n') + 1);
  RunningScene scene(squeezed_box);
  const Result<FolderClaim> claim = FolderClaim::make(folder_ / "result", FolderUse::resume);
  ASSERT_TRUE(claim);
  const Result<RunOutcome> outcome = run(scene.simulation(), *claim);
  ASSERT_FALSE(outcome);
  EXPECT_NE(to_string(outcome.issues().front()).find("ends at step 1, before the step of the checkpoint, 3"),
            std::string::npos);
  EXPECT_TRUE(fs::exists(folder_ / "result/summary.json"));
}

TEST_F(Runs, BeginWithASimulationAtItsStart) {
  RunningScene scene(squeezed_box);
  scene.step();
  const Result<FolderClaim> claim = FolderClaim::make(folder_ / "result", FolderUse::start);
  ASSERT_TRUE(claim);
  EXPECT_FALSE(run(scene.simulation(), *claim));
  EXPECT_FALSE(fs::exists(folder_ / "result/scene.json"));
}

}  // namespace
}  // namespace clearance
