#include "clearance/io/energy_monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clearance {

namespace {

constexpr double gain_limit = 0.01, loss_limit = 0.03, strain_limit = 0.1;

void raise(double share, double limit, double time, double& largest, double& time_of_limit) {
  if (share > limit && largest <= limit) time_of_limit = time;
  largest = std::max(largest, share);
}

}  // namespace

void EnergyMonitor::add(const StepEnergies& step) {
  // What a joint stores is no energy at work: it is what is to be judged.
  stored_ += step.stored_change;
  at_work_ = std::max({at_work_, step.kinetic, step.kinetic - step.kinetic_change, std::abs(stored_ - step.joint)});
  sum_ += step.impacts + step.integrator;
  lowest_sum_ = std::min(lowest_sum_, sum_);
  lost_ -= step.integrator;
  if (!(at_work_ > 0.0)) return;
  raise((sum_ - lowest_sum_) / at_work_, gain_limit, step.time, largest_gain_, time_of_gain_);
  raise(lost_ / at_work_, loss_limit, step.time, largest_loss_, time_of_loss_);
  raise(step.joint / at_work_, strain_limit, step.time, largest_strain_, time_of_strain_);
}

std::vector<RunWarning> EnergyMonitor::warnings() const {
  std::vector<RunWarning> warnings;
  if (largest_gain_ > gain_limit) {
    warnings.push_back({"energy_gained", fmt::format("the time integrator has made energy: up to {:.3g} % of the energy "
                                                     "at work, from {:.4g} s on; use implicit_euler or a shorter step",
                                                     100.0 * largest_gain_, time_of_gain_)});
  }
  if (largest_loss_ > loss_limit) {
    warnings.push_back({"energy_lost", fmt::format("the time integrator has taken out {:.3g} % of the energy at work, "
                                                   "impacts aside, more than {:.3g} % from {:.4g} s on; use bdf2 or a "
                                                   "shorter step",
                                                   100.0 * largest_loss_, 100.0 * loss_limit, time_of_loss_)});
  }
  if (largest_strain_ > strain_limit) {
    warnings.push_back({"joint_strained", fmt::format("joints store up to {:.3g} % of the energy at work, from {:.4g} s "
                                                      "on: a drive works against something that does not give way",
                                                      100.0 * largest_strain_, time_of_strain_)});
  }
  return warnings;
}

}  // namespace clearance
