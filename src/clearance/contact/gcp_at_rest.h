// Geometric contact potentials with what they know of a surface at rest: areas and moduli, where the material is, and
// what is near at rest already.
#pragma once

#include "clearance/base/contact_options.h"
#include "clearance/contact/gcp_rest.h"

namespace clearance {

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
  std::shared_ptr<const ContactAtRest> narrowed(double factor) const override;
  std::span<const double> moduli() const override { return rest_->areas.modulus; }
  RestGap rest_gap() const override { return rest_->gap; }

 private:
  int dim_;
  GcpOptions options_;
  std::shared_ptr<const GcpRest> rest_;
};

}  // namespace clearance
