// The shape of a shell at rest from a mesh of its own: the panels of a garment.
#pragma once

#include <memory>

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Reads the pattern of a shell, whose placed mesh is given; null if it has none or something is wrong. `where` names
/// the body.
std::shared_ptr<const Pattern> load_pattern(const SceneDesc& scene, const BodyDesc& body, Issue where,
                                            const Mesh& placed, Issues& issues, Issues& warnings);

}  // namespace clearance
