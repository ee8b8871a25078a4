// What a run's energy accounts say of its worth: warnings by name, from the lines of stats.jsonl.
#pragma once

#include <string>
#include <vector>

namespace clearance {

struct RunWarning {
  std::string name;     ///< `energy_gained`, `energy_lost`, `joint_strained`
  std::string message;  ///< what was found, how much, and what to do
};

/// The account of one step, and two of its energies [J].
struct StepEnergies {
  double kinetic = 0.0, joint = 0.0;
  double kinetic_change = 0.0, stored_change = 0.0;
  double impacts = 0.0, integrator = 0.0;
};

/// Energies count against the energy at work: the largest kinetic energy of the run, or the largest change of what is
/// stored. The integrator has gained energy if its part (impacts included) has risen by a hundredth of that above its
/// lowest point; lost, if without impacts it has fallen by three hundredths. A joint is strained if it stores a tenth of
/// all other energy at work.
class EnergyMonitor {
 public:
  void add(const StepEnergies& step);
  std::vector<RunWarning> warnings() const;

 private:
  double at_work_ = 0.0, stored_ = 0.0;
  double sum_ = 0.0, lowest_sum_ = 0.0, lost_ = 0.0;
  double largest_gain_ = 0.0, largest_loss_ = 0.0, largest_strain_ = 0.0;
};

}  // namespace clearance
