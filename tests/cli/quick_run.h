// Runs of a few milliseconds per step, so that most of their time goes into writing, and comparisons of them.
#pragma once

#include <chrono>
#include <map>
#include <thread>

#include "cli/process.h"

namespace clearance::cli {

/// A box that falls onto a half-space; contacts from about step 15 on.
inline const std::string quick_scene = R"({
  "time": {"step": 0.01, "duration": 0.4},
  "half_spaces": [{"point": [0, -0.35, 0]}],
  "bodies": [{"name": "box", "generator": {"kind": "box", "size": [0.5, 0.5, 0.5], "resolution": [1, 1, 1]}}]})";
inline constexpr std::size_t num_quick_steps = 40;

class QuickRun : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    scene_ = write("quick.json", quick_scene).string();
    out_ = folder_ / "out";
  }

  /// Returns the arguments of `clearance run -q` of the scene into `out_`.
  std::vector<std::string> arguments(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"run", scene_, "-o", out_.string(), "-q", "--threads", "1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  ProcessResult run(const std::vector<std::string>& more = {}) const { return clearance(arguments(more)); }

  /// Returns false if the process ended, or a minute passed, before so many steps were stored.
  static bool wait_for_steps(const fs::path& folder, std::size_t num_steps) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (stats_of(folder).size() < num_steps) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  using Contents = std::map<std::string, std::string>;
  /// Returns all files of a folder with their bytes, except the log.
  static Contents contents_of(const fs::path& folder) {
    Contents contents;
    for (const std::string& file : files_in(folder)) {
      if (file != "log.txt") contents[file] = read_text(folder / file);
    }
    return contents;
  }

  /// Expects the same result, except for values that depend on time and memory.
  static void expect_same_result(const fs::path& a, const fs::path& b) {
    EXPECT_EQ(files_in(a), files_in(b));
    Contents in_a = contents_of(a), in_b = contents_of(b);
    for (const auto& [file, bytes] : in_a) {
      const bool is_same = file == "stats.jsonl" || file == "summary.json" || bytes == in_b[file];
      EXPECT_TRUE(is_same) << file;
    }
    EXPECT_EQ(hashes_of(a), hashes_of(b));
    const std::vector<Json> steps_a = stats_of(a), steps_b = stats_of(b);
    for (std::size_t i = 0; i < std::min(steps_a.size(), steps_b.size()); ++i)
      EXPECT_EQ(steps_a[i]["frame"], steps_b[i]["frame"]) << i;
    EXPECT_EQ(summary_of(a)["finished"], summary_of(b)["finished"]);
    EXPECT_EQ(summary_of(a)["frames"], summary_of(b)["frames"]);
  }
  static Json summary_of(const fs::path& folder) {
    return Json::parse(read_text(folder / "summary.json"), nullptr, false);
  }
  static void expect_says(const std::string& text, const std::vector<std::string>& phrases) {
    for (const std::string& phrase : phrases)
      EXPECT_NE(text.find(phrase), std::string::npos) << phrase << " is not in\n" << text;
  }

  std::string scene_;
  fs::path out_;
};

}  // namespace clearance::cli
