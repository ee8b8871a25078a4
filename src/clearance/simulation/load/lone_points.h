// Warnings about vertices that no element of a body uses, and about bodies that consist of points only, as from a file
// that was cut off.
#pragma once

#include "clearance/geometry/mesh.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

/// True if the points of a mesh are no part of the body. Points beside triangles or tetrahedra are the ones that these
/// were constructed from; a mesh of edges and points is made of both.
bool has_points_left_out(const Mesh& source);

/// Warns of vertices that belong to no element and are ignored, of isolated points that others collide with, and of
/// bodies that consist of points only, unless the file is one of points (.pt, .node) or the body has a `thickness`.
/// `source` is the mesh of bodies[desc] as its file or the scene has it.
void warn_of_lone_points(const SceneDesc& scene, int desc, const Mesh& source, Issues& hints);

}  // namespace clearance
