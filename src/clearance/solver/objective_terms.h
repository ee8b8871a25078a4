// The summands of the objective of a step [Fer23, eq. 2.5, 2.16, A.4]: inertia, potentials, contacts, lagged friction
// and the pull on scripted nodes. StepProblem is a loop over them.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "clearance/contact/contact_potential.h"
#include "clearance/contact/friction_potential.h"
#include "clearance/solver/prescribed.h"
#include "clearance/solver/time_integrator.h"

namespace clearance {

/// Returns 1/2 d^T M d, the kinetic energy [J] for d = v.
template <int dim>
CompensatedSum inertial_energy(const Model& model, const VecX& d);

/// An iterate: positions with what was computed there.
struct Iterate {
  VecX x;          ///< [m] unknowns
  VecX x_surface;  ///< [m] surface vertices
  ContactSet contacts;
  std::shared_ptr<const Candidates> candidates;  ///< hold all pairs that may be contacts; null: not paired yet
};

/// One summand, in the units of the objective: those of an energy times InertialTarget::scale.
template <int dim>
class ObjectiveTerm {
 public:
  virtual ~ObjectiveTerm() = default;
  /// False if the term adds nothing at `iterate`.
  virtual bool is_active(const Iterate& /*iterate*/) const { return true; }
  /// Allows the term to leave out everything that no block of `part` changes (Potential::restrict_to).
  virtual void restrict_to(const std::vector<char>& /*part*/) {}
  /// Returns the energy; infinity outside the term's domain.
  virtual CompensatedSum energy(const Iterate& iterate) const = 0;
  /// Returns the magnitude to which the rounding error of energy() is relative.
  virtual double magnitude(const Iterate& iterate) const { return std::abs(energy(iterate).value()); }
  virtual void add_gradient(const Iterate& iterate, VecX& gradient) = 0;
  /// Returns the sorted keys of the blocks that the Hessian touches here beyond the constant pattern of the model,
  /// without the blocks of `is_fixed`. It is called before add_derivatives.
  virtual const std::vector<BlockKey>& prepare_hessian(const Iterate& /*iterate*/,
                                                       const std::vector<char>& /*is_fixed*/) {
    static const std::vector<BlockKey> none;
    return none;
  }
  /// Adds gradient and Hessian. The matrix has all prepared blocks.
  virtual void add_derivatives(const Iterate& iterate, HessianKind kind, VecX& gradient, BlockSparseMatrix& matrix) = 0;

  /// Returns the largest alpha <= 1 such that x + s alpha dx stays in the term's domain for s in [0, 1]. The limit of
  /// contacts comes from the broad phase and CCD instead.
  virtual StepLimit max_feasible_step(const VecX& /*x*/, const VecX& /*dx*/) { return {}; }
  /// True, exactly, if x is in the term's domain.
  virtual bool is_feasible(const VecX& /*x*/) const { return true; }
  /// Returns the name of the term, for messages about what limits a step.
  virtual std::string name() const = 0;
};

/// The term 1/2 |x - x_tilde|_M^2 draws the unknowns to the inertial target.
template <int dim>
class InertiaTerm final : public ObjectiveTerm<dim> {
 public:
  /// `mass`: that of the workspace where the model has a consistent one, else null.
  InertiaTerm(const Model& model, MassOperator* mass, const InertialTarget& target)
      : model_(model), mass_(mass), target_(target) {
    if (mass_ != nullptr) mass_->set_factors(target.mass_factors);
  }
  bool is_active(const Iterate& /*iterate*/) const override { return target_.has_inertia; }
  CompensatedSum energy(const Iterate& iterate) const override;
  void add_gradient(const Iterate& iterate, VecX& gradient) override;
  void add_derivatives(const Iterate& iterate, HessianKind kind, VecX& gradient, BlockSparseMatrix& matrix) override;
  std::string name() const override { return "inertia"; }

 private:
  const Model& model_;
  MassOperator* mass_;
  const InertialTarget& target_;
};

/// This term is a potential of the workspace, times the scale of the target.
template <int dim>
class PotentialTerm final : public ObjectiveTerm<dim> {
 public:
  PotentialTerm(Potential& potential, const InertialTarget& target) : potential_(potential), target_(target) {}
  void restrict_to(const std::vector<char>& part) override { potential_.restrict_to(part); }
  bool refer_to(const VecX& x) { return potential_.refer_to(x); }
  bool is_elastic() const { return potential_.is_elastic(); }
  CompensatedSum energy(const Iterate& iterate) const override;
  void add_gradient(const Iterate& iterate, VecX& gradient) override {
    potential_.add_gradient(iterate.x, target_.scale, gradient);
  }
  bool add_load_gradient(const Iterate& iterate, VecX& gradient) const {
    return potential_.add_load_gradient(iterate.x, target_.scale, gradient);
  }
  void add_derivatives(const Iterate& iterate, HessianKind kind, VecX& gradient, BlockSparseMatrix& matrix) override;
  StepLimit max_feasible_step(const VecX& x, const VecX& dx) override { return potential_.max_feasible_step(x, dx); }
  bool is_feasible(const VecX& x) const override { return potential_.is_feasible(x); }
  std::string name() const override { return potential_.name(); }

 private:
  Potential& potential_;
  const InertialTarget& target_;
};

/// This term is kappa times the energies of the contacts.
template <int dim>
class ContactTerm final : public ObjectiveTerm<dim> {
 public:
  ContactTerm(const Model& model, const ContactModel<dim>& contact_model,
              std::shared_ptr<ContactHessians<dim>> hessians)
      : potential_(model, contact_model, std::move(hessians)) {}
  double kappa() const { return kappa_; }
  void set_kappa(double kappa) { kappa_ = kappa; }
  const ContactPotential<dim>& potential() const { return potential_; }

  bool is_active(const Iterate& iterate) const override { return !iterate.contacts.contacts.empty(); }
  CompensatedSum energy(const Iterate& iterate) const override;
  double magnitude(const Iterate& iterate) const override {
    return kappa_ * potential_.magnitude(iterate.contacts, iterate.x_surface);
  }
  void add_gradient(const Iterate& iterate, VecX& gradient) override {
    potential_.add_gradient(iterate.contacts, iterate.x_surface, kappa_, gradient);
  }
  const std::vector<BlockKey>& prepare_hessian(const Iterate& iterate, const std::vector<char>& is_fixed) override {
    return potential_.prepare_hessian(iterate.contacts, is_fixed);
  }
  void add_derivatives(const Iterate& iterate, HessianKind kind, VecX& gradient, BlockSparseMatrix& matrix) override {
    potential_.add_derivatives(iterate.contacts, iterate.x_surface, kappa_, kind, gradient, matrix);
  }
  std::string name() const override { return "barrier"; }

 private:
  ContactPotential<dim> potential_;
  double kappa_ = 0.0;
};

/// This term is the potential of lagged friction.
template <int dim>
class FrictionTerm final : public ObjectiveTerm<dim> {
 public:
  explicit FrictionTerm(FrictionPotential<dim> potential) : potential_(std::move(potential)) {}
  FrictionPotential<dim>& potential() { return potential_; }
  const FrictionPotential<dim>& potential() const { return potential_; }

  bool is_active(const Iterate& /*iterate*/) const override { return !potential_.is_empty(); }
  CompensatedSum energy(const Iterate& iterate) const override { return potential_.energy(iterate.x_surface); }
  void add_gradient(const Iterate& iterate, VecX& gradient) override {
    potential_.add_gradient(iterate.x_surface, gradient);
  }
  const std::vector<BlockKey>& prepare_hessian(const Iterate& /*iterate*/, const std::vector<char>& is_fixed) override {
    return potential_.prepare_hessian(is_fixed);
  }
  void add_derivatives(const Iterate& iterate, HessianKind kind, VecX& gradient, BlockSparseMatrix& matrix) override {
    potential_.add_derivatives(iterate.x_surface, kind, gradient, matrix);
  }
  std::string name() const override { return "friction"; }

 private:
  FrictionPotential<dim> potential_;
};

/// This term is the augmented Lagrangian of scripted nodes.
template <int dim>
class PullTerm final : public ObjectiveTerm<dim> {
 public:
  explicit PullTerm(AugmentedLagrangian<dim> augmented) : augmented_(std::move(augmented)) {}
  AugmentedLagrangian<dim>& augmented() { return augmented_; }
  const AugmentedLagrangian<dim>& augmented() const { return augmented_; }

  bool is_active(const Iterate& /*iterate*/) const override { return augmented_.is_active(); }
  CompensatedSum energy(const Iterate& iterate) const override { return augmented_.energy(iterate.x); }
  void add_gradient(const Iterate& iterate, VecX& gradient) override { augmented_.add_gradient(iterate.x, gradient); }
  void add_derivatives(const Iterate& iterate, HessianKind /*kind*/, VecX& gradient,
                       BlockSparseMatrix& matrix) override {
    augmented_.add_derivatives(iterate.x, gradient, matrix);
  }
  std::string name() const override { return "pull"; }

 private:
  AugmentedLagrangian<dim> augmented_;
};

}  // namespace clearance
