// Vertices that no element of a body uses, and bodies of nothing but points: as from a file that was cut off.
#pragma once

#include "clearance/geometry/mesh.h"
#include "clearance/simulation/hint.h"

namespace clearance {

/// Points beside triangles or tetrahedra are those that these were constructed from: no part of the body. Bodies of
/// edges and points are made of both.
bool has_points_left_out(const Mesh& source);

/// `source`: the mesh of bodies[desc] as its file or the scene has it. Told are vertices of no element, which count in
/// nothing, lone points that others collide with, and bodies of points alone, unless the file is one of points (.pt,
/// .node) or the body has a `thickness`.
void warn_of_lone_points(const SceneDesc& scene, int desc, const Mesh& source, Issues& hints);

}  // namespace clearance
