// The angle between two triangles that share an edge, with derivatives.
//
// Node 0 and 1 are the ends of the edge, 2 and 3 the third nodes of the triangles. The first triangle runs 0 1 2, the
// second 1 0 3. The angle is that between their normals, positive if these diverge: if the edge is a ridge seen from
// where the normals point to.
#pragma once

#include "clearance/math/types.h"

namespace clearance {

using DihedralNodes = std::array<Vec<3>, 4>;

double dihedral_angle(const DihedralNodes& x);

/// The angle and its gradient by the twelve coordinates.
struct DihedralGradient {
  double angle = 0.0;
  Vec<12> gradient = Vec<12>::Zero();  ///< [1/m]
};
DihedralGradient dihedral_gradient(const DihedralNodes& x);

/// Returns the second derivatives [1/m^2] of the angle.
Mat<12> dihedral_hessian(const DihedralNodes& x);

}  // namespace clearance
