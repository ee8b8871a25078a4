// Remeshing of bodies within a time step: edges are split where that lowers the incremental potential, and collapsed
// where that hardly raises it [Fer23, alg. 6.1, 6.2].
#pragma once

#include "clearance/remesh/adapting_body.h"

namespace clearance {

/// Remeshes the bodies one after the other. Meanwhile all other bodies stay where they are and act as obstacles. Ends
/// early if StepHooks::is_stop_wanted says so. x1 and x0 of all vertices stay free of intersections and inversions,
/// by exact arithmetic. The result is the same for any number of threads.
template <int dim>
RemeshReport remesh(const RemeshInputs<dim>& in, std::vector<AdaptingBody<dim>>& bodies);

}  // namespace clearance
