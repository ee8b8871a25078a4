// Warnings about contact forces of impacts that the steps of a run are too long for.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "clearance/io/result/energy_monitor.h"

namespace clearance {

/// Number of steps that an impact must take for its forces to be resolved.
inline constexpr int resolved_impact_steps = 5;

/// Time [s] that a wave takes through an element of the bodies of a contact, by the name of its probe. Elements carry
/// no shorter peaks of force.
using WaveTimes = std::map<std::string, double>;

/// Follows the forces of the probes of contacts from step to step, in a run with inertia.
class ImpactWatch {
 public:
  /// `columns` are those of the probes: `name [unit]`.
  ImpactWatch(const std::vector<std::string>& columns, const WaveTimes& wave_times);
  ImpactWatch(ImpactWatch&&) noexcept;
  ImpactWatch& operator=(ImpactWatch&&) noexcept;
  ~ImpactWatch();

  /// Evaluates the start or a step, with one number per column; forces that are not known are NaN.
  void add(double time, const std::vector<double>& values);
  /// Returns a warning `impact_unresolved` if the largest force of probes of contacts belongs to an impact that came
  /// and went within five steps, and another one if it lasted shorter than a wave takes through an element. The first
  /// is the impulse of the impact over the step, and less than the true peak. The second is that of the outermost
  /// elements, whose mass stops at once, and more than it. Each names its probes, and the one with the largest force.
  std::vector<RunWarning> warnings() const;

 private:
  class Contact;
  std::vector<Contact> contacts_;
};

/// Returns the warnings of ImpactWatch for the probes.csv of a run with inertia.
std::vector<RunWarning> impact_warnings(const std::filesystem::path& probes, const WaveTimes& wave_times);

}  // namespace clearance
