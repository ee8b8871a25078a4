// Reasons why a surface encloses no solid.
#pragma once

#include <string>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// Pairs of edges and triangles (2D: of edges) that meet although they share no vertex, and triangles folded onto a
/// neighbour. Exact.
struct SelfIntersections {
  int count = 0;
  Vec<3> place = Vec<3>::Zero();  ///< [m] position of the first
};
SelfIntersections find_self_intersections(const Mesh& surface);

/// True if the corners of a triangle lie on one line. Exact.
bool has_no_area(const Vertices& vertices, const std::array<int, 3>& triangle);

/// Describes all defects that keep triangles from being the closed surface of a solid: `12 open edges, the first at (0,
/// 0, 1); ...`. Returns an empty text if there are none.
std::string describe_surface_defects(const Mesh& surface);
/// Describes the defects of outlines that are formed by the edges of a mesh in the plane z = 0.
std::string describe_outline_defects(const Mesh& outline);

}  // namespace clearance
