// Messages of a run to its user, while it goes on and at its end.
#pragma once

#include <filesystem>
#include <memory>

#include "apps/cli/progress.h"
#include "clearance/simulation/run.h"

namespace clearance::cli {

class RunReport {
 public:
  /// The simulation has to outlive this object.
  RunReport(const Simulation& simulation, bool is_quiet) : simulation_(simulation), is_quiet_(is_quiet) {}

  /// Returns an observer that shows progress and warnings, and that stops the run at a signal (StopSignals).
  RunObserver observer();
  /// Ends the line of progress and tells why the run failed, if it did.
  void close(const RunOutcome& outcome);
  /// Prints how the run ended, whether steps did not converge, and what the energy accounts say. `signal`: the one that
  /// stopped it, or 0.
  void print_end(const RunOutcome& outcome, const std::filesystem::path& folder, int signal) const;

 private:
  const Simulation& simulation_;
  bool is_quiet_;
  std::unique_ptr<Progress> progress_;
};

}  // namespace clearance::cli
