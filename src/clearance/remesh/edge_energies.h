// Which edges of a body have the energy: what is worth trying [Fer23, sec. 6.3.7].
#pragma once

#include <vector>

#include "clearance/remesh/remesher.h"

namespace clearance {

/// [J] Elastic energy of a cell at the solution.
template <int dim>
double cell_energy(const AdaptingBody<dim>& body, int cell);

/// [J] Mean over the cells at an edge.
template <int dim>
double edge_energy(const AdaptingBody<dim>& body, int a, int b);

/// [J] Contact energy per surface vertex of the model at the solution: contacts give equal parts to their vertices.
template <int dim>
std::vector<double> contact_energies(const RemeshInputs<dim>& in);

}  // namespace clearance
