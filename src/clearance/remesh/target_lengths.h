// Target lengths of edges, from the fields that vary along them: the criterion `size`.
#pragma once

#include "clearance/remesh/edge_energies.h"

namespace clearance {

/// Returns the target length [m] of each edge, at rest. Green's strain may change along the edge by
/// RemeshOptions::size_strain, given the steepest change between an element at the edge and a neighbour across a face.
/// An edge with facets in contact may have at most size_contact activation distances. The length is infinity where
/// strain does not vary and nothing is in contact.
template <int dim>
std::vector<double> target_lengths(const AdaptingBody<dim>& body, const std::vector<std::array<int, 2>>& edges,
                                   const ContactEnergies& contacts, double dhat);

/// Edges longer than `long_share` of their target are split, those shorter than `short_share` of it are collapsed.
inline constexpr double long_share = 4.0 / 3.0, short_share = 4.0 / 5.0;

}  // namespace clearance
