// How far elements can move before one loses too much of its volume. The volume of a simplex whose nodes move on
// straight lines is a polynomial of degree dim in the step fraction.
#pragma once

#include "clearance/bodies/fem/element_set.h"
#include "clearance/model/potential.h"

namespace clearance {

/// Fraction of its volume at the start of a step that every element keeps on the whole way ([Fer23, app. A.4]: c =
/// 0.8).
inline constexpr double kept_volume_fraction = 0.2;

/// Largest alpha in [0, 1] with c[0] + c[1] a + c[2] a^2 + c[3] a^3 > 0 for all a in [0, alpha], to a relative accuracy
/// of 1e-3 and never too large: intervals are accepted only when their Bernstein coefficients are positive. 0 if c[0]
/// <= 0 or a coefficient is not finite.
double find_positive_prefix(const std::array<double, 4>& c);

/// The step limit of Potential::max_feasible_step for the elements of a set: kept_volume_fraction holds on the whole
/// way, no two nodes of an element move by more than 16 times its size relative to each other (beyond, rounding would
/// spoil the polynomial), and the end x + alpha dx is feasible by exact arithmetic. `x_trial` is a buffer.
template <int dim>
StepLimit bound_step(const ElementSet<dim>& elements, const VecX& x, const VecX& dx, VecX& x_trial);

/// First element (by mesh index) whose exact volume at x is not positive; -1 if there is none.
template <int dim>
int find_inverted_element(const ElementSet<dim>& elements, const VecX& x);

}  // namespace clearance
