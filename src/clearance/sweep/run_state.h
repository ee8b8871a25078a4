// What has become of a run of a sweep, by its result folder alone: nothing that could say something else than it.
#pragma once

#include <optional>
#include <string>

#include "clearance/sweep/sweep_folder.h"

namespace clearance::sweep {

enum class RunPhase {
  waiting,      ///< nothing has been stored
  running,      ///< a process has it
  interrupted,  ///< it goes on from its checkpoint, or from the start if it was killed before its first one
  complete,
  failed,  ///< refused, a step could not be taken, or not converged where that was to be the end
  foreign  ///< another run than the plan says lies in its folder
};

struct RunState {
  RunPhase phase = RunPhase::waiting;
  int steps = 0;            ///< stored
  int converged_steps = 0;  ///< of a run that is complete or failed
  int num_warnings = 0;     ///< of the same
  std::optional<double> seconds;
  std::string reason;  ///< why it failed, or what is foreign about it
};

std::string to_string(RunPhase phase);

/// The phase alone is found fastest.
RunPhase phase_of(const SweepFolder& folder, int run);
RunState state_of(const SweepFolder& folder, int run);

/// Number of the last step in stats.jsonl, from the end of the file; 0 without one.
int last_stored_step(const std::filesystem::path& run_folder);

}  // namespace clearance::sweep
