// Runs of a sweep as processes of this machine, several at a time.
#pragma once

#include <vector>

#include "clearance/sweep/sweep_folder.h"

namespace clearance::cli {

struct PoolOptions {
  int jobs = 1;     ///< runs at a time
  int threads = 1;  ///< of each run
  bool is_quiet = false;
};

struct PoolOutcome {
  int signal = 0;  ///< the signal that ended the pool; 0: none
  int num_failed = 0;
  int num_held = 0;  ///< runs that other processes hold
};

/// Runs the given runs. A process that is killed is started again as long as it makes progress. A signal to this
/// process (see StopSignals) stops all of them within their steps. If this process is killed, they stop as well.
PoolOutcome run_pool(const sweep::SweepFolder& folder, const std::vector<int>& runs, const PoolOptions& options);

}  // namespace clearance::cli
