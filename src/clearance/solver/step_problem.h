// The incremental potential of one step [Fer23, eq. 2.5, 2.16]: inertia, potentials, barriers, lagged friction and the
// augmented Lagrangian of scripted nodes, with its assembled derivatives.
#pragma once

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/model/blocks.h"
#include "clearance/solver/barrier_stiffness.h"
#include "clearance/solver/contact_forecast.h"
#include "clearance/solver/options.h"
#include "clearance/solver/system_matrix.h"
#include "clearance/solver/working_copies.h"

namespace clearance {

/// In x, of the terms of an objective; empty for those that are not active.
struct TermGradients {
  VecX inertia;
  std::vector<VecX> potentials;
  VecX contacts, friction, pull;
  VecX loads;  // that potentials hold together with what resists them; part of `potentials`

  /// visit(gradient) for those that are there, in the order of every sum.
  template <class Visit>
  void for_each(const Visit& visit) const {
    if (inertia.size() > 0) visit(inertia);
    for (const VecX& potential : potentials) visit(potential);
    for (const VecX* last : {&contacts, &friction, &pull}) {
      if (last->size() > 0) visit(*last);
    }
  }
  /// As for_each, with the loads within potentials and what resists them apart.
  template <class Visit>
  void for_each_force(const Visit& visit) const {
    for_each(visit);
    if (loads.size() == 0) return;
    visit(loads);
    visit(VecX(-loads));
  }
  /// With zeros in the components that are held, see clear_components.
  template <int dim>
  TermGradients without(const std::vector<char>& held) const {
    TermGradients rest = *this;
    for (VecX& potential : rest.potentials) clear_components<dim>(held, potential);
    for (VecX* other : {&rest.inertia, &rest.contacts, &rest.friction, &rest.pull, &rest.loads}) {
      if (other->size() > 0) clear_components<dim>(held, *other);
    }
    return rest;
  }
};

template <int dim>
class StepProblem {
 public:
  /// The potentials of `copies` have begun the step, or will have before anything is evaluated.
  StepProblem(const Model& model, WorkingCopies<dim>& copies, const SolverOptions& options,
              const InertialTarget& target, const PrescribedTargets& targets, const State& state);

  // Its list of terms points into it.
  StepProblem(const StepProblem&) = delete;
  StepProblem& operator=(const StepProblem&) = delete;

  /// Contacts at x among `near`.
  Iterate make_iterate(VecX x, std::shared_ptr<const Candidates> near) const;

  /// Objective of the step; infinity outside of its domain.
  CompensatedSum energy(const Iterate& iterate) const;
  /// Sum of the sizes of the objective's terms: what the rounding of their evaluation is relative to.
  double energy_magnitude(const Iterate& iterate) const;
  /// Derivative of the objective along dx; fixed blocks do not count.
  double slope(const Iterate& iterate, const VecX& dx) const;
  /// Gradient and projected Hessian in the unknowns of the system; rows of fixed blocks are zero and those of the
  /// identity.
  void assemble(const Iterate& iterate, SystemMatrix<dim>& system, VecX& gradient,
                HessianKind kind = HessianKind::projected);

  /// Largest part of dx that leaves no term's domain, and the term that limits it; contacts are left to CCD.
  struct Limit : StepLimit {
    std::string term;
  };
  Limit max_feasible_step(const VecX& x, const VecX& dx) const;
  /// The term whose domain x is not in; empty if there is none.
  std::string infeasible_term(const VecX& x) const;
  bool is_feasible(const VecX& x) const { return infeasible_term(x).empty(); }

  /// Friction is `friction`, which may be another one than the objective's.
  TermGradients term_gradients(const Iterate& iterate, const FrictionPotential<dim>& friction);
  /// A gradient, or the sum of `gradients`, in Newton's unknowns; zero where they are fixed.
  VecX free_part(const LocalCoordinates<dim>& coordinates, const VecX& x, const VecX& gradient) const;
  VecX free_sum(const LocalCoordinates<dim>& coordinates, const VecX& x, const TermGradients& gradients) const;
  /// Of `gradients` nothing but elastic forces is there.
  bool is_unloaded(const TermGradients& gradients) const;
  /// Empty if nothing rubs.
  VecX friction_gradient(const Iterate& iterate, const FrictionPotential<dim>& friction) const;

  /// Barrier stiffness at the start of a step.
  void choose_kappa();
  /// Doubles kappa while contacts closer than d_eps approach [Fer23, app. A.6]; returns such a contact of `after` if it
  /// did.
  const Contact* adapt_kappa(const Iterate& before, const Iterate& after);

  /// Forces that are no derivatives of energies agree with their energies at x from here on (Potential::refer_to).
  /// False if that changes nothing.
  bool refer_to(const VecX& x);

  const InertialTarget& target() const { return target_; }
  /// [m] Surface vertices at the start of the step.
  const VecX& x_surface_t0() const { return x_surface_t0_; }

  /// True if contacts can rub at all.
  bool has_friction() const { return has_friction_; }
  /// Friction from here on with the sliding directions and, at `kappa`, the normal forces of `iterate`, whose unknowns
  /// have moved by `displacement` in the time of a step. `share` < 1: the friction so far keeps the rest.
  void lag_friction(const Iterate& iterate, const VecX& displacement, double kappa, double share = 1.0);
  /// Friction that agrees with the present contact forces and sliding directions.
  FrictionPotential<dim> fresh_friction(const Iterate& iterate, const VecX& x_t0) const;
  /// Share of the secant stiffness of friction in the matrix.
  double secant_share() const { return friction_.secant_share(); }
  void set_secant_share(double share) { friction_.set_secant_share(share); }
  const FrictionPotential<dim>& friction() const { return friction_.potential(); }

  double kappa() const { return contact_.kappa(); }
  const ContactPotential<dim>& contacts() const { return contact_.potential(); }
  /// Of contacts to come, in the matrix alone.
  ContactForecast<dim>& forecast() { return forecast_; }
  AugmentedLagrangian<dim>& augmented() { return pull_.augmented(); }
  const std::vector<char>& is_fixed() const { return is_fixed_; }
  /// Of blocks that are fixed in part, see clear_components; empty if there are none.
  const std::vector<char>& held_components() const { return held_components_; }
  void fix_prescribed();
  /// From here on all but the blocks of `part` (1 where in it) is held, and its own energy left out; empty: nothing is.
  void restrict_to(const std::vector<char>& part);

 private:
  FrictionPotential<dim> make_friction() const;

  const Model& model_;
  const ContactModel<dim>& contact_model_;
  const SolverOptions& options_;
  const InertialTarget& target_;
  const PrescribedTargets& targets_;
  VecX x_surface_t0_;  // [m] at the start of the step
  const std::vector<StickVertex>& stick_t0_;
  InertiaTerm<dim> inertia_;
  std::vector<PotentialTerm<dim>> potentials_;
  BarrierStiffness stiffness_;
  ContactTerm<dim> contact_;
  ContactForecast<dim> forecast_;
  FrictionTerm<dim> friction_;
  PullTerm<dim> pull_;
  std::vector<ObjectiveTerm<dim>*> terms_;  // all of these, in the order of every sum
  bool has_friction_;
  bool are_prescribed_fixed_ = false;
  std::vector<char> is_fixed_;  // per block
  std::vector<char> held_components_;
};

}  // namespace clearance
