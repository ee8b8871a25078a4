// Sums over the steps of a run, and the warnings that follow from them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "clearance/io/result/energy_monitor.h"
#include "clearance/io/result/step_record.h"
#include "clearance/math/types.h"

namespace clearance {

class RunSums {
 public:
  explicit RunSums(TimeIntegrator integrator) : energy_(integrator) {}

  /// Adds a line of stats.jsonl.
  void add(const StepRecord& record);

  /// Returns the warnings that follow from the energy accounts and from how the steps ended.
  std::vector<RunWarning> warnings() const;

  const std::map<std::string, int>& num_steps_by_status() const { return num_steps_by_status_; }
  int num_steps() const { return num_steps_; }
  double total_seconds() const { return total_seconds_; }
  double min_distance() const { return min_distance_; }  ///< [m]
  long newton_iterations() const { return newton_iterations_; }

 private:
  void add_stability_warnings(std::vector<RunWarning>& warnings) const;
  void add_free_motion_warning(std::vector<RunWarning>& warnings) const;

  std::map<std::string, int> num_steps_by_status_;
  EnergyMonitor energy_;
  long num_inaccurate_ = 0;                     // parts of steps
  std::pair<double, double> worst_part_{};      // [s], error
  std::pair<double, std::string> first_block_;  // [s] end of the first step whose motion was blocked, and by what
  /// Steps with balances that were not stable, of those that went on to stable ones and of those that did not.
  struct Unstable {
    int num_steps = 0;
    StepRecord first;
  };
  Unstable left_, kept_;
  StepRecord::FreeMotion free_motion_;  // the farthest
  double time_of_free_motion_ = 0.0;    // [s]
  int num_steps_ = 0;
  double total_seconds_ = 0.0;
  double min_distance_ = infinity;
  long newton_iterations_ = 0;
};

}  // namespace clearance
