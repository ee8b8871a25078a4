// Functions shared by the builders of contact sets: stencils of closest features, and sums of equal stencils.
#pragma once

#include "clearance/contact/contact_set.h"

namespace clearance {

/// The stencil of a pair with these vertices becomes that of the contact. Equal stencils have equal vertices: points of
/// a pair and ends of an edge ascend.
void set_stencil(const ClosestStencil& stencil, const std::array<int, 4>& vertices, double distance_sq,
                 Contact& contact);

/// The closed formula of a pair's closest features: what its distance by type gives, with fewer branches.
double stencil_distance_sq(const ClosestStencil& stencil, const std::array<Vec<3>, 4>& x);

std::array<Vec<3>, 4> stencil_positions(const VecX& x, const std::array<int, 4>& vertices);

/// [m] Activation distance of formulations with one for all features of two bodies, each given by one of its vertices.
double dhat_between(const Model& model, const BarrierOptions& options, int a, int b);

/// Equal stencils become one with the sum of their weights [Fer23, app. A.7.1]; sorted by `precedes`.
void merge_duplicates(std::vector<Contact>& contacts, int num_vertices);

}  // namespace clearance
