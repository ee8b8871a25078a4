// Runs of a sweep as processes of this machine, some at a time.
#pragma once

#include <vector>

#include "clearance/sweep/sweep_folder.h"

namespace clearance::cli {

struct PoolOptions {
  int jobs = 1;     ///< at a time
  int threads = 1;  ///< of each
  bool is_quiet = false;
};

struct PoolOutcome {
  int signal = 0;  ///< that ended the pool; 0: none
  int num_failed = 0;
  int num_held = 0;  ///< by other processes
};

/// Runs these runs. A process that is killed is started again, as long as it gets on; a signal to this process (see
/// StopSignals) stops all of them within their steps. Should this process be killed, they stop as well.
PoolOutcome run_pool(const sweep::SweepFolder& folder, const std::vector<int>& runs, const PoolOptions& options);

}  // namespace clearance::cli
