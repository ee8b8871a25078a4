// Rates of stiff bodies that are those of a rigid motion (for implicit Newmark).
#pragma once

#include "clearance/model/model.h"

namespace clearance {

/// Gives the columns of every stiff body the nearest velocities of a rotation, of the same angular momentum, and
/// accelerations that keep their moment but point to the centre as such a rotation asks: omega x (omega x b). Newmark's
/// formulas take both from differences of positions, where what is missing across the allowed motion comes back with
/// the other sign in the next step, for ever: a spinning body would gain energy without bound.
template <int dim>
void make_rates_rigid(const Model& model, const VecX& x, VecX& v, VecX& a);

extern template void make_rates_rigid<2>(const Model&, const VecX&, VecX&, VecX&);
extern template void make_rates_rigid<3>(const Model&, const VecX&, VecX&, VecX&);

}  // namespace clearance
