// Where a body's energy is: by what edges are ranked and culled [Fer23, sec. 6.3.7].
#pragma once

#include "clearance/remesh/boundary_contacts.h"

namespace clearance {

/// Of the elements of a body at x1.
template <int dim>
double elastic_energy(const AdaptingBody<dim>& body, int cell);  // [J]

/// [J/m^3] (2D: [J/m^2]) Elastic energy of all elements at an edge, over their volume at rest.
template <int dim>
double elastic_energy_of_edge(const AdaptingBody<dim>& body, int a, int b);

/// The mean of its facets; 0 inside.
template <int dim>
double contact_energy_of_edge(const AdaptingBody<dim>& body, const ContactEnergies& energies, int a, int b);

/// Edges are worth splitting from here on, and worth collapsing up to here.
struct Culling {
  double split = 0.0, collapse = 0.0;
};
/// `energies` of all edges, in any order: the smaller of a quantile and 95 % of the range, the larger of a quantile and
/// the same part of the range.
Culling cull(std::vector<double> energies, double split_quantile, double collapse_quantile);

}  // namespace clearance
