// Rates of stiff bodies that are those of a rigid motion (for implicit Newmark).
#pragma once

#include "clearance/model/model.h"

namespace clearance {

/// Replaces the rates of the columns of every stiff body by those of a rotation. The velocities have the same angular
/// momentum; the accelerations keep their moment and have the centripetal part omega x (omega x b). Newmark's formulas
/// take both rates from differences of positions, where an error across the allowed motion comes back with the other
/// sign in the next step without end: a spinning body would gain energy without bound.
template <int dim>
void make_rates_rigid(const Model& model, const VecX& x, VecX& v, VecX& a);

extern template void make_rates_rigid<2>(const Model&, const VecX&, VecX&, VecX&);
extern template void make_rates_rigid<3>(const Model&, const VecX&, VecX&, VecX&);

}  // namespace clearance
