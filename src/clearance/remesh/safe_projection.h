// Positions on new elements that are free of intersections and inversions and as close as possible to projected
// positions, which may have both [Fer23, eq. 6.8-6.10].
#pragma once

#include <vector>

#include "clearance/bodies/fem/element_set.h"
#include "clearance/model/model.h"
#include "clearance/solver/options.h"
#include "clearance/solver/report.h"
#include "clearance/solver/step_hooks.h"

namespace clearance {

struct SafePositions {
  VecX x;  ///< [m] free of intersections and inversions, like the start
  /// True if the straight way was free: x is the target, except for held blocks.
  bool is_target = false;
  StepStatus status = StepStatus::converged;  ///< of the minimisation; if it fails, x is the start
  int newton_iterations = 0;
  /// [m] root mean square by mass of the distances of start and x to the target
  double distance_start = 0.0, distance = 0.0;
};

/// Returns the target if the straight way from `start` to `target` [m] is free: no element loses four fifths of its
/// volume on it, and no gap more than half. Otherwise returns the minimum of
///
///   1/2 |x - target|_M^2 + h^2 (B(x) + I(x) - x . grad (B + I)(start))
///
/// that Newton's method with filtered line search finds from `start`, but never a point farther from the target than
/// the start. M is the mass matrix of `model`, or the consistent one of `elements` if the model has none. h is the time
/// step of the options or shorter: within h the forces at the start move no node by more than dhat. B is the contact
/// barrier of the options. I is the inversion barrier of bodies/fem/inversion_barrier.h over all elements; it acts
/// below a tenth of the rest volume with a tenth of the modulus lambda + 2 mu [Fer23, eq. 6.9, 6.10; where v_hat is an
/// absolute volume]. The last term, not in [Fer23], stands for the forces that hold contacts closed at the start.
/// Without it the barrier alone would open every gap to its activation distance. With it a target equal to the start is
/// reached, and contacts about keep their gap. There is no friction.
///
/// Obstacles, stiff bodies, `held` blocks and bodies whose target is their start do not move. `elements` are the linear
/// elements of all other bodies. Start and target have all unknowns of `model`.
template <int dim>
SafePositions project_safely(const Model& model, const ElementMesh<dim>& elements, const SolverOptions& options,
                             const VecX& start, const VecX& target, const std::vector<int>& held = {},
                             const StepHooks& hooks = {});

}  // namespace clearance
