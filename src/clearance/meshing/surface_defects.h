// Why a surface encloses no solid.
#pragma once

#include <string>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// Pairs of edges and triangles (2D: of edges) that meet although they share no vertex, and triangles folded onto a
/// neighbour. Exact.
struct SelfIntersections {
  int count = 0;
  Vec<3> place = Vec<3>::Zero();  ///< [m] of the first
};
SelfIntersections find_self_intersections(const Mesh& surface);

/// Are its corners on one line? Exact.
bool has_no_area(const Vertices& vertices, const std::array<int, 3>& triangle);

/// All that keeps triangles from being the closed surface of a solid: `12 open edges, the first at (0, 0, 1); ...`.
/// Empty: it is one.
std::string describe_surface_defects(const Mesh& surface);
/// The same of the edges of a mesh in the plane z = 0 as outlines.
std::string describe_outline_defects(const Mesh& outline);

}  // namespace clearance
