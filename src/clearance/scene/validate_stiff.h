// Check that a body's source of geometry and the fields of stiff bodies fit the body's kind.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Appends every problem of written-out geometry, stiff parts, and the fields, motions and loads of stiff bodies.
void check_stiff_bodies(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
