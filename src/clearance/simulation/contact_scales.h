// The scales of contact of every surface vertex: from the body it belongs to, what is close to it at the start, and
// what resists there (ContactScales).
#pragma once

#include "clearance/simulation/scene_model.h"

namespace clearance {

/// How much stiffer than the inertia of a step a contact of stiff bodies is. Measured on the wrecking ball: 1 leaves
/// gaps of a thousandth of dhat under a wall, 1e4 is a wall itself, which contacts meet one by one.
inline constexpr double inertial_reach = 100.0;

/// Sets the model's contact scales, and the largest activation distance in `options`. The
/// rest of the scene is complete.
///
/// dhat: the fraction of the scene of the body's diagonal; of solids at most a third of 2 V / A, the thickness of a
/// plate; of features of one deformable body that face each other at most a third of their distance; of bodies that
/// start closer, and of which none starts bent, their gap, so that no barrier pushes at the start. An absolute dhat is
/// kept as it is. Obstacles take
/// part in no limit.
///
/// Compliance: a force moves the vertex in a step by 1 / (100 m / h^2 + k), with m and k those of its blocks: a contact
/// is as stiff as its softer body, and a body without elasticity a hundred times as stiff as its inertia. The gap under
/// load is then a sensible part of dhat whatever the bodies are made of.
void set_contact_scales(const SceneDesc& desc, SceneModel& scene);

}  // namespace clearance
