// A collapse on the boundary, seen as a motion: the removed vertex moves to the one that stays.
#pragma once

#include "clearance/remesh/local_problem.h"

namespace clearance {

/// True if the motion meets nothing, at x1 and at x0, by CCD on the old surface. A test of the new surface alone would
/// let the vertex jump over points and edges.
///
/// Facets with both vertices shrink within themselves. CCD tests all pairs with `removed`, facets of `removed` alone or
/// their edges, except those with `kept`: such pairs end up sharing `kept`, so the exact test of the new surface
/// decides about them.
template <int dim>
bool is_way_free(const LocalProblem<dim>& before, const LocalSetting<dim>& setting, int removed, int kept);

}  // namespace clearance
