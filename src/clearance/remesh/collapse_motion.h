// A collapse on the boundary as a motion: the vertex that goes away moves to the one that stays.
#pragma once

#include "clearance/remesh/local_problem.h"

namespace clearance {

/// True if nothing meets on the way, at x1 and at x0, by CCD of the old surface. A test of the new surface alone would
/// let it jump over points and edges.
///
/// Facets with both vertices shrink within themselves. Of those with `removed` alone, their edges and the vertex
/// itself, all pairs are tested but those with `kept`, which they come to share it with: how these end is for the exact
/// test of the new surface.
template <int dim>
bool is_way_free(const LocalProblem<dim>& before, const LocalSetting<dim>& setting, int removed, int kept);

}  // namespace clearance
