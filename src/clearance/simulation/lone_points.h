// Vertices that no element uses, and lone points among triangles: as from a file that was cut off.
#pragma once

#include "clearance/geometry/mesh.h"
#include "clearance/simulation/hint.h"

namespace clearance {

/// `source`: the mesh of bodies[desc] as its file or the scene has it.
void warn_of_lone_points(const SceneDesc& scene, int desc, const Mesh& source, Issues& hints);

}  // namespace clearance
