// Check that the sizes of a generated shape are possible.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Appends every problem of the generator at `place`, for a body of the given kind.
void check_generator(const SceneDesc& scene, const GeneratorDesc& generator, BodyKind kind, const std::string& place,
                     Issues& issues);

}  // namespace clearance
