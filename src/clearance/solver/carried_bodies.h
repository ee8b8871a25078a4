// Bodies that their prescribed motion carries along as a whole.
#pragma once

#include "clearance/math/types.h"
#include "clearance/model/model.h"
#include "clearance/solver/prescribed.h"

namespace clearance {

/// Returns the unknowns to which prescribed motions carry the bodies: where the targets of a body's nodes are their
/// places in `x_t0` moved by one rigid motion, that motion moves all of the body, and leaves slopes and angles as they
/// are. Other bodies stay, and so do stiff bodies, which their own coordinates move as a whole. Nodes on one line turn
/// it no more than they must.
template <int dim>
VecX carried_along(const Model& model, const PrescribedTargets& targets, const VecX& x_t0);

}  // namespace clearance
