#include "apps/cli/sweep_slurm.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <sstream>

#include "apps/cli/console.h"
#include "apps/cli/run.h"
#include "clearance/base/hash.h"
#include "clearance/io/files/atomic_file.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;
using namespace sweep;

/// Time before its limit at which Slurm notifies a task. A step that takes longer starts anew after a kill.
constexpr int notice_seconds = 60;

struct CommandResult {
  int status = 127;    ///< 127: the command could not be started
  std::string output;  ///< standard output and errors
};

CommandResult run_command(const std::vector<std::string>& words) {
  CommandResult result;
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return result;
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  char buffer[4096];
  for (;;) {
    const ssize_t count = error == 0 ? ::read(ends[0], buffer, sizeof(buffer)) : 0;
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    result.output.append(buffer, count);
  }
  ::close(ends[0]);
  if (error != 0) return result;
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \n\t") + 1);
  return text;
}

Issue failure(const std::string& command, const CommandResult& result) {
  if (result.status == 127 && result.output.empty()) {
    return {"", "--slurm", "",
            fmt::format("there is no `{}` on the PATH, so that jobs of Slurm cannot be submitted from this machine; "
                        "without --slurm the runs are processes of this machine",
                        command)};
  }
  const std::string said = trimmed(result.output);
  return {"", "--slurm", "", fmt::format("{} failed: {}", command, said.empty() ? "without a message" : said)};
}

/// Returns the beginning of the names of a folder's jobs; it is the same from any working directory.
std::string job_prefix(const SweepFolder& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder.path(), error);
  const std::string text = (error ? folder.path() : real).string();
  Hash hash;
  hash.add(text.data(), text.size());
  return fmt::format("clearance-{}-", hash.text());
}

std::optional<int> parse_number(std::string_view text) {
  int number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Returns the runs of the folder whose tasks wait, run or end. A job's name ends with the run of its task 0.
Result<std::set<int>> runs_in_queue(const SweepFolder& folder) {
  const CommandResult active = run_command({"squeue", "--noheader", "--array", "--format=%j %K"});
  if (active.status != 0) return failure("squeue", active);
  const std::string prefix = job_prefix(folder);
  std::set<int> runs;
  std::istringstream lines(active.output);
  for (std::string name, index; lines >> name >> index;) {
    if (!name.starts_with(prefix)) continue;
    const auto first = parse_number(std::string_view(name).substr(prefix.size())), task = parse_number(index);
    if (first && task) runs.insert(*first + *task);
  }
  return runs;
}

Result<int> max_array_size() {
  const CommandResult config = run_command({"scontrol", "show", "config"});
  if (config.status != 0) return failure("scontrol", config);
  std::istringstream lines(config.output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("MaxArraySize")) continue;
    const auto number = parse_number(trimmed(line.substr(line.find_first_not_of(" =", 12))));
    if (number && *number > 1) return *number;
  }
  return 1001;
}

/// Returns the program that chooses for its processor, because Slurm's machines may differ.
fs::path program_for_any_machine() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const std::string name = self.filename().string();
  constexpr std::string_view suffix = "-v3";
  if (!name.ends_with(suffix)) return self;
  const fs::path general = self.parent_path() / name.substr(0, name.size() - suffix.size());
  return fs::exists(general, error) ? general : self;
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// Returns the script, which replaces its process by the task, so that signals for the script reach it.
std::string batch_script(const SweepFolder& folder, int first, int threads) {
  return fmt::format("#!/bin/sh\nexec {} sweep task {} \"$(({} + SLURM_ARRAY_TASK_ID))\" --threads={}\n",
                     shell_quoted(program_for_any_machine().string()), shell_quoted(folder.path().string()), first,
                     threads);
}

bool has_option(const std::vector<std::string>& options, std::string_view name) {
  return std::any_of(options.begin(), options.end(), [&](const std::string& option) {
    return option == name || (option.starts_with(name) && option[name.size()] == '=');
  });
}

std::vector<std::string> sbatch_words(const SweepFolder& folder, int first, const std::vector<int>& tasks,
                                      const SweepOptions& options, int threads, const fs::path& script) {
  std::string array = index_list(tasks);
  if (options.array_limit > 0) array += fmt::format("%{}", options.array_limit);
  std::vector<std::string> words = {
      "sbatch",           "--parsable", fmt::format("--job-name={}{}", job_prefix(folder), first),
      "--array=" + array, "--requeue",  "--ntasks=1"};
  const auto add = [&](const char* name, const std::string& value) {
    if (!has_option(options.slurm_options, name)) words.push_back(fmt::format("--{}={}", name, value));
  };
  add("cpus-per-task", std::to_string(threads));
  add("signal", fmt::format("B:HUP@{}", notice_seconds));
  add("output", (folder.path() / "slurm" / "output.txt").string());
  add("open-mode", "append");
  if (!options.partition.empty()) words.push_back("--partition=" + options.partition);
  for (const std::string& option : options.slurm_options) words.push_back("--" + option);
  words.push_back(script.string());
  return words;
}

}  // namespace

std::string index_list(const std::vector<int>& indices) {
  std::string text;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t end = i + 1;
    while (end < indices.size() && indices[end] == indices[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", indices[i]);
    if (end - i > 1) text += fmt::format("-{}", indices[end - 1]);
    i = end;
  }
  return text;
}

Result<Done> check_slurm() {
  const CommandResult result = run_command({"sbatch", "--version"});
  if (result.status != 0) return failure("sbatch", result);
  return Done{};
}

int submit_to_slurm(const SweepFolder& folder, const std::vector<int>& runs, const SweepOptions& options, int threads) {
  const Result<int> max_size = max_array_size();
  if (!max_size) return refuse(max_size.issues());
  const Result<std::set<int>> queued = runs_in_queue(folder);
  if (!queued) return refuse(queued.issues());

  // Array indices have an upper limit, so that run i is a task of the array that begins at a multiple of it.
  std::map<int, std::vector<int>> arrays;
  int num_queued = 0;
  for (const int run : runs) {
    if (queued->count(run) > 0) {
      ++num_queued;
    } else {
      arrays[run / *max_size * *max_size].push_back(run % *max_size);
    }
  }
  std::error_code error;
  fs::create_directories(folder.path() / "slurm", error);
  for (const auto& [first, tasks] : arrays) {
    const fs::path script = folder.path() / "slurm" / fmt::format("array_{}.sh", first);
    if (auto done = write_file_atomically(script, batch_script(folder, first, threads)); !done) {
      return refuse(done.issues());
    }
    const CommandResult submitted = run_command(sbatch_words(folder, first, tasks, options, threads, script));
    if (submitted.status != 0) return refuse({failure("sbatch", submitted)});
    if (!options.is_quiet) {
      say(stdout, "job {}: {} runs, starting with {}\n", trimmed(submitted.output), tasks.size(),
          run_name(first + tasks[0]));
    }
  }
  if (!options.is_quiet) {
    if (num_queued > 0) say(stdout, "{} runs are already in the queue\n", num_queued);
    if (arrays.empty()) say(stdout, "nothing to submit\n");
    say(stdout,
        "`clearance sweep status {}` prints their progress; running this command again submits the runs that are then "
        "missing\n",
        folder.path().string());
  }
  return exit_done;
}

std::optional<int> count_in_slurm(const SweepFolder& folder) {
  std::error_code error;
  if (!fs::exists(folder.path() / "slurm", error)) return std::nullopt;
  const Result<std::set<int>> queued = runs_in_queue(folder);
  if (!queued) return std::nullopt;
  return static_cast<int>(queued->size());
}

int requeue_at_time_limit(bool has_progress, int status) {
  const char* job = std::getenv("SLURM_JOB_ID");
  if (job == nullptr) return status;
  // A task that cannot take a step within its time would wait and run forever.
  if (!has_progress) return status;
  const CommandResult requeued = run_command({"scontrol", "requeue", job});
  return requeued.status == 0 ? static_cast<int>(exit_done) : status;
}

}  // namespace clearance::cli
