// A contact formulation as the solver sees it: which features of the surfaces repel each other, over which vertices and
// how strongly. Friction, continuous collision detection and the guarantee do not depend on it.
//
// A contact is a pair of closest features, at most four vertices: from these follow its gap, its normal and what rubs.
// Its energy may depend on neighbours of these as well (ContactSet), and has a weight of any sign, since some
// formulations subtract what they count twice.
#pragma once

#include <optional>
#include <span>

#include "clearance/contact/contact_frame.h"
#include "clearance/contact/rank_one_sum.h"
#include "clearance/model/hessian_kind.h"

namespace clearance {

/// Constant; its functions may be called from several threads.
template <int dim>
class ContactModel {
 public:
  virtual ~ContactModel() = default;

  /// [m] Pairs that are farther apart than this never are contacts.
  virtual double activation_distance() const = 0;
  /// Finds all pairs that may be contacts anywhere on the path from x_t0 to x_t1, and all that may meet there, whatever
  /// they repel each other with: continuous collision detection tests no others. See BroadPhase::find_candidates.
  virtual Candidates find_candidates(BroadPhase& broad_phase, const VecX& x_t0, const VecX& x_t1,
                                     const std::vector<double>& deviation = {}) const = 0;
  /// Returns the contacts at the surface positions x (flat). `candidates` holds every pair that may be one.
  virtual ContactSet build(const VecX& x, const Candidates& candidates) const = 0;
  /// Returns the contact of the closest features of a pair where its vertices are at `x`, however far apart they are;
  /// nothing if the formulation cannot tell.
  virtual std::optional<Contact> contact_of(const PrimitivePair& /*pair*/, const ContactPositions<dim>& /*x*/) const {
    return std::nullopt;
  }
  /// True if energies are in joules, by a stiffness of every contact; else they are to be multiplied by the barrier
  /// stiffness kappa of [Fer23, app. A.6].
  virtual bool has_stiffness() const = 0;

  // The next three functions evaluate contact k of a set, weight included, at the positions `x` that the set was built
  // at. The energy may also be evaluated at other positions where the distance of the contact is known and below the
  // activation distance. Derivatives have dim numbers per place of the stencil.
  virtual double energy(const ContactSet& set, std::size_t k, const VecX& x) const = 0;
  virtual void compute_gradient(const ContactSet& set, std::size_t k, const VecX& x,
                                std::span<double> gradient) const = 0;
  /// Also computes the Hessian, as terms of `hessian`, which must be empty.
  virtual void compute_derivatives(const ContactSet& set, std::size_t k, const VecX& x, HessianKind kind,
                                   std::span<double> gradient, RankOneSum<dim>& hessian) const = 0;
  /// Returns the magnitude of the force along the normal of a contact, at any positions. Friction is proportional to
  /// it.
  virtual double normal_force(const Contact& contact, const ContactGap<dim>& gap,
                              const ContactPositions<dim>& positions) const = 0;
  /// Computes the derivatives of the normal force of contact k of a set, weight included, by the places of its stencil,
  /// at the positions `x` that the set was built at. False, with nothing computed, if the formulation does not tell.
  virtual bool compute_force_gradient(const ContactSet& /*set*/, std::size_t /*k*/, const VecX& /*x*/,
                                      std::span<double> /*gradient*/) const {
    return false;
  }
  /// True if HessianKind::exact means the Hessian itself, of every contact.
  virtual bool has_exact_hessian() const { return false; }
  /// True if the normal force depends on the contact and the distance in `gap` alone, except for mollified contacts.
  virtual bool has_radial_force() const { return false; }
};

}  // namespace clearance
