// The surface and the bodies of a scene at rest, as contact formulations see them.
#pragma once

#include "clearance/contact/surface_at_rest.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// Describes the surface for `make_contact_at_rest`. Positions at rest, masses and contact scales of the model must be
/// known. `desc` and `scene` must outlive the result.
SurfaceAtRest surface_at_rest(const SceneDesc& desc, const SceneModel& scene);

/// Logs which modulus each body has, and why. Logs nothing if barriers have no modulus.
void log_contact_moduli(const SceneDesc& desc, const SceneModel& scene);

}  // namespace clearance
