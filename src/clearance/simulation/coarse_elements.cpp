#include "clearance/simulation/coarse_elements.h"

#include <fmt/format.h>

#include <algorithm>

#include "clearance/scene/body_names.h"

namespace clearance {

namespace {

/// Error of a largest stress that a probe asks for, from which a run warns. It is 0.2 with two quadratic elements
/// around a quarter of a hole, where the stress is 32 % too small.
constexpr double tolerated_stress_error = 0.15;

/// True if a probe asks for the largest stress of the whole body.
bool is_stress_asked_for(const Simulation& simulation, int body) {
  const SceneDesc& scene = simulation.scene();
  return std::any_of(scene.output.probes.begin(), scene.output.probes.end(), [&](const ProbeDesc& probe) {
    if (probe.kind != ProbeKind::stress || probe.region) return false;
    const std::optional<NamedBody> named = find_body(scene, probe.body);
    return named && static_cast<int>(named->body) == simulation.bodies()[body].entry;
  });
}

}  // namespace

std::vector<DiscretisationRecord> discretisation_records(const Simulation& simulation,
                                                         const std::vector<DiscretisationError>& errors) {
  std::vector<DiscretisationRecord> records;
  for (const DiscretisationError& error : errors) {
    const std::size_t body = error.body;
    records.push_back({simulation.bodies()[body].name, error.displacement, error.stress, error.where});
  }
  return records;
}

std::vector<RunWarning> coarse_element_warnings(const Simulation& simulation,
                                                const std::vector<DiscretisationError>& errors) {
  std::vector<RunWarning> warnings;
  for (const DiscretisationError& error : errors) {
    const std::string& name = simulation.bodies()[error.body].name;
    if (error.displacement > tolerated_error) {
      warnings.push_back(
          {"coarse_elements",
           fmt::format(
               "the elements of '{}' are too coarse: its displacements under the forces are estimated to be {:.2g} "
               "% too {} and its largest stress to be wrong by {:.2g} %; most of the error comes from ({:.4g}, "
               "{:.4g}, {:.4g}); {}",
               name, 100.0 * error.displacement, error.is_too_soft ? "large" : "small", 100.0 * error.stress,
               error.where[0], error.where[1], error.where[2], remedy_for(error))});
    } else if (error.stress > tolerated_stress_error && is_stress_asked_for(simulation, error.body)) {
      warnings.push_back(
          {"coarse_elements",
           fmt::format(
               "the largest stress of '{}' may be wrong by {:.2g} %, although its displacements are right: the "
               "stress changes too much within an element; use shorter elements there. At clamps and sharp inner "
               "edges it grows with every refinement, without end",
               name, 100.0 * error.stress)});
    }
  }
  return warnings;
}

}  // namespace clearance
