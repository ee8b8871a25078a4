// Contact formulations whose energy is weight * e * b(d^2): a radial law of the distance of the closest features, with
// the mollifier e of nearly parallel edges [Fer23, eq. 2.24]. Derivatives in closed form: contact_frame.h.
#pragma once

#include "clearance/contact/contact_model.h"

namespace clearance {

/// Derivatives of a contact by the vertices of its features, dim numbers each, weight included.
template <int dim>
struct ContactDerivatives {
  Vec<4 * dim> gradient;
  Mat<4 * dim> hessian;
};

template <int dim>
class RadialContactModel : public ContactModel<dim> {
 public:
  /// `model` outlives the object.
  explicit RadialContactModel(const Model& model) : model_(model) {}

  double energy(const ContactSet& set, std::size_t k, const VecX& x) const override {
    return energy_of(set.contacts[k], x);
  }
  void compute_gradient(const ContactSet& set, std::size_t k, const VecX& x, std::span<double> gradient) const override;
  void compute_derivatives(const ContactSet& set, std::size_t k, const VecX& x, HessianKind kind,
                           std::span<double> gradient, RankOneSum<dim>& hessian) const override;
  double normal_force(const Contact& contact, const ContactGap<dim>& gap,
                      const ContactPositions<dim>& positions) const override;

  bool compute_force_gradient(const ContactSet& set, std::size_t k, const VecX& x,
                              std::span<double> gradient) const override;
  bool has_radial_force() const override { return true; }

  /// Returns the energy at the distance that the contact was built with.
  double energy_of(const Contact& contact, const VecX& x) const;
  Vec<4 * dim> gradient_of(const Contact& contact, const VecX& x) const;
  /// Returns the gradient and appends the Hessian to the empty `sum`: the exact one, or a positive semi-definite one
  /// that is nowhere smaller and hardly larger than need be.
  Vec<4 * dim> derivatives_of(const Contact& contact, const VecX& x, HessianKind kind, RankOneSum<dim>& sum) const;
  /// Computes the exact Hessian by the product and chain rules.
  ContactDerivatives<dim> exact_derivatives_of(const Contact& contact, const VecX& x) const;

 protected:
  const Model& model() const { return model_; }
  /// Returns b of a squared distance [m^2], and its derivatives.
  virtual BarrierValue law(const Contact& contact, double distance_sq) const = 0;
  virtual double law_value(const Contact& contact, double distance_sq) const { return law(contact, distance_sq).value; }
  /// Adds the part of the Hessian that is not along the normal: along the tangents, and along directions in which the
  /// gap turns freely. `b` is the law at the distance of `frame`.
  static void add_turning_terms(const Contact& contact, const ContactFrame<dim>& frame, const BarrierValue& b,
                                HessianKind kind, RankOneSum<dim>& sum);

 private:
  const Model& model_;
};

extern template class RadialContactModel<2>;
extern template class RadialContactModel<3>;

}  // namespace clearance
