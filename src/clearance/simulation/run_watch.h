// Warnings about a run that stores nothing; a run with a result folder has the same ones (run.h).
#pragma once

#include <optional>
#include <vector>

#include "clearance/io/result/impact_warnings.h"
#include "clearance/io/result/result_folder.h"
#include "clearance/io/result/run_sums.h"
#include "clearance/simulation/element_watch.h"
#include "clearance/simulation/lead_watch.h"
#include "clearance/simulation/rolling_watch.h"
#include "clearance/simulation/simulation.h"

namespace clearance {

/// Returns the warning about a step that could not be taken; its name is the status of the step.
RunWarning failure_warning(int step, const StepReport& report);

class RunWatch {
 public:
  explicit RunWatch(const Simulation& simulation);

  /// Evaluates a step, also one that could not be taken; call it after every step.
  void add_step(const Simulation& simulation, const StepReport& report, const StepRecord& record);
  std::vector<RunWarning> warnings(const Simulation& simulation) const;

 private:
  RunSums sums_;
  std::optional<ImpactWatch> impacts_;  // of runs with inertia
  RollingWatch rolling_;
  LeadWatch lead_;
  ElementWatch elements_;
  std::optional<RunWarning> failure_;
};

}  // namespace clearance
