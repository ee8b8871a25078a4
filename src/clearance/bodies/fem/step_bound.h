// Bounds on the motion of elements before one loses too much of its volume. The volume of a simplex whose nodes move on
// straight lines is a polynomial of degree dim in the step fraction.
#pragma once

#include "clearance/bodies/fem/element_set.h"
#include "clearance/geometry/volume_polynomial.h"
#include "clearance/model/potential.h"

namespace clearance {

/// Returns the step limit of Potential::max_feasible_step for the elements of a set. Within it kept_volume_fraction
/// holds on the whole way, no two nodes of an element move by more than 16 times its size relative to each other
/// (beyond, rounding would spoil the polynomial), and the end x + alpha dx is feasible by exact arithmetic. `x_trial`
/// is a buffer.
template <int dim>
StepLimit bound_step(const ElementSet<dim>& elements, const VecX& x, const VecX& dx, VecX& x_trial);

/// Returns the first element (by mesh index) whose exact volume at x is not positive, or -1.
template <int dim>
int find_inverted_element(const ElementSet<dim>& elements, const VecX& x);

}  // namespace clearance
