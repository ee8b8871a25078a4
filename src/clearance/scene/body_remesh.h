// How the elements of one body adapt: as the body says, or as the scene does.
#pragma once

#include "clearance/scene/scene.h"

namespace clearance {

/// What the elements of the body adapt by; null if they stay as they are. What a body has replaces all of the scene's.
inline const RemeshDesc* find_remesh(const SceneDesc& scene, const BodyDesc& body) {
  if (body.kind != BodyKind::deformable) return nullptr;
  const std::optional<RemeshDesc>& remesh = body.remesh ? body.remesh : scene.remesh;
  return remesh && remesh->enabled ? &*remesh : nullptr;
}

}  // namespace clearance
