// Generated meshes (generators.h) whose elements were raised to an order above 1, brought onto the exact shape.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

// Nodes of the round surface go onto it, by its normal through their straight place. Inside, they follow by polynomials
// that keep to the elements with a node there, so that the k-th derivatives of an element's map are of the order of the
// k-th power of its size, as interpolation of full order asks for [Len86]. All elements are of one order; with
// order 1 nothing changes. Meshes may have been refined, which leaves new vertices on the straight faces. Vertices that
// are on the surface up to rounding stay as they are. Lengths in metres.

/// Of make_sphere.
void curve_sphere(Mesh& mesh, double radius);

/// Of make_cylinder: the caps stay plane, their rims become circles.
void curve_cylinder(Mesh& mesh, double radius, double height);

/// Of make_torus: nodes inside too are turned around the axis, as few pieces may be far from round. `cells_around` as
/// there.
void curve_torus(Mesh& mesh, double ring_radius, double tube_radius, int cells_around);

/// Of make_disk.
void curve_disk(Mesh& mesh, double radius);

}  // namespace clearance
