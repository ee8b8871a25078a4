// Bound of the rounding error of forces: 64 eps |H_bb| max_b |x_b| on block b. Forces come from differences of
// positions anywhere in their body, also those on the slopes of shells and the angles of rods. The bound of a column of
// an affine map uses the column's own length, and the rotation vector of a rigid body has the rounding of its columns.
#pragma once

#include "clearance/model/local_coordinates.h"

namespace clearance {

/// Rounding error of positions, relative to them.
constexpr double position_rounding = 64.0 * 2.220446049250313e-16;

/// Returns the rounding error of the force on each local block, in N times the scale of the objective. A rotation
/// vector counts by its force at the radius of its body. `stiffness` is the largest entry of the diagonal of the
/// Hessian, per local block.
template <int dim>
VecX force_rounding(const Model& model, const LocalCoordinates<dim>& coordinates, const VecX& x, const VecX& stiffness);

}  // namespace clearance
