// Estimate of the error that the triangles of shells make in a state at rest.
//
// The strains of the membrane and the curvatures are compared with those recovered at the nodes [Zie87], as in
// discretisation_error.h. The membrane is too stiff: displacements under given forces are too small by the share eta^2
// / 2E of the error's energy in that of the shell. Morley's plate is too soft: its curvature is the mean of the true
// one in each triangle, and under forces at nodes the displacements are too large by the share of the energy that the
// variation of the curvature would store and does not (bodies/shell/bending_potential.h).
#pragma once

#include "clearance/simulation/output/discretisation_error.h"

namespace clearance {

/// Estimates the error of each shell at the unknowns x, by ascending body, with the clamps of a time [s].
std::vector<DiscretisationError> estimate_shell_errors(const SceneModel& scene, const VecX& x, double time);

}  // namespace clearance
