// What rounding of the positions leaves of the forces: 64 eps |H_bb| max_b |x_b| on block b, since forces come from
// differences of positions anywhere in its body. A column of an affine map counts by its own length, and the rotation
// vector of a rigid body has the rounding of its columns.
#pragma once

#include "clearance/model/local_coordinates.h"

namespace clearance {

/// Of positions, relative to them.
constexpr double position_rounding = 64.0 * 2.220446049250313e-16;

/// [N] times the scale of the objective, per local block; a rotation vector counts by its force at the radius of its
/// body. `stiffness`: largest entry of the diagonal of the Hessian, per local block.
template <int dim>
VecX force_rounding(const Model& model, const LocalCoordinates<dim>& coordinates, const VecX& x, const VecX& stiffness);

}  // namespace clearance
