// Warnings about contact forces of impacts that the steps of a run are too long for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/io/result/energy_monitor.h"

namespace clearance {

/// Number of steps that an impact must take for its forces to be resolved.
inline constexpr int resolved_impact_steps = 5;

/// Follows the forces of the probes of contacts from step to step, in a run with inertia.
class ImpactWatch {
 public:
  /// `columns` are those of the probes: `name [unit]`.
  explicit ImpactWatch(const std::vector<std::string>& columns);
  ImpactWatch(ImpactWatch&&) noexcept;
  ImpactWatch& operator=(ImpactWatch&&) noexcept;
  ~ImpactWatch();

  /// Evaluates the start or a step, with one number per column; forces that are not known are NaN.
  void add(double time, const std::vector<double>& values);
  /// Returns a warning `impact_unresolved` for each probe of a contact whose largest force belongs to an impact that
  /// came and went within five steps. Such a force is the impulse of the impact over the step, and less than the true
  /// peak.
  std::vector<RunWarning> warnings() const;

 private:
  class Contact;
  std::vector<Contact> contacts_;
};

/// Returns the warnings of ImpactWatch for the probes.csv of a run with inertia.
std::vector<RunWarning> impact_warnings(const std::filesystem::path& probes);

}  // namespace clearance
