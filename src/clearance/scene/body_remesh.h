// Adaptation settings of the elements of one body: those of the body, or of the scene.
#pragma once

#include "clearance/scene/scene.h"

namespace clearance {

/// Returns the settings by which the elements of the body adapt; null if they do not adapt. The settings of a body
/// replace all of the scene's.
inline const RemeshDesc* find_remesh(const SceneDesc& scene, const BodyDesc& body) {
  if (body.kind != BodyKind::deformable) return nullptr;
  const std::optional<RemeshDesc>& remesh = body.remesh ? body.remesh : scene.remesh;
  return remesh && remesh->enabled ? &*remesh : nullptr;
}

}  // namespace clearance
