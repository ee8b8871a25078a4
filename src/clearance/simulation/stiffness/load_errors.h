// Errors that elements make in the displacements under loads, in statics.
#pragma once

#include <vector>

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/output/discretisation_error.h"

namespace clearance {

/// Estimates the errors before the run: solves K u = f once, at the start and without contacts, with the loads and
/// motions of the end of the run. Errors of bodies that the response presses together along their longest axis are left
/// out, because they may buckle, which no linear solve sees. Empty if the solve is not cheap (more than 10,000 blocks),
/// if bodies may touch, if one can move freely, or if nothing acts.
std::vector<DiscretisationError> foresee_discretisation_errors(const SceneDesc& desc, const SceneModel& scene);

/// Estimates the errors at the end of a quasi-static step. Displacements count as the body's softening under its loads
/// amplifies them, and those of slender bodies along each axis by themselves: the energy of a force that presses a
/// column hides that of one that bends it.
std::vector<DiscretisationError> find_discretisation_errors(const SceneModel& scene, const State& state);

}  // namespace clearance
