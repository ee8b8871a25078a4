#include "apps/cli/view.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "apps/cli/console.h"
#include "apps/cli/run.h"
#include "apps/cli/stop_signals.h"
#include "clearance/io/files/program.h"
#include "clearance/io/result/result_check.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> command_of(const fs::path& folder) {
  const fs::path program = find_program("clearance-view", "CLEARANCE_VIEW");
  if (program.empty()) {
    return Issue{
        "", "", "",
        "the program clearance-view, which shows runs, is not beside this program; to build it, install cpp-httplib "
        "(`./dev deps`; on Debian the package libcpp-httplib-dev) and build again; or set CLEARANCE_VIEW to its path"};
  }
  return std::vector<std::string>{program.string(), fs::absolute(folder).string()};
}

std::vector<char*> arguments_of(std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return arguments;
}

}  // namespace

int run_view(const ViewOptions& options) {
  Issues issues;
  if (const Result<Done> checked = check_result_folder(options.folder, "frames.pvd"); !checked)
    issues = checked.issues();
  Result<std::vector<std::string>> words = command_of(options.folder);
  if (!words) issues.insert(issues.end(), words.issues().begin(), words.issues().end());
  if (!issues.empty()) return refuse(issues);
  words->insert(words->end(), {"--port", std::to_string(options.port)});
  ::execv(words->front().c_str(), arguments_of(*words).data());
  return refuse({{words->front(), "", "", std::string("the program cannot be started: ") + std::strerror(errno)}});
}

Result<RunViewer> RunViewer::start(const fs::path& folder) {
  Result<std::vector<std::string>> words = command_of(folder);
  if (!words) return words.issues();
  words->emplace_back("--of-run");
  pid_t process = 0;
  const int error =
      ::posix_spawn(&process, words->front().c_str(), nullptr, nullptr, arguments_of(*words).data(), environ);
  if (error != 0) {
    return Issue{words->front(), "", "", std::string("the program cannot be started: ") + std::strerror(error)};
  }
  return RunViewer(process);
}

RunViewer::RunViewer(RunViewer&& other) noexcept : process_(std::exchange(other.process_, 0)) {}

RunViewer::~RunViewer() {
  if (process_ == 0) return;
  ::kill(process_, SIGTERM);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
}

void RunViewer::wait() {
  const StopSignals signals(true);
  int status = 0;
  while (StopSignals::received() == 0) {
    const pid_t ended = ::waitpid(process_, &status, WNOHANG);
    if (ended == process_ || (ended < 0 && errno != EINTR)) {
      process_ = 0;
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace clearance::cli
