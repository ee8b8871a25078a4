// The convergent formulation, and any of its parts, with areas and moduli at rest.
#pragma once

#include "clearance/base/contact_options.h"
#include "clearance/contact/areas_at_rest.h"

namespace clearance {

class ConvergentAtRest final : public ContactAtRest {
 public:
  ConvergentAtRest(const ConvergentOptions& options, AreasAtRest areas)
      : options_(options), areas_(std::make_shared<const AreasAtRest>(std::move(areas))) {}
  /// Computes what the parts need.
  ConvergentAtRest(const ConvergentOptions& options, const SurfaceAtRest& rest);

  const AreasAtRest& areas() const { return *areas_; }

  std::unique_ptr<const ContactModel<2>> make_in_plane(const Model& model,
                                                       const BarrierOptions& barrier) const override;
  std::unique_ptr<const ContactModel<3>> make_in_space(const Model& model,
                                                       const BarrierOptions& barrier) const override;
  std::shared_ptr<const ContactAtRest> restricted_to(const ContactPart& part) const override;
  std::span<const double> moduli() const override { return areas_->modulus; }

 private:
  ConvergentOptions options_;
  std::shared_ptr<const AreasAtRest> areas_;
};

}  // namespace clearance
