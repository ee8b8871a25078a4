// Converts from the unit and the axes of a mesh file to those of scenes: metres, y up.
#pragma once

#include "clearance/geometry/mesh.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Returns the length of one unit [m].
double metres_of(LengthUnit unit);

/// Converts a mesh to metres with y up: x y z of a file with z up become x z -y.
void convert_to_metres(LengthUnit unit, UpAxis up, Mesh& mesh);

}  // namespace clearance
