// The affine and rigid bodies of a scene, and the stiff parts of its deformable bodies.
#pragma once

#include <vector>

#include "clearance/base/result.h"
#include "clearance/simulation/build/stiff_unit.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Finds all units, body by body; their blocks are not set. Appends to `issues` why a body has no mass, or why a part
/// has no element.
std::vector<StiffUnit> find_stiff_units(const SceneDesc& scene, const std::vector<BodyInstance>& bodies,
                                        Issues& issues);

/// Returns for each element of the mesh of a deformable body (tetrahedra; 2D: triangles) 1 if all its nodes are tied to
/// one unit.
std::vector<char> stiff_elements(const Mesh& mesh, const std::vector<StiffUnit>& units, int body);

}  // namespace clearance
