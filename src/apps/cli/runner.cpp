#include "apps/cli/runner.h"

#include <fmt/format.h>

#include <cstdio>

#include "apps/cli/console.h"
#include "apps/cli/progress.h"
#include "apps/cli/run_records.h"
#include "apps/cli/stop_signals.h"
#include "clearance/base/log.h"
#include "clearance/base/parallel.h"

namespace clearance::cli {

namespace fs = std::filesystem;

Runner::Runner(const RunOptions& options, Simulation& simulation, ResultFolder folder)
    : options_(options), simulation_(simulation), folder_(std::move(folder)) {
  num_steps_ = options.steps.value_or(simulation.summary().num_steps);
  stored_step_ = simulation.state().step;
}

Result<Runner> Runner::start(const fs::path& output, const SceneDesc& scene, const RunOptions& options,
                             Simulation& simulation) {
  Result<ResultFolder> folder = ResultFolder::create(output, scene);
  if (!folder) return folder.issues();
  return Runner(options, simulation, std::move(*folder));
}

Result<Runner> Runner::resume(const fs::path& output, const SceneDesc& scene, const RunOptions& options,
                              Simulation& simulation) {
  const Result<Checkpoint> checkpoint = ResultFolder::read_checkpoint(output, scene);
  if (!checkpoint) return checkpoint.issues();
  Frame first_frame = simulation.frame();
  if (const auto restored = simulation.restore(state_of(*checkpoint)); !restored) return restored.issues();
  Result<ResultFolder> folder = ResultFolder::reopen(output, scene, *checkpoint, simulation.probe_columns());
  if (!folder) return folder.issues();
  if (!options.is_quiet) say(stdout, "resumed after step {}\n", checkpoint->step);
  log_info("resumed after step {}", checkpoint->step);
  Runner runner(options, simulation, std::move(*folder));
  runner.first_frame_ = std::move(first_frame);
  return runner;
}

int Runner::run() {
  const StopSignals signals(options_.is_quiet);
  if (begin()) advance_to_end();
  finish();
  if (end_ == End::failed_writing) return exit_bad_input;
  if (end_ == End::failed_step || is_strict_stop_) return exit_not_converged;
  return signal_ != 0 ? exit_signal + signal_ : exit_done;
}

/// Every failure to write ends the run: going on would leave a hole that nobody fills.
bool Runner::keep(const Result<Done>& done) {
  if (done) return true;
  report_issues(done.issues(), false);
  end_ = End::failed_writing;
  return false;
}

bool Runner::begin() {
  if (!keep(folder_.start_probes(simulation_.probe_columns()))) return false;
  if (!first_frame_) return keep(folder_.write_bodies(body_records(simulation_))) && store(true);
  rewrite_missing_frames();
  first_frame_.reset();
  return end_ != End::failed_writing;
}

/// Two states are at hand; the frames of others can only be named.
void Runner::rewrite_missing_frames() {
  std::string lost;
  for (const int step : folder_.missing_frames()) {
    if (step == 0) {
      if (!keep(folder_.write_frame(0, *first_frame_))) return;
    } else if (step == simulation_.state().step) {
      if (!keep(folder_.write_frame(step, simulation_.frame()))) return;
    } else {
      lost += (lost.empty() ? "" : ", ") + std::to_string(step);
    }
  }
  if (lost.empty()) return;
  const std::string message = "stored frames are missing, which only a new run can make again; steps " + lost;
  report_issues({{(folder_.path() / "frames").string(), "", "", message, Severity::warning}}, false);
}

void Runner::advance_to_end() {
  Progress progress(simulation_.state().step, num_steps_, options_.is_quiet);
  signal_ = StopSignals::received();
  while (signal_ == 0 && !is_strict_stop_ && simulation_.state().step < num_steps_) {
    const int step = simulation_.state().step + 1;
    const StepReport report =
        simulation_.step([&](int iteration, double residual) { progress.show_iteration(step, iteration, residual); });
    progress.show_step(step, simulation_.state().time, report);
    if (report.status != StepStatus::converged) {
      log_warning("step {}: {} after {} Newton iterations, residual {:.3g} m/s{}; {}", step, to_string(report.status),
                  report.newton_iterations, report.residual, imbalance_text(report), report.limited_by);
    }
    if (!report.is_advanced()) {
      const std::string reason = to_string(report.status) + ": " + report.limited_by;
      report_issues({{"", fmt::format("step {}", step), "", reason}}, false);
      end_ = End::failed_step;
      return;
    }
    is_strict_stop_ = options_.is_strict && report.status != StepStatus::converged;
    // Asked once a step: a signal between two questions would leave the last step without its checkpoint.
    if (step < num_steps_) signal_ = StopSignals::received();
    if (!store(step == num_steps_ || signal_ != 0 || is_strict_stop_, &report)) return;
  }
  if (simulation_.state().step >= num_steps_) end_ = End::complete;
}

/// Where the convergence of forces was asked for.
std::string Runner::imbalance_text(const StepReport& report) const {
  if (report.imbalanced_body < 0) return {};
  const auto body = static_cast<std::size_t>(report.imbalanced_body);
  return fmt::format(", {:.2g} % of the forces on '{}' not balanced", 100.0 * report.imbalance,
                     simulation_.bodies()[body].name);
}

/// Frame, then probes, then statistics, then checkpoint: whatever the checkpoint claims has been stored before it.
bool Runner::store(bool is_last, const StepReport* report) {
  const int step = simulation_.state().step;
  const OutputDesc& output = simulation_.scene().output;
  const bool has_frame = is_last || step % output.frame_interval == 0;
  if (has_frame && !keep(folder_.write_frame(step, simulation_.frame()))) return false;
  const std::vector<double> probes = simulation_.probe_values();
  if (!probes.empty() && !keep(folder_.append_probes(step, simulation_.state().time, probes))) return false;
  if (report != nullptr) {
    StepRecord record = record_of(simulation_, *report);
    record.has_frame = has_frame;
    if (!keep(folder_.append_stats(record))) return false;
  }
  const bool has_checkpoint = is_last || step % output.checkpoint_interval == 0;
  if (has_checkpoint && !keep(folder_.write_checkpoint(checkpoint_of(simulation_.state())))) return false;
  stored_step_ = step;
  return true;
}

std::string Runner::how() const {
  if (end_ == End::complete) return "complete";
  return end_ == End::stopped ? "stopped" : "failed";
}

void Runner::finish() {
  const SceneSummary scene = simulation_.summary();
  RunSummary summary;
  summary.version = CLEARANCE_VERSION;
  summary.finished = how();
  summary.threads = num_threads();
  summary.bodies = scene.num_bodies;
  summary.vertices = scene.num_vertices;
  summary.elements = scene.num_elements;
  for (const Issue& issue : simulation_.empty_regions()) {
    summary.warnings.push_back({"empty_region", fmt::format("{}: {}", issue.place, issue.message)});
  }
  keep(folder_.write_summary(summary));
  for (const RunWarning& warning : folder_.energy_warnings()) log_warning("{}: {}", warning.name, warning.message);
  const std::string by = signal_ != 0 ? " by " + signal_name(signal_) : "";
  log_info("{}{} after step {}", how(), by, stored_step_);
}

/// `2 of 20 steps did not converge (2 iteration_limit)`; empty if all did.
std::string Runner::unconverged_text() const {
  int num_all = 0, num_unconverged = 0;
  std::string statuses;
  for (const auto& [status, count] : folder_.num_steps_by_status()) {
    num_all += count;
    if (status == to_string(StepStatus::converged)) continue;
    num_unconverged += count;
    statuses += fmt::format("{}{} {}", statuses.empty() ? "" : ", ", count, status);
  }
  if (num_unconverged == 0) return {};
  return fmt::format("{} of {} steps did not converge ({})", num_unconverged, num_all, statuses);
}

void Runner::print_end() const {
  const std::string folder = folder_.path().string();
  if (!options_.is_quiet) {
    if (end_ == End::complete) {
      say(stdout, "complete: {} (open frames.pvd in ParaView)\n", folder);
    } else {
      for (const RunWarning& warning : folder_.energy_warnings()) log_warning("{}: {}", warning.name, warning.message);
      const std::string by = signal_ != 0 ? " by " + signal_name(signal_) : "";
      // A step that cannot be taken cannot be taken again either.
      const char* advice = end_ == End::failed_step ? "" : " (--resume goes on)";
      say(stdout, "{}{} after step {} of {}: {}{}\n", how(), by, stored_step_, num_steps_, folder, advice);
    }
  }
  // It is a problem, and so even a quiet run tells it.
  if (const std::string text = unconverged_text(); !text.empty()) {
    say(options_.is_quiet ? stderr : stdout, "{}: `clearance info {}` names them\n", text, folder);
  }
  for (const RunWarning& warning : folder_.energy_warnings()) {
    say(options_.is_quiet ? stderr : stdout, "warning {}: {}\n", warning.name, warning.message);
  }
}

}  // namespace clearance::cli
