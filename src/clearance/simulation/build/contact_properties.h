// Friction and restitution of the pairs of bodies of a scene.
#pragma once

#include <vector>

#include "clearance/model/model.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Makes the table of friction coefficients. A class of the table is an entry of the scene's bodies, with all its
/// copies.
FrictionTable friction_table(const SceneDesc& desc, const std::vector<BodyInstance>& bodies);

/// Makes the table of coefficients of restitution, with the classes of `friction`.
RestitutionTable restitution_table(const SceneDesc& desc, const FrictionTable& friction);

}  // namespace clearance
