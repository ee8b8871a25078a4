// What elements that adapt need: linear ones, a consistent mass, and contacts whose energy does not grow with each
// split.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Regions of one body that vertices can be marked as part of, of its motions, loads, parts and probes together.
constexpr int most_regions_of_remesh = 64;

/// Appends all problems of `remesh`, of the scene and of its bodies.
void check_remesh(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
