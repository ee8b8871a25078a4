// Warnings about contact forces of impacts that the steps of a run are too long for.
#pragma once

#include <filesystem>
#include <vector>

#include "clearance/io/result/energy_monitor.h"

namespace clearance {

/// Number of steps that an impact must take for its forces to be resolved.
inline constexpr int resolved_impact_steps = 5;

/// Returns a warning `impact_unresolved` for each probe of a contact whose largest force belongs to an impact that came
/// and went within five steps. Such a force is the impulse of the impact over the step, and less than the true peak.
/// `probes` is the probes.csv of a run with inertia.
std::vector<RunWarning> impact_warnings(const std::filesystem::path& probes);

}  // namespace clearance
