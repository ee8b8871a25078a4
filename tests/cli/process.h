// The program `clearance` as a process of its own, in a folder that goes away with the test.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/paths.h"

extern char** environ;

namespace clearance::cli {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct ProcessResult {
  int status = -1;     ///< exit status; 128 + signal if a signal ended it
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
};

inline std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A fixture with its own folder, in which `clearance` is run.
class ProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fs::exists(program_path())) << "build the target `clearance` first";
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("clearance_" + std::string(test->test_suite_name()) + "_" + test->name() +
                                           "_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!HasFailure()) fs::remove_all(folder_);
  }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  /// Starts a process. Signals have their default effect there, except those that it is to ignore, even if they are
  /// ignored here (nohup).
  pid_t start(const std::vector<std::string>& arguments, const std::string& stem = "process",
              const std::vector<int>& ignored_signals = {}) const {
    std::vector<std::string> words = {program_path()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string out = folder_ / (stem + ".out"), err = folder_ / (stem + ".err");
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&defaults, signal);
    for (const int signal : ignored_signals) {
      sigdelset(&defaults, signal);
      std::signal(signal, SIG_IGN);
    }
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t pid = -1;
    EXPECT_EQ(posix_spawn(&pid, program_path().c_str(), &actions, &attributes, argv.data(), environ), 0);
    for (const int signal : ignored_signals) std::signal(signal, SIG_DFL);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return pid;
  }
  ProcessResult wait_for(pid_t pid, const std::string& stem = "process") const {
    ProcessResult result;
    int status = 0;
    waitpid(pid, &status, 0);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.output = read_text(folder_ / (stem + ".out"));
    result.errors = read_text(folder_ / (stem + ".err"));
    return result;
  }
  ProcessResult clearance(const std::vector<std::string>& arguments) const { return wait_for(start(arguments)); }

  /// Returns all files in a result folder, relative and sorted.
  static std::vector<std::string> files_in(const fs::path& folder) {
    std::vector<std::string> files;
    if (!fs::exists(folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), folder).string());
    }
    std::sort(files.begin(), files.end());
    return files;
  }
  static std::vector<Json> stats_of(const fs::path& folder) {
    std::vector<Json> lines;
    // Read at once: a run may write lines faster than they are parsed.
    std::istringstream file(read_text(folder / "stats.jsonl"));
    for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line, nullptr, false));
    return lines;
  }
  static std::vector<std::string> hashes_of(const fs::path& folder) {
    std::vector<std::string> hashes;
    for (const Json& line : stats_of(folder)) hashes.push_back(line.value("state_hash", "none"));
    return hashes;
  }

  fs::path folder_;
};

}  // namespace clearance::cli
