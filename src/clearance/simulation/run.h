// A run: takes all steps of a simulation and stores them in a result folder, from the start or from a checkpoint, to
// the end or to a stop.
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

struct StepRecord;  // io/result/result_folder.h

/// Conditions that end a run.
struct RunLimits {
  std::optional<int> num_steps;  ///< total number of steps, instead of the scene's duration
  bool is_strict = false;        ///< true if the run also ends at the first step that does not converge
};

/// Callbacks of a run, called on the thread that called the run. Any of them may be empty. None of them affects a
/// result, apart from the stop that `is_stop_wanted` asks for.
struct RunObserver {
  /// The run calls it once, before anything else. `first_step` is the step that the run goes on from (0 unless it is
  /// resumed), and `num_steps` is the last one planned.
  std::function<void(int first_step, int num_steps)> on_start;
  /// Called after every Newton iteration; the residual is |dx|_inf / h [m/s].
  std::function<void(int step, int iteration, double residual)> on_iteration;
  /// The run calls it within a step, about twenty times a second, with the stage under way and the number of Newton
  /// iterations done.
  std::function<void(int step, int iteration, Stage doing)> on_activity;
  /// Called after every step, including one that could not be taken, but not after one that was stopped.
  std::function<void(int step, const StepReport& report)> on_step;
  std::function<void(const Issue& warning)> on_warning;
  /// The run calls it before and after every Newton iteration and about twenty times a second in between. Requests from
  /// whoever watches the run (io/result/run_control.h) are read at the same times. Once it returns true, the step under
  /// way is dropped, and the run ends with the last whole step stored. A later `run` with the claim of a resume goes on
  /// from there, and its results equal bit for bit those of a run that was never stopped.
  std::function<bool()> is_stop_wanted;
};

enum class RunEnd {
  complete,        ///< all steps are done
  stopped,         ///< stopped at the request of the observer or of whoever watches the run
  not_converged,   ///< a step did not converge, and RunLimits::is_strict is set
  failed_step,     ///< a step could not be taken
  failed_writing,  ///< writing failed; going on would leave a gap in the results
};

struct RunOutcome {
  RunEnd end = RunEnd::stopped;
  Issues errors;      ///< why the run failed
  int last_step = 0;  ///< last step that is completely stored in the folder
  int num_steps = 0;  ///< number of steps planned
  /// Counts for the whole result, including the steps before a resume.
  std::map<std::string, int> num_steps_by_status;
  std::vector<RunWarning> warnings;  ///< warnings of the energy accounts, and of RollingWatch
};

/// Returns `complete`, `stopped` (also for `not_converged`) or `failed`, as summary.json has it.
std::string to_string(RunEnd end);

/// A run whose owner calls for each step.
class Run {
 public:
  /// Begins a run in the folder of the claim, as the use of the claim says (docs: ARCHITECTURE.md, "Contract: result
  /// folder"). The simulation is at its start, even if the run is resumed, and outlives the run. A claim is for one
  /// run: a second one with FolderUse::start would replace the result of the first. Issues, with nothing run: the
  /// simulation has been stepped, there is no good checkpoint of this scene to resume from, or the folder cannot be
  /// written.
  static Result<Run> begin(Simulation& simulation, const FolderClaim& claim, const RunLimits& limits = {},
                           RunObserver observer = {});
  Run(Run&&) noexcept;
  ~Run();

  /// True if no step can follow: all are done, one has failed, or the folder cannot be written.
  bool is_over() const;
  int num_steps() const;         ///< number of steps planned
  const Issues& errors() const;  ///< why the run failed; empty if it has not
  /// Line of stats.jsonl that the last step has got.
  const StepRecord& last_record() const;
  /// Returns the warnings about the steps so far, and about a step that could not be taken.
  std::vector<RunWarning> warnings() const;
  /// Takes the next step and stores what belongs to it in the folder. A step that is stopped leaves everything as it
  /// was and may be taken later.
  StepReport step();
  /// Writes the last frame and the summary. Call it once, after the last step, whichever that is.
  RunOutcome finish();

 private:
  struct Impl;
  explicit Run(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Takes all steps until one is stopped or none can follow, and finishes the run. Issues are those of Run::begin.
Result<RunOutcome> run(Simulation& simulation, const FolderClaim& claim, const RunLimits& limits = {},
                       const RunObserver& observer = {});

}  // namespace clearance
