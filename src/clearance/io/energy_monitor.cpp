#include "clearance/io/energy_monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clearance {

namespace {

constexpr double gain_limit = 0.01, loss_limit = 0.03, strain_limit = 0.1;

}  // namespace

void EnergyMonitor::add(const StepEnergies& step) {
  // What a joint stores is no energy at work: it is what is to be judged.
  stored_ += step.stored_change;
  at_work_ = std::max({at_work_, step.kinetic, step.kinetic - step.kinetic_change, std::abs(stored_ - step.joint)});
  sum_ += step.impacts + step.integrator;
  lowest_sum_ = std::min(lowest_sum_, sum_);
  lost_ -= step.integrator;
  largest_gain_ = std::max(largest_gain_, sum_ - lowest_sum_);
  largest_loss_ = std::max(largest_loss_, lost_);
  largest_strain_ = std::max(largest_strain_, step.joint);
}

std::vector<RunWarning> EnergyMonitor::warnings() const {
  std::vector<RunWarning> warnings;
  if (!(at_work_ > 0.0)) return warnings;
  const double gain = largest_gain_ / at_work_, loss = largest_loss_ / at_work_, strain = largest_strain_ / at_work_;
  if (gain > gain_limit) {
    warnings.push_back({"energy_gained", fmt::format("the time integrator has made energy: up to {:.3g} % of the energy "
                                                     "at work ({:.3g} J); use implicit_euler or a shorter step",
                                                     100.0 * gain, at_work_)});
  }
  if (loss > loss_limit) {
    warnings.push_back({"energy_lost", fmt::format("the time integrator has taken out {:.3g} % of the energy at work "
                                                   "({:.3g} J), impacts aside; use bdf2 or a shorter step",
                                                   100.0 * loss, at_work_)});
  }
  if (strain > strain_limit) {
    warnings.push_back({"joint_strained", fmt::format("joints store up to {:.3g} % of the energy at work ({:.3g} J): a "
                                                      "drive or a load works against something that does not give way",
                                                      100.0 * strain, at_work_)});
  }
  return warnings;
}

}  // namespace clearance
