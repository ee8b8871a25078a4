// Checks of attachments that need no mesh.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

void check_attachments(const SceneDesc& scene, Issues& issues);

}  // namespace clearance
