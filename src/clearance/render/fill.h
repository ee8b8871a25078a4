// The inside of closed outlines, for pictures of the plane.
#pragma once

#include <vector>

#include "clearance/render/draw.h"

namespace clearance::render {

/// An edge of an outline, with what its ends look like.
struct OutlineEdge {
  std::array<Eigen::Vector3f, 2> ends;
  std::array<Color, 2> colors;
};

/// Triangles without normals for the points that a ray out of them crosses `outline` an odd number of times: holes are
/// left open. Colours run along the edges. Edges that close nothing are not for this.
void add_inside(const std::vector<OutlineEdge>& outline, DrawTriangles& triangles);

}  // namespace clearance::render
