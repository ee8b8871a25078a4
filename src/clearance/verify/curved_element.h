// Test for `clearance verify`: is a curved (Lagrange) element inverted anywhere? It uses nothing of the solver's check
// (geometry/curved_volume.h); the two share the numbers of the nodes (geometry/lagrange.h) alone.
//
// The volume function det dx/dxi of an element of order p is a polynomial of degree D = dim (p - 1). Its values on a
// lattice determine it; from them, by Newton's forward differences, come its Bernstein coefficients. On a part of the
// simplex where all of them are positive, so is the polynomial; at a corner of a part the coefficient is its value.
// Parts where neither decides are halved. Doubles with a bound of all rounding come first, GMP integers where they do
// not decide.
#pragma once

#include <span>

namespace clearance::verify {

/// True only if det dx/dxi > 0 everywhere on the closed element; exact for the numbers given. `x`: nodes as in
/// geometry/lagrange.h, `dim` (2 or 3) numbers each; their count tells the order, 1 to 4. False if the determinant is
/// not positive somewhere, if its smallest value is too close to 0 to be told from it with parts of 2^-30 of the
/// element's size or within the number of parts allowed, if a number is not finite, or if no order has so many nodes.
bool is_valid_everywhere(int dim, std::span<const double> x);

}  // namespace clearance::verify
