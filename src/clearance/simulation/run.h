// A run: all steps of a simulation into a result folder, from the start or from a checkpoint, to the end or to a stop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clearance/io/result/energy_monitor.h"
#include "clearance/io/result/folder_claim.h"
#include "clearance/simulation/simulation.h"

namespace clearance {

/// Where a run ends.
struct RunLimits {
  std::optional<int> num_steps;  ///< total number of steps, instead of the scene's duration
  bool is_strict = false;        ///< also at the first step that does not converge
};

/// What a run tells and asks, on the thread that called it; any of them may be empty. None has an influence on a
/// result.
struct RunObserver {
  /// Once, before anything else: the step that the run goes on from, 0 unless it is resumed, and the last one planned.
  std::function<void(int first_step, int num_steps)> on_start;
  /// After every Newton iteration; residual: |dx|_inf / h [m/s].
  std::function<void(int step, int iteration, double residual)> on_iteration;
  /// Within a step, some twenty times a second: what it is doing, after how many Newton iterations.
  std::function<void(int step, int iteration, Stage doing)> on_activity;
  /// After every step, also after one that could not be taken; not after one that was stopped.
  std::function<void(int step, const StepReport& report)> on_step;
  std::function<void(const Issue& warning)> on_warning;
  /// Asked before and after every Newton iteration and some twenty times a second in between, as is whoever watches the
  /// run (io/result/run_control.h). Once it says so, the step under way is dropped, and the run ends with the last
  /// whole step stored: `run` with the claim of a resume goes on from there, to the bits of a run that was never
  /// stopped.
  std::function<bool()> is_stop_wanted;
};

enum class RunEnd {
  complete,        ///< all steps
  stopped,         ///< as the observer wanted
  not_converged,   ///< at a step that did not converge, by RunLimits::is_strict
  failed_step,     ///< a step could not be taken
  failed_writing,  ///< going on would leave a hole that nobody fills
};

struct RunOutcome {
  RunEnd end = RunEnd::stopped;
  Issues errors;      ///< why the run failed
  int last_step = 0;  ///< the last one with all that belongs to it in the folder
  int num_steps = 0;  ///< planned
  /// Of the whole result, also of what was there when it was resumed.
  std::map<std::string, int> num_steps_by_status;
  std::vector<RunWarning> warnings;  ///< what the energy accounts say
};

/// `complete`, `stopped` (also `not_converged`) or `failed`, as summary.json has it.
std::string to_string(RunEnd end);

/// A run whose owner asks for every step.
class Run {
 public:
  /// Into the folder of the claim, as its use says (docs: ARCHITECTURE.md, "Contract: result folder"); the simulation
  /// is at its start, also of a run that goes on, and outlives the run. A claim is for one run: a second one with
  /// FolderUse::start would replace the result of the first. Issues, with nothing run: the simulation has been stepped,
  /// there is no good checkpoint of this scene to resume from, or the folder cannot be written.
  static Result<Run> begin(Simulation& simulation, const FolderClaim& claim, const RunLimits& limits = {},
                           RunObserver observer = {});
  Run(Run&&) noexcept;
  ~Run();

  /// No step can follow: all are done, or one has failed, or the folder cannot be written.
  bool is_over() const;
  int num_steps() const;         ///< planned
  const Issues& errors() const;  ///< why the run failed, if it has
  /// The next step, and what belongs to it into the folder. One that is stopped leaves everything as it was, and may be
  /// taken later.
  StepReport step();
  /// The last frame and the summary: once, after the last step, whichever that is.
  RunOutcome finish();

 private:
  struct Impl;
  explicit Run(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Takes all steps until one is stopped. Issues: as of Run::begin.
Result<RunOutcome> run(Simulation& simulation, const FolderClaim& claim, const RunLimits& limits = {},
                       const RunObserver& observer = {});

}  // namespace clearance
