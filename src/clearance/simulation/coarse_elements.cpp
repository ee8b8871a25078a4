#include "clearance/simulation/coarse_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "clearance/scene/body_names.h"
#include "clearance/scene/body_remesh.h"
#include "clearance/simulation/load/hint.h"

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

bool has_hinges(const Simulation& simulation, const DiscretisationError& error) {
  const BodyDesc& desc = simulation.scene().bodies[simulation.bodies()[error.body].entry];
  return error.is_shell && desc.shell && desc.shell->bending == BendingModel::hinges;
}

/// Returns the settings by which the elements of a body adapt; null if they do not.
const RemeshDesc* remesh_of(const Simulation& simulation, const DiscretisationError& error) {
  return find_remesh(simulation.scene(), simulation.scene().bodies[simulation.bodies()[error.body].entry]);
}

/// Returns what would reduce the error of elements that adapt, which only linear ones do.
std::string remedy_of_remesh(const RemeshDesc& remesh) {
  if (!remesh.split) return "allow `remesh.split`, or start with elements of half the length";
  const bool is_size = remesh.criterion == RemeshCriterion::size, is_absolute = remesh.gain > 0.0;
  const char* key = is_size ? "size_strain" : is_absolute ? "gain" : "relative_gain";
  return fmt::format(
      "its elements adapt: compare with a run with a tenth of `remesh.{}`, {:.2g}, or use "
      "`\"order\": 2` in place of `remesh`",
      key,
      0.1 * (is_size       ? remesh.size_strain
             : is_absolute ? remesh.gain
                           : remesh.relative_gain));
}

/// Returns what would reduce the error of a body. The bending of hinges depends on the mesh, however fine it is.
std::string remedy_of(const Simulation& simulation, const DiscretisationError& error) {
  if (const RemeshDesc* remesh = remesh_of(simulation, error)) return remedy_of_remesh(*remesh);
  if (!has_hinges(simulation, error)) return remedy_for(error);
  return "use `\"bending\": \"slopes\"`, because finer meshes do not make the stiffness of hinges right";
}

/// Warns of all bodies that need the same remedy at once, by the one with the largest error.
RunWarning warning_of_displacements(const Simulation& simulation, const std::vector<DiscretisationError>& alike) {
  const DiscretisationError& worst = *std::max_element(
      alike.begin(), alike.end(),
      [](const DiscretisationError& a, const DiscretisationError& b) { return a.displacement < b.displacement; });
  // The yield stress bounds the stress of a body that has yielded, whose error is 0.
  const std::string of_stress =
      worst.stress > 0.0 ? fmt::format(" and its largest stress to be wrong by {:.2g} %", 100.0 * worst.stress) : "";
  return {"coarse_elements",
          fmt::format("the elements of '{}'{} are too coarse: its displacements under the forces are estimated to be "
                      "{:.2g} % too {}{}; most of the error comes from ({:.4g}, {:.4g}, {:.4g}); {}",
                      simulation.bodies()[worst.body].name, and_more(alike.size() - 1), 100.0 * worst.displacement,
                      worst.is_too_soft ? "large" : "small, or the forces under its displacements as much too large",
                      of_stress, worst.where[0], worst.where[1], worst.where[2], remedy_of(simulation, worst))};
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
  std::map<std::tuple<bool, bool, std::string, int>, std::vector<DiscretisationError>> by_remedy;
  for (const DiscretisationError& error : errors) {
    if (!(error.displacement > tolerated_error)) continue;
    const RemeshDesc* remesh = remesh_of(simulation, error);
    const std::string of_remesh = remesh == nullptr ? "" : remedy_of_remesh(*remesh);
    by_remedy[{error.is_shell, has_hinges(simulation, error), of_remesh, error.order}].push_back(error);
  }
  std::vector<RunWarning> warnings;
  for (const auto& [remedy, alike] : by_remedy) warnings.push_back(warning_of_displacements(simulation, alike));
  for (const DiscretisationError& error : errors) {
    const bool is_right_but_for_stress =
        !(error.displacement > tolerated_error) && error.stress > tolerated_stress_error;
    if (!is_right_but_for_stress || !is_stress_asked_for(simulation, error.body)) continue;
    warnings.push_back(
        {"coarse_elements",
         fmt::format("the largest stress of '{}' may be wrong by {:.2g} %, although its displacements are right: the "
                     "stress changes too much within an element; use shorter elements there. At clamps and sharp inner "
                     "edges it grows with every refinement, without end",
                     simulation.bodies()[error.body].name, 100.0 * error.stress)});
  }
  return warnings;
}

}  // namespace clearance
