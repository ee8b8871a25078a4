// Positions on new elements without intersections and inversions, as near as these can be to projected ones, which may
// have both [Fer23, eq. 6.8-6.10].
#pragma once

#include <vector>

#include "clearance/bodies/fem/element_set.h"
#include "clearance/model/model.h"
#include "clearance/solver/options.h"
#include "clearance/solver/report.h"

namespace clearance {

struct SafePositions {
  VecX x;                                     ///< [m] free of intersections and inversions, like the start
  bool is_target = false;                     ///< nothing was in the way: x is the target, but for what is held
  StepStatus status = StepStatus::converged;  ///< of the minimisation; where it is no step, x is the start
  int newton_iterations = 0;
  double distance_start = 0.0, distance = 0.0;  ///< [m] of start and x to the target: root of the mean square by mass
};

/// The whole way from `start` to `target` [m] if it is straight and free: no element loses four fifths of its volume on
/// it, no gap more than half. Else the minimum of
///
///   1/2 |x - target|_M^2 + h^2 (B(x) + I(x) - x . grad (B + I)(start))
///
/// that Newton's method with filtered line search finds from `start`, and never anything farther from the target than
/// the start. M is the mass matrix of `model`, the consistent one of `elements` if it has none; h that of the options,
/// or less: in that time the forces at the start move no node by more than dhat. B is the contact barrier of the
/// options, I the inversion barrier of bodies/fem/inversion_barrier.h over all elements, on below a tenth of the rest
/// volume with a tenth of the modulus lambda + 2 mu [Fer23, eq. 6.9, 6.10; where v_hat is an absolute volume]. The last
/// term, not in [Fer23], stands for what holds contacts closed at the start: without it the barrier alone would open
/// every gap to its activation distance, with it a target that is the start is reached, and what is in contact keeps
/// about its gap. There is no friction.
///
/// Nothing moves of obstacles, of stiff bodies, of `held` blocks and of bodies whose target is their start.
/// `elements` are the linear elements of all others. Start and target have all unknowns of `model`.
template <int dim>
SafePositions project_safely(const Model& model, const ElementMesh<dim>& elements, const SolverOptions& options,
                             const VecX& start, const VecX& target, const std::vector<int>& held = {});

}  // namespace clearance
