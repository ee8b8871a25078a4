// Quadrature on triangles (dim 2) and tetrahedra (dim 3) by barycentrics: the integral of f over a simplex of volume V
// is V times the sum of weight f(at).
#pragma once

#include <vector>

#include "clearance/geometry/lagrange.h"

namespace clearance {

struct QuadraturePoint {
  Barycentrics at;
  double weight;  ///< part of the simplex's volume: those of a rule sum up to 1
};

inline constexpr int max_symmetric_degree = 8;

/// The rule with the fewest points in the table that is exact for polynomials up to `degree` (0 to
/// max_symmetric_degree). With each point it has all permutations of its barycentrics, weighted alike; weights are
/// positive, points inside. Triangles: 1, 3, 6, 6, 7, 12, 15, 16 points for degrees 1 to 8; tetrahedra: 1, 4, 8, 14,
/// 14, 24, 35, 46.
const std::vector<QuadraturePoint>& symmetric_quadrature(int dim, int degree);

/// Also of segments (dim 1). Exact up to any degree, with positive weights and points inside, but (degree / 2 + 1)^dim
/// of them, which depend on the order of the corners: conical products of Gauss-Jacobi points [Str71]. They are
/// computed anew by each call.
std::vector<QuadraturePoint> conical_quadrature(int dim, int degree);

}  // namespace clearance
