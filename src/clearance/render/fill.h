// The inside of closed outlines, for pictures of the plane.
#pragma once

#include <array>
#include <vector>

#include "clearance/render/drawing.h"

namespace clearance::render {

/// An edge of an outline, with the colours of its ends.
struct OutlineEdge {
  std::array<Eigen::Vector3f, 2> ends;
  std::array<Color, 2> colors;
};

/// Adds triangles, without normals, over the points from which a ray crosses `outline` an odd number of times; holes
/// stay open. Colours vary along the edges. All edges must belong to closed loops.
void add_inside(const std::vector<OutlineEdge>& outline, DrawTriangles& triangles);

}  // namespace clearance::render
