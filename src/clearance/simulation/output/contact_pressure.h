// The pressure of contacts, computed from their forces on the vertices of a surface.
//
// A force at a node is the integral of the pressure times the shape function of the node. Under a uniform pressure, a
// quadratic triangle has no force at its corners and a third of the total at each node between them, and a quartic
// triangle has negative forces at some nodes. A force divided by an area therefore says nothing about a single node. In
// addition, the barriers decide how the pieces of a boundary share the load of their elements.
//
// The pressure is sum p_a B_a, with the Bernstein polynomials B_a of the displacements' order on the faces and
// p_a = sum_s B_a(s) f_s / integral of B_a over the faces [Der85]. A uniform pressure is then exact at every point, the
// integral over the surface is the force, and no value is negative. On linear faces p_a is the force on a vertex
// divided by a third of the area of the faces around it.
#pragma once

#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// Returns the pressure [Pa] per vertex of frames at the unknowns x, from the normal forces on the surface's
/// vertices [N], flat.
///
/// At a sharp edge, only the faces that look along the force bear it: the edge of a block on a floor belongs to the
/// sides of the block, too, and these have no pressure. Isolated points and wires have no area and a pressure of zero.
std::vector<double> contact_pressures(const SceneModel& scene, const VecX& x, const VecX& forces);

}  // namespace clearance
