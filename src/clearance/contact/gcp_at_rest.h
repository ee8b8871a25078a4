// Geometric contact potentials with what they know of a surface at rest: areas and moduli, where the material is, and
// what is near at rest already.
#pragma once

#include "clearance/base/contact_options.h"
#include "clearance/contact/areas_at_rest.h"

namespace clearance {

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
  /// Per triangle (2D: edge): 1 if its normal points out of a solid, -1 if it points into it, 0 if there is no solid.
  /// The normal of an edge (a, b) is b - a turned to the right.
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

/// Computes what gcp needs.
GcpRest find_gcp_rest(const SurfaceAtRest& rest, const GcpOptions& options);

class GcpAtRest final : public ContactAtRest {
 public:
  GcpAtRest(int dim, const GcpOptions& options, GcpRest rest)
      : dim_(dim), options_(options), rest_(std::make_shared<const GcpRest>(std::move(rest))) {}

  const GcpRest& rest() const { return *rest_; }

  std::unique_ptr<const ContactModel<2>> make_in_plane(const Model& model,
                                                       const BarrierOptions& barrier) const override;
  std::unique_ptr<const ContactModel<3>> make_in_space(const Model& model,
                                                       const BarrierOptions& barrier) const override;
  std::shared_ptr<const ContactAtRest> restricted_to(const ContactPart& part) const override;
  std::span<const double> moduli() const override { return rest_->areas.modulus; }
  RestGap rest_gap() const override { return rest_->gap; }

 private:
  int dim_;
  GcpOptions options_;
  std::shared_ptr<const GcpRest> rest_;
};

}  // namespace clearance
