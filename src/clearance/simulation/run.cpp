#include "clearance/simulation/run.h"

#include <fmt/format.h>

#include <thread>

#include "clearance/base/log.h"
#include "clearance/base/parallel.h"
#include "clearance/base/profile.h"
#include "clearance/device/use_device.h"
#include "clearance/io/result/result_folder.h"
#include "clearance/io/result/run_control.h"
#include "clearance/scene/enums.h"
#include "clearance/simulation/certificate_recorder.h"
#include "clearance/simulation/coarse_elements.h"
#include "clearance/simulation/element_watch.h"
#include "clearance/simulation/held_softly.h"
#include "clearance/simulation/lead_watch.h"
#include "clearance/simulation/rolling_watch.h"
#include "clearance/simulation/run_records.h"
#include "clearance/simulation/run_watch.h"
#include "clearance/sparse/external_solver.h"

namespace clearance {

namespace {

namespace fs = std::filesystem;

/// Time [s] from one update of the list of frames and the checkpoint to the next, at least. A run that is killed
/// repeats that much.
constexpr double update_seconds = 0.5;

/// A folder that is ready for the results of a run.
struct ReadyFolder {
  ResultFolder folder;
  std::optional<Frame> first_frame;  ///< state before the first step; for runs that are resumed
};

Result<ReadyFolder> start(const fs::path& path, const Simulation& simulation) {
  Result<ResultFolder> folder = ResultFolder::create(path, simulation.scene());
  if (!folder) return folder.issues();
  return ReadyFolder{std::move(*folder), std::nullopt};
}

/// Prepares a run that is resumed. Changes nothing in the folder before the checkpoint is known to be good.
Result<ReadyFolder> resume(const fs::path& path, Simulation& simulation) {
  const Result<Checkpoint> checkpoint = ResultFolder::read_checkpoint(path, simulation.scene());
  if (!checkpoint) return checkpoint.issues();
  // Steps after the checkpoint are repeated with the controls that they had.
  if (!simulation.controls().empty()) {
    std::map<int, ControlValues> controls = read_controls(path);
    controls.erase(controls.begin(), controls.upper_bound(checkpoint->step));
    if (const auto done = simulation.schedule_controls(std::move(controls)); !done) return done.issues();
  }
  Frame first_frame = simulation.frame();
  if (const auto restored = simulation.restore(state_of(*checkpoint)); !restored) return restored.issues();
  Result<ResultFolder> folder = ResultFolder::reopen(path, simulation.scene(), *checkpoint, simulation.probe_columns());
  if (!folder) return folder.issues();
  log_info("resumed after step {}", checkpoint->step);
  return ReadyFolder{std::move(*folder), std::move(first_frame)};
}

/// Describes the external linear solver of a run; empty if the solver is built in.
std::string external_solver_of(const SolverDesc& solver) {
  const PetscProvider* petsc = petsc_provider();
  if (solver.linear_solver != LinearSolverChoice::petsc || petsc == nullptr) return "";
  return fmt::format("{}, {}", petsc->description, enum_name(solver.petsc.method));
}

/// Describes the device in use, if there is one.
std::optional<DeviceRecord> device_record() {
  const std::shared_ptr<DeviceUse> use = current_device();
  if (!use) return std::nullopt;
  const std::scoped_lock lock(use->device->mutex);
  const DeviceInfo& info = use->device->info();
  const DeviceCounts& counts = use->device->counts();
  DeviceRecord record;
  record.name = info.name;
  record.version = info.version;
  record.broad_phase = use->broad_phase.times;
  record.culling = use->culling.times;
  record.num_pairs = use->num_pairs;
  record.num_culled = use->num_culled;
  record.bytes_up = counts.bytes_up;
  record.bytes_down = counts.bytes_down;
  record.failure = use->failure;
  if (use->is_measured) record.crossover = use->broad_phase.choice.crossover();
  return record;
}

}  // namespace

struct Run::Impl {
  Impl(Simulation& simulation, const fs::path& path, ReadyFolder ready, const RunLimits& limits, RunObserver observer)
      : simulation_(simulation),
        folder_(std::move(ready.folder)),
        limits_(limits),
        observer_(std::move(observer)),
        requests_(path) {
    threads_ = num_threads();
    first_step_ = simulation.num_steps_done();
    outcome_.last_step = first_step_;
    outcome_.num_steps = limits.num_steps.value_or(simulation.summary().num_steps);
    first_frame_ = std::move(ready.first_frame);
    rolling_.emplace(simulation);
    lead_.emplace(simulation);
    if (simulation.scene().output.certificate) certificate_ = std::make_unique<CertificateRecorder>(simulation);
  }
  /// Returns true if writing has succeeded. Every failure to write ends the run.
  bool keep(const Result<Done>& done) {
    if (done) return true;
    fail(RunEnd::failed_writing, done.issues());
    return false;
  }

  void fail(RunEnd end, const Issues& errors) {
    end_ = end;
    outcome_.errors.insert(outcome_.errors.end(), errors.begin(), errors.end());
    for (const Issue& error : errors) log_text(LogLevel::error, to_string(error));
  }

  void warn(const Issue& warning) const {
    log_text(LogLevel::warning, to_string(warning));
    if (observer_.on_warning) observer_.on_warning(warning);
  }

  bool begin() {
    if (observer_.on_start) observer_.on_start(first_step_, outcome_.num_steps);
    if (!keep(folder_.start_probes(simulation_.probe_columns(), simulation_.wave_times()))) return false;
    if (!first_frame_) {
      if (certificate_ && !keep(folder_.start_certificate(simulation_.certificate_layout()))) return false;
      return keep(folder_.write_bodies(body_records(simulation_))) && store(true);
    }
    rewrite_missing_frames();
    first_frame_.reset();
    return !end_;
  }

  /// Writes missing frames again where their state is known: the start and the checkpoint. Warns of all others.
  void rewrite_missing_frames() {
    std::string lost;
    for (const int step : folder_.missing_frames()) {
      if (step == 0) {
        if (!keep(folder_.write_frame(0, *first_frame_))) return;
      } else if (step == first_step_) {
        if (!keep(folder_.write_frame(step, simulation_.frame()))) return;
      } else {
        lost += (lost.empty() ? "" : ", ") + std::to_string(step);
      }
    }
    if (folder_.has_unlisted_frames() && !keep(folder_.write_frame_list())) return;
    if (lost.empty()) return;
    const std::string message = "stored frames are missing, and only a new run can make them again; steps " + lost;
    warn({(folder_.path() / "frames").string(), "", "", message, Severity::warning});
  }

  bool is_over() const { return end_ || simulation_.num_steps_done() >= outcome_.num_steps; }

  StepReport step() {
    const int step = simulation_.num_steps_done() + 1;
    threads_ = num_threads();
    const auto take = [&] { return advance(step); };
    const StepReport report = certificate_ ? certificate_->record(take) : take();
    if (report.status == StepStatus::stopped) return report;
    if (report.is_advanced()) {
      rolling_->add_step(simulation_);
      lead_->add_step(simulation_);
      elements_.add_step(simulation_, report);
    }
    if (observer_.on_step) observer_.on_step(step, report);
    if (report.status != StepStatus::converged) log_unconverged(step, report);
    if (!report.is_advanced()) {
      const std::string reason = to_string(report.status) + ": " + report.limited_by;
      failure_ = failure_warning(step, report);
      fail(RunEnd::failed_step, {{"", fmt::format("step {}", step), "", reason}});
      return report;
    }
    const bool is_strict_stop = limits_.is_strict && report.status != StepStatus::converged;
    const bool is_last = step >= outcome_.num_steps || is_strict_stop;
    if (store(is_last, &report) && is_strict_stop) end_ = RunEnd::not_converged;
    return report;
  }

  StepReport advance(int step) {
    iteration_ = 0;
    const auto on_iteration = [&](int iteration, double residual) {
      iteration_ = iteration;
      if (observer_.on_iteration) observer_.on_iteration(step, iteration, residual);
    };
    const auto is_wanted = [&] {
      if (observer_.on_activity) observer_.on_activity(step, iteration_, running_stage());
      return is_stop_wanted();
    };
    return simulation_.step(on_iteration, is_wanted);
  }

  /// Returns true if the run is to stop. Waits while whoever watches the run has paused it.
  bool is_stop_wanted() {
    // Whoever looks at the list during a long step, or while the run is paused, is to see all frames.
    if (folder_.has_unlisted_frames() && since_update_.seconds() >= update_seconds) {
      since_update_ = {};
      if (!keep(folder_.write_frame_list())) return true;
    }
    for (;;) {
      if (observer_.is_stop_wanted && observer_.is_stop_wanted()) return true;
      const RunRequest request = requests_.read();
      if (request != RunRequest::pause) return request == RunRequest::stop;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  void log_unconverged(int step, const StepReport& report) const {
    std::string imbalance;  // set only if the scene asks for convergence of forces
    if (report.imbalanced_body >= 0) {
      const std::size_t body = report.imbalanced_body;
      imbalance = fmt::format(", {:.2g} % of the forces on '{}' are not balanced", 100.0 * report.imbalance,
                              simulation_.bodies()[body].name);
    }
    log_warning("step {}: {} after {} Newton iterations, residual {:.3g} {}{}; {}", step, to_string(report.status),
                report.newton_iterations, report.residual, unit_system_of(simulation_.scene()).text("m/s"), imbalance,
                report.limited_by);
  }

  /// Stores a step: moves, frame, probes, statistics, list of frames and checkpoint, in this order, so that everything
  /// that the checkpoint claims is stored before it. Replacing files costs ten times as much as a step of a small
  /// scene, so the last two are replaced now and then only; the statistics name every frame at once.
  bool store(bool is_last, const StepReport* report = nullptr) {
    const int step = simulation_.num_steps_done();
    const OutputDesc& output = simulation_.scene().output;
    const bool has_frame = is_last || step % output.frame_interval == 0;
    if (certificate_ && report != nullptr && !keep(folder_.append_certificate(certificate_->end_step()))) return false;
    if (has_frame && !keep(folder_.write_frame(step, simulation_.frame()))) return false;
    for (const ProbeRow& row : simulation_.probe_rows()) {
      if (!row.values.empty() && !keep(folder_.append_probes(step, row.time, row.values))) return false;
    }
    if (report != nullptr) {
      record_ = record_of(simulation_, *report);
      record_.has_frame = has_frame;
      if (!keep(folder_.append_stats(record_))) return false;
    }
    is_checkpoint_due_ = is_checkpoint_due_ || is_last || step % output.checkpoint_interval == 0;
    if (is_last || since_update_.seconds() >= update_seconds) {
      since_update_ = {};
      if (folder_.has_unlisted_frames() && !keep(folder_.write_frame_list())) return false;
      if (is_checkpoint_due_ && !write_checkpoint()) return false;
    }
    outcome_.last_step = step;
    return true;
  }

  bool write_checkpoint() {
    is_checkpoint_due_ = false;
    return keep(folder_.write_checkpoint(checkpoint_of(simulation_.state()), record_.state_hash));
  }

  /// Stores what `store` has put off. After a failure to write, the state may be one that is not stored.
  void catch_up() {
    if (folder_.has_unlisted_frames()) {
      const Result<Done> listed = folder_.write_frame_list();
      if (end_ != RunEnd::failed_writing) keep(listed);
    }
    if (is_checkpoint_due_ && end_ != RunEnd::failed_writing) write_checkpoint();
  }

  /// Stores the last frame and checkpoint of a run that stops early, because `store` did not know that the step would
  /// be the last.
  void complete_last_step() {
    if (outcome_.last_step == first_step_) return;
    if (keep(folder_.add_last_frame(simulation_.frame()))) write_checkpoint();
  }

  /// The estimates of the errors that elements make in statics. Inertia would falsify them.
  std::vector<DiscretisationRecord> discretisation() const {
    if (simulation_.scene().time.integrator != TimeIntegrator::quasi_static || simulation_.num_steps_done() == 0)
      return {};
    return discretisation_records(simulation_, elements_.errors_now(simulation_));
  }

  /// Names the units in warnings as the scene's system does.
  std::vector<RunWarning> in_units(std::vector<RunWarning> warnings) const {
    const UnitSystem& units = unit_system_of(simulation_.scene());
    if (units.is_si()) return warnings;
    for (RunWarning& warning : warnings) warning.message = units.message(warning.message);
    return warnings;
  }

  /// The warnings of what is followed from step to step.
  std::vector<RunWarning> warnings_of_watches() const {
    std::vector<RunWarning> warnings = rolling_->warnings();
    for (RunWarning& warning : lead_->warnings()) warnings.push_back(std::move(warning));
    for (RunWarning& warning : elements_.warnings(simulation_)) warnings.push_back(std::move(warning));
    for (RunWarning& warning : held_softly_warnings(simulation_)) warnings.push_back(std::move(warning));
    return warnings;
  }

  RunOutcome finish() {
    if (!is_over()) complete_last_step();
    catch_up();
    outcome_.end = end_.value_or(is_over() ? RunEnd::complete : RunEnd::stopped);
    const SceneSummary scene = simulation_.summary();
    RunSummary summary;
    summary.version = CLEARANCE_VERSION;
    summary.finished = to_string(outcome_.end);
    summary.threads = threads_;
    summary.linear_solver = external_solver_of(simulation_.scene().solver);
    summary.device = device_record();
    summary.bodies = scene.num_bodies;
    summary.vertices = scene.num_vertices;
    summary.elements = scene.num_elements;
    for (const Issue& issue : simulation_.empty_regions()) {
      summary.warnings.push_back({"empty_region", fmt::format("{}: {}", issue.place, issue.message)});
    }
    const std::vector<RunWarning> of_end = in_units(warnings_of_watches());
    summary.discretisation = discretisation();
    for (const NamedHint& hint : simulation_.named_warnings()) {
      // The estimate of the result takes the place of what was foreseen for bending.
      const bool is_estimated = hint.name == "coarse_elements" && !summary.discretisation.empty();
      if (!hint.falsifies || is_estimated) continue;
      summary.warnings.push_back({hint.name, fmt::format("{}: {}", hint.issue.place, hint.issue.message)});
    }
    if (failure_) summary.warnings.push_back(*failure_);
    const std::vector<RunWarning> of_folder = in_units(folder_.warnings());
    for (const std::vector<RunWarning>* some : {&of_end, &of_folder}) {
      summary.warnings.insert(summary.warnings.end(), some->begin(), some->end());
    }
    // A summary says that the list of frames is complete.
    if (!folder_.has_unlisted_frames()) keep(folder_.write_summary(summary));
    outcome_.num_steps_by_status = folder_.num_steps_by_status();
    outcome_.warnings = of_folder;
    outcome_.warnings.insert(outcome_.warnings.end(), of_end.begin(), of_end.end());
    for (const RunWarning& warning : outcome_.warnings) log_warning("{}: {}", warning.name, warning.message);
    log_info("{} after step {}", to_string(outcome_.end), outcome_.last_step);
    // Writing the summary may have failed since.
    if (end_) outcome_.end = *end_;
    return outcome_;
  }

  std::vector<RunWarning> warnings() const {
    std::vector<RunWarning> warnings = in_units(folder_.warnings());
    for (RunWarning& warning : in_units(warnings_of_watches())) warnings.push_back(std::move(warning));
    if (failure_) warnings.push_back(*failure_);
    return warnings;
  }

  Simulation& simulation_;
  ResultFolder folder_;
  RunLimits limits_;
  RunObserver observer_;
  RunRequestReader requests_;
  std::optional<Frame> first_frame_;
  int first_step_ = 0;
  int threads_ = 1;    // of the last step: the owner may finish a run outside of the limit of its steps
  int iteration_ = 0;  // iterations of the step under way
  RunOutcome outcome_;
  StepRecord record_;  // of the last step that was stored
  ElementWatch elements_;
  std::optional<RollingWatch> rolling_;
  std::optional<LeadWatch> lead_;
  std::unique_ptr<CertificateRecorder> certificate_;  // none unless the scene asks for one
  std::optional<RunWarning> failure_;                 // why the last step could not be taken
  Stopwatch since_update_;                            // of the list of frames and the checkpoint
  bool is_checkpoint_due_ = false;
  std::optional<RunEnd> end_;  // set once no step can follow for another reason than their number
};

std::string to_string(RunEnd end) {
  switch (end) {
    case RunEnd::complete:
      return "complete";
    case RunEnd::stopped:
    case RunEnd::not_converged:
      return "stopped";
    case RunEnd::failed_step:
    case RunEnd::failed_writing:
      return "failed";
  }
  return "unknown";
}

Run::Run(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Run::Run(Run&&) noexcept = default;
Run::~Run() = default;

Result<Run> Run::begin(Simulation& simulation, const FolderClaim& claim, const RunLimits& limits,
                       RunObserver observer) {
  if (simulation.num_steps_done() != 0) {
    return Issue{"", "", "", "a run must begin with a simulation at its start; create a new one, also to resume"};
  }
  Result<ReadyFolder> ready =
      claim.use() == FolderUse::resume ? resume(claim.folder(), simulation) : start(claim.folder(), simulation);
  if (!ready) return ready.issues();
  auto impl = std::make_unique<Impl>(simulation, claim.folder(), std::move(*ready), limits, std::move(observer));
  impl->begin();
  return Run(std::move(impl));
}

bool Run::is_over() const {
  return impl_->is_over();
}
int Run::num_steps() const {
  return impl_->outcome_.num_steps;
}
const Issues& Run::errors() const {
  return impl_->outcome_.errors;
}
const StepRecord& Run::last_record() const {
  return impl_->record_;
}
std::vector<RunWarning> Run::warnings() const {
  return impl_->warnings();
}
StepReport Run::step() {
  return impl_->step();
}
RunOutcome Run::finish() {
  return impl_->finish();
}

Result<RunOutcome> run(Simulation& simulation, const FolderClaim& claim, const RunLimits& limits,
                       const RunObserver& observer) {
  Result<Run> begun = Run::begin(simulation, claim, limits, observer);
  if (!begun) return begun.issues();
  while (!begun->is_over()) {
    if (begun->step().status == StepStatus::stopped) break;
  }
  return begun->finish();
}

}  // namespace clearance
