// Geometric contact potentials, the orientation-aware formulation [Hua24]: only pairs repel each other that are local
// minima of the distance on both sides and face each other from outside (DirectionFactor). Nothing repels at rest,
// however near it is.
//
// The energy of a pair is kappa * area * b(d) with b(d) = eps B(2 d / eps) (eps / d)^(dim - 1) [Hua24, sec. 4.1], B the
// cubic spline with B(0) = 1. Beyond the paper: areas are those at rest, so that contacts do not shrink elements; those
// of one owner, as in [Li23], and not products, whose sum depends on the mesh; features share what faces them.
#pragma once

#include "clearance/contact/barrier.h"
#include "clearance/contact/direction_factor.h"
#include "clearance/contact/gcp_rest.h"
#include "clearance/contact/radial_contact_model.h"
#include "clearance/contact/surface_star.h"

namespace clearance {

template <int dim>
class GcpContactModel final : public RadialContactModel<dim> {
 public:
  /// `model` outlives the object.
  GcpContactModel(const Model& model, const BarrierOptions& barrier, const GcpOptions& options,
                  std::shared_ptr<const GcpRest> rest);

  double activation_distance() const override { return barrier_.dhat + barrier_.min_separation; }
  Candidates find_candidates(BroadPhase& broad_phase, const VecX& x_t0, const VecX& x_t1,
                             const std::vector<double>& deviation = {}) const override {
    return find_contact_candidates(broad_phase, this->model(), barrier_, x_t0, x_t1, deviation);
  }
  ContactSet build(const VecX& x, const Candidates& candidates) const override;
  std::optional<Contact> contact_of(const PrimitivePair& pair, const ContactPositions<dim>& x) const override;
  bool has_stiffness() const override { return true; }
  bool has_exact_hessian() const override { return true; }

  void compute_gradient(const ContactSet& set, std::size_t k, const VecX& x, std::span<double> gradient) const override;
  bool compute_force_gradient(const ContactSet& set, std::size_t k, const VecX& x,
                              std::span<double> gradient) const override;
  void compute_derivatives(const ContactSet& set, std::size_t k, const VecX& x, HessianKind kind,
                           std::span<double> gradient, RankOneSum<dim>& hessian) const override;

  /// Sets the activation distances of features in `rest`, which is complete but for these, so that no pair repels at
  /// the surface positions `x_rest`: half of their distances [Hua24, sec. 4.1, 4.4], but no less than a hundredth of
  /// the bodies'. Sets the gap of the closest pair that this leaves repelling at rest.
  static void set_rest_distances(const Model& model, const BarrierOptions& barrier, const GcpOptions& options,
                                 const VecX& x_rest, GcpRest& rest);

 protected:
  BarrierValue law(const Contact& contact, double distance_sq) const override;

 private:
  class Builder;
  /// Share of the area of a pair in one energy. Each of two surfaces owns half of the area; in space, vertices and
  /// edges own half of that each.
  double share() const { return options_.published ? 1.0 : dim == 2 ? 0.5 : 0.25; }
  using LogTerm = typename DirectionFactor<dim>::LogTerm;
  std::vector<LogTerm> log_terms(const ContactSet& set, std::size_t k, const ContactFrame<dim>& frame, const VecX& x,
                                 DirectionCurvature<dim>* curvature = nullptr) const;

  BarrierOptions barrier_;
  GcpOptions options_;
  std::shared_ptr<const GcpRest> rest_;
  SurfaceStar star_;
};

extern template class GcpContactModel<2>;
extern template class GcpContactModel<3>;

}  // namespace clearance
