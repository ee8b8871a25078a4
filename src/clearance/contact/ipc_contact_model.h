// The formulation of [Fer23, ch. 2]: the smoothly clamped barrier of [Fer23, eq. 2.6] over all pairs of primitives that
// are near.
#pragma once

#include "clearance/contact/barrier.h"
#include "clearance/contact/radial_contact_model.h"

namespace clearance {

template <int dim>
class IpcContactModel final : public RadialContactModel<dim> {
 public:
  IpcContactModel(const Model& model, const BarrierOptions& options)
      : RadialContactModel<dim>(model), options_(options) {}

  double activation_distance() const override { return options_.dhat + options_.min_separation; }
  Candidates find_candidates(BroadPhase& broad_phase, const VecX& x_t0, const VecX& x_t1,
                             const std::vector<double>& deviation = {}) const override {
    return find_contact_candidates(broad_phase, this->model(), options_, x_t0, x_t1, deviation);
  }
  ContactSet build(const VecX& x, const Candidates& candidates) const override {
    return build_contact_set<dim>(this->model(), x, candidates, options_);
  }
  std::optional<Contact> contact_of(const PrimitivePair& pair, const ContactPositions<dim>& x) const override {
    return contact_of_pair<dim>(this->model(), pair, x, options_);
  }
  bool has_exact_hessian() const override { return true; }
  bool has_stiffness() const override { return !this->model().contact_scales.compliance.empty(); }

 protected:
  BarrierValue law(const Contact& contact, double distance_sq) const override {
    return barrier_derivatives(distance_sq, options_.at(contact.thickness, contact.dhat));
  }
  double law_value(const Contact& contact, double distance_sq) const override {
    return barrier(distance_sq, options_.at(contact.thickness, contact.dhat));
  }

 private:
  BarrierOptions options_;
};

}  // namespace clearance
