// Check of the requirements of elements that adapt: they must be linear, with a consistent mass and with contacts whose
// energy does not grow with each split.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Largest number of regions of one body that vertices can be marked with, for its motions, loads, parts and probes
/// together.
constexpr int most_regions_of_remesh = 64;

/// Appends all problems of `remesh`, of the scene and of its bodies.
void check_remesh(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
