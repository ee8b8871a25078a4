// Overlap of two simplices: the integrals that transfer a field from one mesh to another [Fer23, eq. 6.7].
#pragma once

#include <array>

#include "clearance/math/types.h"

namespace clearance {

/// A triangle in the plane or a tetrahedron in space [m].
template <int dim>
using SimplexCorners = std::array<Vec<dim>, dim + 1>;

/// [m^dim] Returns the signed volume.
template <int dim>
double signed_volume(const SimplexCorners<dim>& corners);

/// Returns lambda_k(x): linear, 1 at corner k and 0 at the others, without rounding there. The simplex must not be
/// flat.
template <int dim>
Vec<dim + 1> barycentric_coordinates(const SimplexCorners<dim>& corners, const Vec<dim>& x);

/// Computes integrals(i, j) = integral of lambda_i^a lambda_j^b over the overlap of a and b [m^dim], and returns its
/// volume.
///
/// The simplices must have positive volume. Simplices that only touch have an overlap of rounding size, or none. The
/// coordinates of a point in `a` depend only on `a` and the point, so that the cells of a mesh leave no gap where they
/// meet. Their overlaps with a simplex that they cover sum up to its own moments, volume (1 + delta_ij) / ((dim +
/// 1)(dim + 2)) with j summed over, up to rounding of the size of its faces times that of coordinates.
template <int dim>
double overlap_moments(const SimplexCorners<dim>& a, const SimplexCorners<dim>& b, Mat<dim + 1>& integrals);

}  // namespace clearance
