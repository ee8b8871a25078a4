// Estimate of the error that the elements of each body make in a state at rest.
//
// The recovered stress sigma* is much closer to the true one than the stress sigma_h of the elements, so that
// eta^2 = integral of (sigma* - sigma_h) : C^-1 : (sigma* - sigma_h) estimates the energy of the error [Zie87].
// Elements are too stiff: under given forces, the displacements at the forces are too small by the share that this
// energy has in the energy of the elements. Shells have an estimate of their own (shell_error.h).
#pragma once

#include <string>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

struct SceneModel;

/// Estimate for one body.
struct DiscretisationError {
  int body = 0;
  double displacement = 0.0;  ///< share by which the displacements under given forces are too small
  bool is_too_soft = false;   ///< they are too large instead, by that share
  bool is_shell = false;
  double energy = 0.0;            ///< [J] of the stresses of the elements
  double strain = 0.0;            ///< root mean square, as if all energy were of shear
  double stress = 0.0;            ///< error of the largest recovered stress, relative to it
  Vec<3> where = Vec<3>::Zero();  ///< [m] centre at rest of the element with the largest part in the error
  int order = 1;                  ///< order of the displacements
  double edge_length = 0.0;       ///< [m] mean length of the elements' edges

  /// Multiplies the error of displacements by a factor that the body's softening under its loads has.
  void amplify(double factor);
};

/// Estimate of the error of displacements that elements may make. It lies below the 5 % that are promised, because
/// estimates of 4 to 5 % belonged to errors of up to 8 %.
constexpr double tolerated_error = 0.04;

/// Returns what would reduce the error: a higher order for linear elements, else shorter ones. The error of order p
/// falls with the edge length to the power of 2 p.
std::string remedy_for(const DiscretisationError& error);

/// Estimates the error of each solid, of tetrahedra or of triangles of the plane, at the unknowns x, by ascending body.
/// Bodies with a material that yields are left out: their error depends on how they have flowed. So are bodies of
/// revolution, whose faces the estimate does not know.
std::vector<DiscretisationError> estimate_solid_errors(const SceneModel& scene, const VecX& x);

/// Inserts the estimates of shells (shell_error.h), with the clamps of a time [s].
void append_shell_errors(const SceneModel& scene, const VecX& x, double time, std::vector<DiscretisationError>& errors);

}  // namespace clearance
