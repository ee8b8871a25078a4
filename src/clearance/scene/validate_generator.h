// Do the sizes of a generated shape make one?
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Every problem of the generator at `place`, for a body of the given kind.
void check_generator(const SceneDesc& scene, const GeneratorDesc& generator, BodyKind kind, const std::string& place,
                     Issues& issues);

}  // namespace clearance
