// Stiffness and mass of a scene in one of its states.
#pragma once

#include <vector>

#include "clearance/modes/stiffness_pencil.h"
#include "clearance/simulation/build/scene_model.h"
#include "clearance/solver/prescribed.h"

namespace clearance {

/// Terms of the stiffness.
enum class StiffnessTerms {
  all,      ///< everything but contacts and dissipation
  unloaded  ///< the same without the stiffness of loads (pressures)
};

/// Assembles the exact stiffness of the potentials at the state, without contacts, friction and damping, and the mass.
/// Blocks and components in `targets` are held. Issues: a formula has no value.
template <int dim>
Result<StiffnessPencil> assemble_pencil(const SceneModel& scene, const State& state, const PrescribedTargets& targets,
                                        StiffnessTerms terms);

/// Returns the motions of each body as a whole, which are candidates for motions without resistance. Bodies that are
/// obstacles have none.
template <int dim>
std::vector<NamedMotion> rigid_candidates(const SceneModel& scene, const State& state, const StiffnessPencil& pencil,
                                          const std::vector<std::string>& names);

/// Returns the share of the kinetic energy of a mode that each body has.
template <int dim>
std::vector<double> energy_shares(const SceneModel& scene, const StiffnessPencil& pencil, const VecX& mode);

}  // namespace clearance
