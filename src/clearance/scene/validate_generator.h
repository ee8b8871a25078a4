// Check that the sizes of a generated shape are possible.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Appends every problem of the body's generator, which is at `place`. A shape that does not fit into the memory of
/// this machine is one.
void check_generator(const SceneDesc& scene, const BodyDesc& body, const std::string& place, Issues& issues);

}  // namespace clearance
