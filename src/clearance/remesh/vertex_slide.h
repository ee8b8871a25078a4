// A collapse on the boundary as a motion: the vertex that goes slides to the one that is left, and nothing may be in
// its way. A test of the surface afterwards alone would let it jump over points and edges.
#pragma once

#include <vector>

#include "clearance/remesh/body_surface.h"

namespace clearance {

/// True if the surface around boundary vertex `removed` meets nothing on the way to `kept`, by continuous collision
/// detection: at the solution of the step and at its start. What contains `kept` shrinks onto edges that are there and
/// is left to a test of the surface afterwards.
template <int dim>
bool can_slide(const RemeshInputs<dim>& in, const AdaptingBody<dim>& body,
               const std::vector<BodySurface<dim>>& surfaces, int removed, int kept);

}  // namespace clearance
