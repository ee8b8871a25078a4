// Exit statuses of the programs.
#pragma once

namespace clearance::cli {

enum ExitStatus {
  exit_done = 0,
  exit_bad_input = 2,  ///< also used for files that cannot be written
  exit_not_converged = 3,
  exit_verification_failed = 4,
  exit_signal = 128  ///< the number of the signal that stopped a run is added
};

}  // namespace clearance::cli
