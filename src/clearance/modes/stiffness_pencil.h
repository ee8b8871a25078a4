// A stiffness and a mass of the same unknowns, of which some are held.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clearance/math/types.h"
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

/// Modes v of K v = omega^2 M v with v^T M v = 1 kg.
struct VibrationModes {
  std::vector<std::string> names;  ///< of the rigid motions; empty for vibrations
  VecX omega_sq;                   ///< [rad^2/s^2] ascending; 0 for rigid motions; negative: the state is not stable
  MatX vectors;                    ///< one per column
  double largest_residual = 0.0;   ///< largest |K v - omega^2 M v| / |K v| of the vibrations
};

/// Finds the rigid motions without resistance and the `count` lowest vibrations. `candidates` are motions of single
/// bodies; combinations of them without resistance, as of a mechanism, are found and named so. Nothing if the matrices
/// have no factor or the iteration does not converge.
std::optional<VibrationModes> find_vibrations(const StiffnessPencil& pencil, const std::vector<NamedMotion>& candidates,
                                              int count);

/// Factors of the loads at which the stiffness vanishes in a direction.
struct BucklingModes {
  VecX factors;  ///< ascending, positive
  MatX vectors;  ///< one per column
};

/// Solves (K0 + lambda (K1 - K0)) v = 0 for the `count` smallest positive lambda, where K0 is the stiffness without
/// loads and K1 that under loads, which has the same unknowns. Fewer are returned if the loads buckle nothing else;
/// those that lie close together far beyond the loads are not found. Nothing if K0 is not positive definite.
std::optional<BucklingModes> find_buckling(const StiffnessPencil& unloaded, const BlockSparseMatrix& loaded, int count);

}  // namespace clearance
