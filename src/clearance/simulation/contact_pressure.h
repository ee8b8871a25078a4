// The pressure of contacts, from their forces on the vertices of a surface.
//
// A force at a node is the integral of the pressure times the shape function of the node: of an even pressure a
// quadratic triangle gives nothing to its corners, a third to the nodes between them, and a quartic one pulls at some.
// Forces over areas say nothing about single nodes, and how the pieces of a boundary share what their elements bear is
// left to the barriers. The pressure is sum p_a B_a with the Bernstein polynomials B_a of the displacements' order on
// the faces, and p_a = sum_s B_a(s) f_s / integral of B_a over the faces [Der85]: an even pressure is exact at every
// point, the integral over the surface is the force, and nothing is negative. On linear faces p_a is the force on a
// vertex over a third of the faces around it.
#pragma once

#include "clearance/simulation/scene_model.h"

namespace clearance {

/// [Pa] Per vertex of frame_mesh, from the normal forces on the surface's vertices [N], flat. At the unknowns x.
///
/// Of the faces around a sharp edge those bear that look along the force: the edge of a block on a floor belongs to its
/// sides, too, and these have no pressure. Lone points and wires have no area, and a pressure of zero.
std::vector<double> contact_pressures(const SceneModel& scene, const VecX& x, const VecX& forces);

}  // namespace clearance
