// Curving of generated meshes (generators.h): elements that were raised to an order above 1 are moved onto the exact
// shape.
#pragma once

#include "clearance/geometry/mesh.h"

namespace clearance {

// Nodes on the round surface move onto it along its normal. Inside, other nodes follow by polynomials that act only on
// elements with a node on the surface. The k-th derivatives of an element's map are then of the order of the k-th power
// of its size, as interpolation of full order requires [Len86]. All elements have one order; with order 1 nothing
// changes. Meshes may have been refined, which leaves new vertices on the straight faces. Vertices that are on the
// surface up to rounding stay as they are. Lengths are in metres.

/// Curves a mesh of make_sphere.
void curve_sphere(Mesh& mesh, double radius);

/// Curves a mesh of make_cylinder. The caps stay plane, and their rims become circles.
void curve_cylinder(Mesh& mesh, double radius, double height);

/// Curves a mesh of make_torus. Inner nodes are also rotated around the axis, because a torus of few pieces may be far
/// from round. `cells_around` is the value passed to make_torus.
void curve_torus(Mesh& mesh, double ring_radius, double tube_radius, int cells_around);

/// Curves a mesh of make_disk.
void curve_disk(Mesh& mesh, double radius);

}  // namespace clearance
