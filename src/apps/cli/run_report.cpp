#include "apps/cli/run_report.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "apps/cli/console.h"
#include "apps/cli/stop_signals.h"

namespace clearance::cli {
namespace {

/// Returns a text such as `2 of 20 steps did not converge (2 iteration_limit)`; empty if all converged.
std::string unconverged_text(const RunOutcome& outcome) {
  int num_all = 0, num_unconverged = 0;
  std::string statuses;
  for (const auto& [status, count] : outcome.num_steps_by_status) {
    num_all += count;
    if (status == to_string(StepStatus::converged)) continue;
    num_unconverged += count;
    statuses += fmt::format("{}{} {}", statuses.empty() ? "" : ", ", count, status);
  }
  if (num_unconverged == 0) return {};
  return fmt::format("{} of {} steps did not converge ({})", num_unconverged, num_all, statuses);
}

}  // namespace

RunObserver RunReport::observer() {
  RunObserver observer;
  observer.on_start = [this](int first_step, int num_steps) {
    if (first_step > 0 && !is_quiet_) say(stdout, "resumed after step {}\n", first_step);
    progress_ = std::make_unique<Progress>(first_step, num_steps, is_quiet_, Progress::longest_silence,
                                           unit_system_of(simulation_.scene()));
  };
  observer.on_iteration = [this](int step, int iteration, double residual) {
    progress_->show_iteration(step, iteration, residual);
  };
  observer.on_activity = [this](int step, int iteration, Stage doing) {
    progress_->show_activity(step, iteration, doing);
  };
  observer.on_step = [this](int step, const StepReport& report) {
    progress_->show_step(step, simulation_.time(), report);
  };
  observer.on_warning = [](const Issue& warning) { print_issues({warning}); };
  observer.is_stop_wanted = [] { return StopSignals::received() != 0; };
  return observer;
}

void RunReport::close(const RunOutcome& outcome) {
  progress_.reset();
  print_issues(outcome.errors);
}

void RunReport::print_end(const RunOutcome& outcome, const std::filesystem::path& path, int signal) const {
  const std::string folder = path.string();
  if (!is_quiet_) {
    if (outcome.end == RunEnd::complete) {
      say(stdout, "complete: {} (open frames.pvd in ParaView)\n", folder);
    } else {
      const std::string by = signal != 0                      ? " by " + signal_name(signal)
                             : outcome.end == RunEnd::stopped ? " by its viewer"
                                                              : "";
      // A step that could not be taken cannot be taken after a resume either.
      std::error_code error;
      const bool is_resumable = std::filesystem::exists(path / "checkpoint" / "state.bin", error);
      const char* advice = outcome.end == RunEnd::failed_step ? ""
                           : is_resumable                     ? " (--resume continues it)"
                                          : " (there is nothing to resume; --overwrite starts again)";
      say(stdout, "{}{} after step {} of {}: {}{}\n", to_string(outcome.end), by, outcome.last_step, outcome.num_steps,
          folder, advice);
    }
  }
  // Unconverged steps are a problem, so that even a quiet run tells of them.
  std::FILE* stream = is_quiet_ ? stderr : stdout;
  if (const std::string text = unconverged_text(outcome); !text.empty()) {
    say(stream, "{}; `clearance info {}` lists them\n", text, folder);
  }
  for (const RunWarning& warning : outcome.warnings) say(stream, "warning {}: {}\n", warning.name, warning.message);
}

}  // namespace clearance::cli
