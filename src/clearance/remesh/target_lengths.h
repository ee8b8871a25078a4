// How long edges should be, by what varies along them: the criterion `size`.
#pragma once

#include "clearance/remesh/edge_energies.h"

namespace clearance {

/// [m] Per edge, at rest: along it Green's strain may change by RemeshOptions::size_strain, by the steepest change
/// between an element at it and one beyond a face; and an edge whose facets are in contact may have size_contact
/// activation distances. Infinity where nothing is strained nor near.
template <int dim>
std::vector<double> target_lengths(const AdaptingBody<dim>& body, const std::vector<std::array<int, 2>>& edges,
                                   const ContactEnergies& contacts, double dhat);

/// Edges that are longer, shorter than these parts of their target are split, collapsed.
inline constexpr double long_share = 4.0 / 3.0, short_share = 4.0 / 5.0;

}  // namespace clearance
