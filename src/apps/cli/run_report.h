// What a run tells its user while it goes on and at its end.
#pragma once

#include <filesystem>
#include <memory>

#include "apps/cli/progress.h"
#include "clearance/simulation/run.h"

namespace clearance::cli {

class RunReport {
 public:
  /// What it is given has to outlive it.
  RunReport(const Simulation& simulation, bool is_quiet) : simulation_(simulation), is_quiet_(is_quiet) {}

  /// Shows progress and warnings; stops at a signal (StopSignals).
  RunObserver observer();
  /// Ends the line of progress and tells why the run failed.
  void close(const RunOutcome& outcome);
  /// How it ended, whether steps did not converge, and what the energy accounts say. signal: that stopped it, or 0.
  void print_end(const RunOutcome& outcome, const std::filesystem::path& folder, int signal) const;

 private:
  const Simulation& simulation_;
  bool is_quiet_;
  std::unique_ptr<Progress> progress_;
};

}  // namespace clearance::cli
