#include "clearance/io/files/child_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "clearance/io/files/text_file.h"

namespace clearance {

namespace {

namespace fs = std::filesystem;

Issue failure(std::string message) {
  return {"", "", "", std::move(message), Severity::error};
}

double seconds_of(const rusage& usage) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

ChildOutcome outcome_of_signal(const std::string& program, int signal) {
  if (signal == SIGXCPU) {
    return {ChildEnd::out_of_time, {failure(fmt::format("{} did not finish within its time limit", program))}};
  }
  const bool is_stopped = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
  return {is_stopped ? ChildEnd::stopped : ChildEnd::failed,
          {failure(fmt::format("{} was ended by signal {}{}", program, signal,
                               signal == SIGKILL ? ", perhaps because memory ran out" : ""))}};
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& program) {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / (program + "-XXXXXX")).string();
  if (!error && ::mkdtemp(name.data()) != nullptr) path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

ChildOutcome run_child_program(const std::vector<std::string>& words, const TemporaryFolder& folder) {
  const std::string program = fs::path(words[0]).filename().string();
  const fs::path messages = folder.path() / "messages.txt";
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  // Libraries write files about their problems into the working folder.
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.path().c_str());
  pid_t process = 0;
  const int error = ::posix_spawn(&process, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return {ChildEnd::failed, {failure(fmt::format("cannot start {}: {}", words[0], std::strerror(error)))}};

  int status = 0;
  rusage usage{};
  while (::wait4(process, &status, 0, &usage) < 0) {
    if (errno != EINTR) {
      return {ChildEnd::failed, {failure(fmt::format("cannot wait for {}: {}", words[0], std::strerror(errno)))}};
    }
  }
  ChildOutcome outcome;
  if (WIFSIGNALED(status)) {
    outcome = outcome_of_signal(program, WTERMSIG(status));
  } else if (WEXITSTATUS(status) == 0) {
    outcome.end = ChildEnd::good;
  } else {
    const Result<std::string> text = read_text_file(messages);
    const std::string said = text ? text->substr(0, text->find_last_not_of(" \n") + 1) : "";
    outcome.issues = {failure(fmt::format("{} failed: {}", program, said.empty() ? "without a message" : said))};
  }
  outcome.seconds = seconds_of(usage);
  return outcome;
}

}  // namespace clearance
