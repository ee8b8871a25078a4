// Runs that are asked to stop, or killed at a random moment.
#include <pty.h>

#include <cstdlib>
#include <random>
#include <sstream>

#include "cli/quick_run.h"
#include "support/environment.h"
#include "support/paths.h"

namespace clearance::cli {
namespace {

class Signals : public QuickRun {
 protected:
  void SetUp() override {
    QuickRun::SetUp();
    whole_ = folder_ / "whole";
    ASSERT_EQ(clearance({"run", scene_, "-o", whole_.string(), "-q", "--threads", "1"}).status, 0);
  }
  fs::path whole_;
};

TEST_F(Signals, StopARunWithTheirStatusAndEverythingStored) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    SCOPED_TRACE(signal);
    fs::remove_all(out_);
    // The only checkpoint is the one of the end.
    const std::vector<std::string> sparse = {"--set", "output.checkpoint_interval=1000000"};
    std::vector<std::string> words = arguments(sparse);
    words.insert(words.end(), {"--set", "time.duration=1000"});
    const pid_t pid = start(words);
    ASSERT_TRUE(wait_for_steps(out_, 5));
    kill(pid, signal);
    const ProcessResult stopped = wait_for(pid);
    EXPECT_EQ(stopped.status, 128 + signal) << stopped.errors;
    EXPECT_EQ(summary_of(out_)["finished"], "stopped");
    const std::size_t num_steps = stats_of(out_).size();
    EXPECT_EQ(summary_of(out_)["steps"], num_steps);
    EXPECT_EQ(clearance({"verify", out_.string()}).status, 0);
    // The run was at the checkpoint: resuming to the same step adds no step, and going on gives the uninterrupted run.
    const std::string checkpoint = read_text(out_ / "checkpoint/state.bin");
    std::vector<std::string> resume = sparse;
    resume.insert(resume.end(), {"--resume", "--steps", std::to_string(num_steps)});
    EXPECT_EQ(run(resume).status, 0);
    EXPECT_EQ(stats_of(out_).size(), num_steps);
    EXPECT_TRUE(read_text(out_ / "checkpoint/state.bin") == checkpoint);
    if (num_steps >= num_quick_steps) continue;
    EXPECT_EQ(run({"--resume"}).status, 0);
    expect_same_result(out_, whole_);
  }
}

TEST_F(Signals, SecondOneEndsAtOnceAndTheFolderIsResumed) {
  std::vector<std::string> words = arguments({"--set", "time.duration=1000"});
  const pid_t pid = start(words);
  ASSERT_TRUE(wait_for_steps(out_, 5));
  kill(pid, SIGINT);
  kill(pid, SIGINT);
  EXPECT_EQ(wait_for(pid).status, 128 + SIGINT);
  EXPECT_EQ(clearance({"verify", out_.string()}).status, 0);
  EXPECT_EQ(run({"--resume"}).status, 0);
  EXPECT_GE(stats_of(out_).size(), num_quick_steps);
}

/// Steps whose factorisations alone take seconds.
constexpr const char* slow_scene = R"({
  "time": {"step": 0.01, "duration": 1},
  "bodies": [{"name": "box", "generator": {"kind": "box", "size": [0.5, 0.5, 0.5], "resolution": [26, 26, 26]},
              "material": {"youngs_modulus": 1e5}}],
  "half_spaces": [{"point": [0, -0.2501, 0]}]})";

/// Returns the processor time that a process has taken so far [s].
double processor_seconds(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream rest(text.substr(text.rfind(')') + 2));
  std::string word;
  double ticks = 0.0;
  for (int field = 3; field <= 15 && rest >> word; ++field) {
    if (field >= 14) ticks += std::stod(word);
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

TEST_F(Signals, AreHeardWithinASecondOfProcessorTimeWhereverAStepIs) {
  const std::string scene = write("slow.json", slow_scene).string();
  const std::vector<std::string> words = {"run", scene, "-o", out_.string(), "--threads", "1"};
  for (const double moment : {0.5, 1.5, 2.5}) {
    SCOPED_TRACE(moment);
    fs::remove_all(out_);
    const pid_t pid = start(words);
    // The start is stored, and the first step is under way.
    while (!fs::exists(out_ / "checkpoint/state.bin")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const double start_seconds = processor_seconds(pid);
    while (processor_seconds(pid) < start_seconds + moment) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const double before = processor_seconds(pid);
    kill(pid, SIGINT);
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
    const double after = processor_seconds(pid);
    const ProcessResult stopped = wait_for(pid);
    EXPECT_EQ(stopped.status, 128 + SIGINT) << stopped.errors;
    EXPECT_LT(after - before, 1.0);
    EXPECT_EQ(summary_of(out_)["finished"], "stopped");
    EXPECT_EQ(summary_of(out_)["steps"], stats_of(out_).size());
  }
}

TEST_F(Signals, HangUpThatIsIgnoredFromTheStartStaysIgnored) {
  const pid_t pid = start(arguments(), "process", {SIGHUP});
  ASSERT_TRUE(wait_for_steps(out_, 2));
  kill(pid, SIGHUP);
  EXPECT_EQ(wait_for(pid).status, 0);
  expect_same_result(out_, whole_);
}

/// Printing to a terminal that has gone fails, which once ended the process without a summary.
TEST_F(Signals, ClosedTerminalEndsARunLikeAnyHangUp) {
  int terminal = -1;
  const std::string out = out_.string();
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) {
    std::signal(SIGHUP, SIG_DFL);
    execl(program_path().c_str(), program_path().c_str(), "run", scene_.c_str(), "-o", out.c_str(), "--set",
          "time.duration=1000", nullptr);
    _exit(127);
  }
  if (pid < 0) GTEST_SKIP() << "no terminal can be opened";
  // Somebody has to read, or the program waits.
  char text[4096];
  while (stats_of(out_).size() < 5 && read(terminal, text, sizeof(text)) > 0) continue;
  close(terminal);
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGHUP);
  EXPECT_EQ(summary_of(out_)["finished"], "stopped");
  EXPECT_EQ(clearance({"verify", out}).status, 0);
}

TEST_F(Signals, OutputThatNobodyTakesDoesNotEndARun) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "/dev/full is not there";
  const std::string command =
      "'" + program_path() + "' run '" + scene_ + "' -o '" + out_.string() + "' --threads 1 > /dev/full 2> /dev/full";
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  expect_same_result(out_, whole_);
}

/// Runs with kills at random moments; CLEARANCE_KILLS says how many, CLEARANCE_KILL_SEED repeats a series.
class RandomKills : public QuickRun {
 protected:
  /// Kills one run with these intervals again and again until it is through. Returns the number of kills.
  int run_with_kills(int frame_interval, int checkpoint_interval) {
    const std::vector<std::string> intervals = {"--set", "output.frame_interval=" + std::to_string(frame_interval),
                                                "--set",
                                                "output.checkpoint_interval=" + std::to_string(checkpoint_interval)};
    const fs::path whole =
        folder_ / ("whole_" + std::to_string(frame_interval) + "_" + std::to_string(checkpoint_interval));
    if (!fs::exists(whole)) {
      std::vector<std::string> words = {"run", scene_, "-o", whole.string(), "-q", "--threads", "1"};
      words.insert(words.end(), intervals.begin(), intervals.end());
      const auto begin = std::chrono::steady_clock::now();
      EXPECT_EQ(clearance(words).status, 0);
      seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    fs::remove_all(out_);
    for (int num_kills = 0;; ++num_kills) {
      // Without a checkpoint nothing is lost: the run is at its very start.
      const bool has_checkpoint = fs::exists(out_ / "checkpoint/state.bin");
      std::vector<std::string> more = intervals;
      more.push_back(has_checkpoint ? "--resume" : "--overwrite");
      const pid_t pid = start(arguments(more));
      // Kills come later and later, so that a run gets through on a machine that has become busier.
      const double longest = 0.8 * seconds_ * (1 + 0.1 * num_kills);
      const double wait = std::uniform_real_distribution<double>(0.0, longest)(random_);
      std::this_thread::sleep_for(std::chrono::duration<double>(wait));
      kill(pid, SIGKILL);
      const ProcessResult result = wait_for(pid);
      if (result.status == 0) {
        expect_same_result(out_, whole);
        const ProcessResult verdict = clearance({"verify", out_.string()});
        EXPECT_EQ(verdict.status, 0) << verdict.output;
        return num_kills;
      }
      EXPECT_EQ(result.status, 128 + SIGKILL) << result.errors;
      if (fs::exists(out_ / "checkpoint/state.bin")) {
        const ProcessResult verdict = clearance({"verify", out_.string()});
        EXPECT_EQ(verdict.status, 0) << "what a killed run leaves does not verify\n" << verdict.output;
      }
      if (HasFailure()) return num_kills;
    }
  }

  std::mt19937_64 random_;
  double seconds_ = 1.0;  // of the run that nobody kills
};

TEST_F(RandomKills, ResumedRunsAreTheUninterruptedOneBitForBitAndNoFrameIsMissing) {
  const auto seed = static_cast<std::uint64_t>(number_from_environment("CLEARANCE_KILL_SEED", std::random_device()()));
  const int num_wanted = static_cast<int>(number_from_environment("CLEARANCE_KILLS", 20));
  SCOPED_TRACE("CLEARANCE_KILL_SEED=" + std::to_string(seed));
  random_.seed(seed);
  int num_kills = 0, num_runs = 0;
  while (num_kills < num_wanted && !HasFailure()) {
    num_kills += run_with_kills(1 + num_runs % 3, num_runs % 2 == 0 ? 1 : 4);
    ++num_runs;
  }
  std::printf("%d kills in %d runs, seed %llu\n", num_kills, num_runs, static_cast<unsigned long long>(seed));
}

/// The list of frames is removed last: the next run knows whatever a kill leaves of an erased result.
TEST_F(RandomKills, OverwritingThatIsKilledAndRepeatedLeavesNothingOfTheOldResult) {
  const auto seed = static_cast<std::uint64_t>(number_from_environment("CLEARANCE_KILL_SEED", std::random_device()()));
  SCOPED_TRACE("CLEARANCE_KILL_SEED=" + std::to_string(seed));
  random_.seed(seed);
  const fs::path whole = folder_ / "whole";
  ASSERT_EQ(clearance({"run", scene_, "-o", whole.string(), "-q", "--threads", "1", "--steps", "3"}).status, 0);
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(run({"--overwrite"}).status, 0);
    const pid_t pid = start(arguments({"--overwrite", "--steps", "3"}));
    std::this_thread::sleep_for(
        std::chrono::duration<double>(std::uniform_real_distribution<double>(0.004, 0.05)(random_)));
    kill(pid, SIGKILL);
    wait_for(pid);
    ASSERT_EQ(run({"--overwrite", "--steps", "3"}).status, 0);
    expect_same_result(out_, whole);
  }
}

}  // namespace
}  // namespace clearance::cli
