// Quadrature on triangles (dim 2) and tetrahedra (dim 3) in barycentric coordinates: the integral of f over a simplex
// of volume V is V times the sum of weight f(at).
#pragma once

#include <vector>

#include "clearance/geometry/lagrange.h"

namespace clearance {

struct QuadraturePoint {
  Barycentrics at;
  double weight;  ///< fraction of the simplex's volume: the weights of a rule sum to 1
};

inline constexpr int max_symmetric_degree = 8;

/// Returns the rule with the fewest points in the table that is exact for polynomials up to `degree` (0 to
/// max_symmetric_degree). A rule contains with each point all permutations of its barycentrics, with equal weights.
/// Weights are positive and points inside. Triangles: 1, 3, 6, 6, 7, 12, 15, 16 points for degrees 1 to 8; tetrahedra:
/// 1, 4, 8, 14, 14, 24, 35, 46.
const std::vector<QuadraturePoint>& symmetric_quadrature(int dim, int degree);

/// Computes a rule, also for segments (dim 1), that is exact up to any degree, with positive weights and points inside.
/// It has (degree / 2 + 1)^dim points, which depend on the order of the corners: conical products of Gauss-Jacobi
/// points [Str71]. Each call computes the rule anew.
std::vector<QuadraturePoint> conical_quadrature(int dim, int degree);

}  // namespace clearance
