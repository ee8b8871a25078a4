// The surface and the bodies of a scene at rest, as contact formulations see them.
#pragma once

#include "clearance/contact/surface_at_rest.h"
#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/build/scene_surface.h"
#include "clearance/simulation/build/unknowns.h"

namespace clearance {

/// Describes the surface for `make_contact_at_rest`. `model` has all but what contact knows at rest; of `surface`, the
/// topology and the map may have moved there. The arguments must outlive the result.
SurfaceAtRest surface_at_rest(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                              const SceneSurface& surface, const Model& model, const BarrierOptions& barrier);

/// Logs which modulus each body has, and why. Logs nothing if barriers have no modulus.
void log_contact_moduli(const SceneDesc& desc, const SceneModel& scene);

}  // namespace clearance
