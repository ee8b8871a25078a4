// Modes of a stiffness and a mass.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clearance/simulation/stiffness/state_matrices.h"

namespace clearance {

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
