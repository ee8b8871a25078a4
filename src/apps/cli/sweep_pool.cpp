#include "apps/cli/sweep_pool.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <deque>
#include <map>
#include <utility>

#include "apps/cli/console.h"
#include "apps/cli/stop_signals.h"
#include "apps/cli/sweep.h"
#include "clearance/base/profile.h"
#include "clearance/sweep/run_state.h"
#include "clearance/sweep/run_table.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;
using namespace sweep;

/// A run that is killed so often without a step of progress in between is given up.
constexpr int max_kills = 3;
/// Longest wait for the processes of a pool that was killed a moment ago; they stop within their step.
constexpr double patience_seconds = 15.0;

/// Starts a process that ends when this one does; returns -1 if none can be started. Between fork and exec it calls
/// only functions that are safe in a copy of a process with threads.
pid_t start_process(const std::vector<std::string>& words, const sigset_t& usual_mask) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process != 0) return process;
  // The child gets a process group of its own: Ctrl-C then reaches this process alone, which passes it on once.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(128 + SIGTERM);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &usual_mask, nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

class Pool {
 public:
  Pool(const SweepFolder& folder, const std::vector<int>& runs, const PoolOptions& options)
      : folder_(folder),
        options_(options),
        waiting_(runs.begin(), runs.end()),
        num_runs_(static_cast<int>(runs.size())),
        is_terminal_(isatty(STDOUT_FILENO) == 1),
        signals_(true) {
    std::error_code error;
    program_ = fs::read_symlink("/proc/self/exe", error);
    // Block SIGCHLD, so that the end of a child wakes this process up and no polling is needed.
    sigset_t children;
    ::sigemptyset(&children);
    ::sigaddset(&children, SIGCHLD);
    ::pthread_sigmask(SIG_BLOCK, &children, &usual_mask_);
  }
  ~Pool() { ::pthread_sigmask(SIG_SETMASK, &usual_mask_, nullptr); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  PoolOutcome run() {
    for (;;) {
      while (!is_stopping_ && !waiting_.empty() && static_cast<int>(running_.size()) < options_.jobs) start_next();
      if (running_.empty() && !wait_for_others()) break;
      show_progress();
      wait_a_while();
      reap();
      if (!is_stopping_ && StopSignals::received() != 0) stop();
    }
    if (has_line_) say(stdout, "\n");
    outcome_.num_held = static_cast<int>(held_.size());
    return outcome_;
  }

 private:
  struct Started {
    int run = 0, step = 0;  // the last step stored before the start
  };

  void start_next() {
    const int run = waiting_.front();
    waiting_.pop_front();
    const std::vector<std::string> words = {program_.string(),
                                            "sweep",
                                            "task",
                                            folder_.path().string(),
                                            std::to_string(run),
                                            fmt::format("--threads={}", options_.threads)};
    const int step = last_stored_step(folder_.run_folder(run));
    const pid_t process = start_process(words, usual_mask_);
    if (process > 0) {
      running_[process] = {run, step};
      return;
    }
    report(fmt::format("run {}: its process cannot be started: {}", run_name(run), std::strerror(errno)), true);
    ++outcome_.num_failed;
  }

  void wait_a_while() const {
    sigset_t children;
    ::sigemptyset(&children);
    ::sigaddset(&children, SIGCHLD);
    const timespec limit = {0, 200'000'000};
    ::sigtimedwait(&children, nullptr, &limit);
  }

  void reap() {
    std::vector<pid_t> processes;
    for (const auto& [process, started] : running_) processes.push_back(process);
    for (const pid_t process : processes) {
      int status = 0;
      if (::waitpid(process, &status, WNOHANG) != process) continue;
      const Started started = running_[process];
      running_.erase(process);
      note_end(started, status);
    }
  }

  void note_end(const Started& started, int status) {
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (code == 0) {
      ++num_done_;
      check_columns(started.run);
      if (!is_terminal_) {
        const RunState state = state_of(folder_, started.run);
        report(fmt::format("run {} complete: {} steps{}, {:.3g} s", run_name(started.run), state.steps,
                           state.converged_steps < state.steps
                               ? fmt::format(" ({} not converged)", state.steps - state.converged_steps)
                               : "",
                           state.seconds.value_or(0.0)),
               false);
      }
    } else if (code == exit_held_elsewhere) {
      held_.push_back(started.run);
      waited_ = Stopwatch();
    } else if (code <= 127) {
      ++outcome_.num_failed;
      const std::string reason = state_of(folder_, started.run).reason;
      report(fmt::format("run {} failed: {}", run_name(started.run),
                         reason.empty() ? fmt::format("exit status {}", code) : reason),
             true);
    } else if (!is_stopping_) {
      note_kill(started, code - 128);
    }
  }

  /// Checks the plan's columns against the first complete run, early enough to mend the plan while the others run.
  void check_columns(int run) {
    if (std::exchange(is_checked_, true)) return;
    const Result<Plan> plan = folder_.plan();
    if (!plan) return;
    for (Issue& issue : find_missing_columns(folder_, *plan, run)) {
      issue.file = (folder_.path() / "plan.json").string();
      report(to_string(issue), true);
    }
  }

  /// Handles a process that somebody stopped or killed, or that crashed.
  void note_kill(const Started& started, int signal) {
    const bool has_progress = last_stored_step(folder_.run_folder(started.run)) > started.step;
    int& num_kills = num_kills_[started.run];
    num_kills = has_progress ? 0 : num_kills + 1;
    if (num_kills < max_kills) {
      report(fmt::format("run {} was ended by {} after step {} and is started again", run_name(started.run),
                         signal_name(signal), last_stored_step(folder_.run_folder(started.run))),
             false);
      waiting_.push_front(started.run);
      return;
    }
    ++outcome_.num_failed;
    report(fmt::format("run {} was given up, because {} ended it {} times without a new step", run_name(started.run),
                       signal_name(signal), max_kills),
           true);
  }

  /// Puts runs that other processes held back into the queue if they are free now. False if nothing is left to wait
  /// for.
  bool wait_for_others() {
    if (is_stopping_) return false;
    for (std::size_t i = 0; i < held_.size();) {
      const RunPhase phase = phase_of(folder_, held_[i]);
      if (phase == RunPhase::running) {
        ++i;
        continue;
      }
      if (phase == RunPhase::complete) ++num_done_;
      if (phase != RunPhase::complete) waiting_.push_back(held_[i]);
      held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return !waiting_.empty() || (!held_.empty() && waited_.seconds() < patience_seconds);
  }

  void stop() {
    is_stopping_ = true;
    outcome_.signal = StopSignals::received();
    for (const auto& [process, started] : running_) ::kill(process, SIGTERM);
    report(fmt::format("{}: {} runs end without completing their step; the same signal again ends them at once",
                       signal_name(outcome_.signal), running_.size()),
           true);
  }

  void report(const std::string& text, bool is_problem) {
    if (options_.is_quiet && !is_problem) return;
    if (has_line_) say(stdout, "\r\033[K");
    has_line_ = false;
    say(is_problem ? stderr : stdout, "{}\n", text);
  }

  void show_progress() {
    if (options_.is_quiet || !is_terminal_ || (has_line_ && drawn_.seconds() < 0.2)) return;
    drawn_ = Stopwatch();
    constexpr int width = 24;
    const int num_ended = num_done_ + outcome_.num_failed;
    const std::size_t filled = num_runs_ > 0 ? width * num_ended / num_runs_ : width;
    const double left = num_ended > 0 ? watch_.seconds() / num_ended * (num_runs_ - num_ended) : 0.0;
    say(stdout, "\r\033[K[{}{}] {}/{} complete, {} running{}{}", std::string(filled, '#'),
        std::string(width - filled, '.'), num_done_, num_runs_, running_.size(),
        outcome_.num_failed > 0 ? fmt::format(", {} failed", outcome_.num_failed) : "",
        num_ended > 0 ? fmt::format(", left {:.0f} {}", left < 100.0 ? left : left / 60.0, left < 100.0 ? "s" : "min")
                      : "");
    has_line_ = true;
  }

  const SweepFolder& folder_;
  PoolOptions options_;
  std::deque<int> waiting_;
  int num_runs_ = 0;
  bool is_terminal_ = false;
  StopSignals signals_;
  fs::path program_;
  sigset_t usual_mask_ = {};
  std::map<pid_t, Started> running_;
  std::map<int, int> num_kills_;  // kills of a run since its last progress
  std::vector<int> held_;
  bool is_stopping_ = false, has_line_ = false, is_checked_ = false;
  int num_done_ = 0;
  PoolOutcome outcome_;
  Stopwatch watch_, drawn_, waited_;
};

}  // namespace

PoolOutcome run_pool(const SweepFolder& folder, const std::vector<int>& runs, const PoolOptions& options) {
  return Pool(folder, runs, options).run();
}

}  // namespace clearance::cli
