// Stiffness and mass of a scene in one of its states.
#pragma once

#include <string>
#include <vector>

#include "clearance/simulation/build/scene_model.h"
#include "clearance/solver/prescribed.h"
#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

/// The matrices of small motions about a state, in Newton's unknowns (model/local_coordinates.h).
struct StiffnessPencil {
  BlockSparseMatrix stiffness;  ///< K [N/m], exact; rows of held unknowns are those of the identity
  BlockSparseMatrix mass;       ///< M [kg], with a pattern that K has, too
  std::vector<char> is_free;    ///< per scalar unknown: 1 if it moves and has a mass
};

/// A motion as a rigid body that a scene allows, or might allow.
struct NamedMotion {
  std::string name;  ///< `translation of 'bar' along x`
  VecX motion;       ///< in Newton's unknowns; zero in held ones
};

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
