// A surface at rest as geometric contact potentials know it: areas and moduli, where the material is, and what is near
// at rest already.
#pragma once

#include <array>
#include <vector>

#include "clearance/contact/areas_at_rest.h"

namespace clearance {

/// Share of its area that a flat feature keeps where no facet faces the contact.
inline constexpr double least_sharpness = 0.1;

struct BodyPairDhat {
  std::array<int, 2> bodies;  ///< ascending
  double dhat;                ///< [m]
};

struct GcpRest {
  AreasAtRest areas;  ///< with what sharp features add
  // The share of each facet around a feature of a solid, and the rest that counts if none of these facets faces the
  // contact (sharp corners and edges). Empty: not used.
  std::vector<double> facet_share;                       ///< [m^2] (2D: [m]) per triangle (2D: edge)
  std::vector<double> vertex_sharpness, edge_sharpness;  ///< [m^2] (2D: [m])
  /// Each triangle (2D: edge) has 1 if its normal points out of a solid, -1 if it points into it, 0 if there is no
  /// solid. The normal of an edge (a, b) is b - a turned to the right.
  std::vector<signed char> outside;
  // [m] Activation distances of features that their own body faces at rest; a pair has the smaller one. Empty: there
  // are none.
  std::vector<double> vertex_dhat, edge_dhat, triangle_dhat;
  /// Activation distances of two bodies, or a body and -1 - half-space, that face each other at rest. All their
  /// features have the same distance, so that sliding bodies meet no step. Sorted.
  std::vector<BodyPairDhat> body_pair_dhat;
  RestGap gap;  ///< closest features that still repel each other

  /// Returns the activation distance that the rest positions leave two bodies; infinity if they do not limit it.
  double dhat_between(const std::array<int, 2>& bodies) const;
  /// Returns the part's share. A new edge or facet is flat, and has no solid at its side.
  GcpRest restricted_to(const ContactPart& part, int dim) const;
};

}  // namespace clearance
