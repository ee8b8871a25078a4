// Hooks of a run in its steps: what it hears of them, when it stops them, and what it wants to keep. Hooks change no
// result.
#pragma once

#include <functional>

#include "clearance/ccd/query.h"

namespace clearance {

struct StepHooks {
  /// Receives the number of every Newton iteration and its |dx|_inf / h [m/s]; for progress display.
  std::function<void(int, double)> on_iteration;
  /// The step calls it on the calling thread before and after every Newton iteration and some twenty times a second
  /// (base/stop.h). If it returns true, the step ends as `stopped`.
  std::function<bool()> is_stop_wanted;
  /// Receives the pairs of every sweep, in order, on the calling thread; for recording. Pairs on curved paths are left
  /// out, and 2D scenes report none.
  std::function<void(const CcdQuery&)> on_ccd_query;
  bool keeps_forces = false;  ///< reports get the forces at the end of the step (StepReport::forces)

  /// Returns the hooks of a solve within a step: it can be stopped and recorded, but nobody asks for its progress.
  StepHooks of_inner_solve() const { return {{}, is_stop_wanted, on_ccd_query, false}; }
};

}  // namespace clearance
