// The state of a run of a sweep. It is derived from the run's result folder and, for a run that was refused, from its
// file in failures/. No separate record of the state exists that could contradict them.
#pragma once

#include <optional>
#include <string>

#include "clearance/sweep/sweep_folder.h"

namespace clearance::sweep {

enum class RunPhase {
  waiting,      ///< nothing has been stored
  running,      ///< a process computes it
  interrupted,  ///< continues from its checkpoint, or from the start if it was killed before its first one
  complete,
  failed,  ///< the run was refused, a step could not be taken, or a step of a strict run did not converge
  foreign  ///< the folder holds another run than the plan says
};

struct RunState {
  RunPhase phase = RunPhase::waiting;
  int steps = 0;            ///< number of the last stored step
  int converged_steps = 0;  ///< known for a run that is complete or failed
  int num_warnings = 0;     ///< known for the same runs
  std::optional<double> seconds;
  std::string reason;  ///< why the run failed, or how it differs from the plan
};

std::string to_string(RunPhase phase);

/// Finds the phase alone, which is faster than the whole state.
RunPhase phase_of(const SweepFolder& folder, int run);
RunState state_of(const SweepFolder& folder, int run);

/// Returns the number of the last step in stats.jsonl, read from the end of the file; 0 if there is none.
int last_stored_step(const std::filesystem::path& run_folder);

}  // namespace clearance::sweep
