// Which nodes and faces of a body a motion or a load means.
#pragma once

#include <vector>

#include "clearance/simulation/body_instance.h"

namespace clearance {

/// Nodes inside the region, ascending, as indices into the mesh of the body.
std::vector<int> select_nodes(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                              int dim);

/// Per vertex of the mesh: its part of the area [m^2] at rest (2D: length [m]) of the boundary faces that have all
/// their vertices in the region. Every face gives equal parts to its corners.
std::vector<double> share_face_areas(const BodyInstance& body, const TransformDesc& transform, const RegionDesc& region,
                                     int dim);

}  // namespace clearance
