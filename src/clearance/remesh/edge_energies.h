// The distribution of a body's energy over its edges, which ranks and culls them [Fer23, sec. 6.3.7].
#pragma once

#include "clearance/remesh/boundary_contacts.h"

namespace clearance {

/// Returns the elastic energy [J] of a cell at x1.
template <int dim>
double elastic_energy(const AdaptingBody<dim>& body, int cell);

/// Returns the elastic energy [J/m^3] (2D: [J/m^2]) of all elements at an edge over their volume at rest.
template <int dim>
double elastic_energy_of_edge(const AdaptingBody<dim>& body, int a, int b);

/// Returns the mean contact energy [J] of the facets at an edge; 0 for an inner edge.
template <int dim>
double contact_energy_of_edge(const AdaptingBody<dim>& body, const ContactEnergies& energies, int a, int b);

/// Thresholds on the energy of edges: splits are worthwhile above `split`, collapses up to `collapse`.
struct Culling {
  double split = 0.0, collapse = 0.0;
};
/// Computes the thresholds from the energies of all edges, in any order. `split` is the smaller of the split quantile
/// and of the lowest energy plus 95 % of the range. `collapse` is the larger of the collapse quantile and of the lowest
/// energy plus the fraction `collapse_quantile` of the range.
Culling cull(std::vector<double> energies, double split_quantile, double collapse_quantile);

}  // namespace clearance
