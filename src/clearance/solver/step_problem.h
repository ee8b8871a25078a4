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

/// Gradients in x of the terms of an objective; empty for inactive terms.
struct TermGradients {
  VecX inertia;
  std::vector<VecX> potentials;
  VecX contacts, friction, pull;
  // Loads that potentials hold together with what resists them; they are part of `potentials`.
  VecX loads;

  /// Calls visit(gradient) for each gradient that is present, in the order of every sum.
  template <class Visit>
  void for_each(const Visit& visit) const {
    if (inertia.size() > 0) visit(inertia);
    for (const VecX& potential : potentials) visit(potential);
    for (const VecX* last : {&contacts, &friction, &pull}) {
      if (last->size() > 0) visit(*last);
    }
  }
  /// Calls visit(gradient) like for_each, and also for the loads within potentials and for what resists these loads.
  template <class Visit>
  void for_each_force(const Visit& visit) const {
    for_each(visit);
    if (loads.size() == 0) return;
    visit(loads);
    visit(VecX(-loads));
  }
};

/// The contacts in a Hessian of all blocks.
enum class Coupling {
  of_free_nodes,  ///< the free nodes with each other
  of_all_nodes    ///< with fixed nodes, too
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

  /// Builds the iterate at x, with its contacts among `near`.
  Iterate make_iterate(VecX x, std::shared_ptr<const Candidates> candidates) const;

  /// Returns the objective of the step; infinity outside its domain.
  CompensatedSum energy(const Iterate& iterate) const;
  /// Returns the sum of the magnitudes of the objective's terms, to which the rounding error of their evaluation is
  /// relative.
  double energy_magnitude(const Iterate& iterate) const;
  /// Returns the derivative of the objective along dx; fixed blocks do not count.
  double slope(const Iterate& iterate, const VecX& dx) const;
  /// Assembles gradient and Hessian in the unknowns of the system. Fixed blocks get zero gradients and rows of the
  /// identity. `whole`, if it is given, becomes the Hessian in the blocks of x, with the contacts of `coupling`.
  void assemble(const Iterate& iterate, SystemMatrix<dim>& system, VecX& gradient,
                HessianKind kind = HessianKind::projected, BlockSparseMatrix* whole = nullptr,
                Coupling coupling = Coupling::of_free_nodes);

  /// Largest part of dx that leaves no term's domain, and the term that limits it; contacts are left to CCD.
  struct Limit : StepLimit {
    std::string term;
  };
  Limit max_feasible_step(const VecX& x, const VecX& dx) const;
  /// Returns the name of the term whose domain x is not in; empty if there is none.
  std::string infeasible_term(const VecX& x) const;
  bool is_feasible(const VecX& x) const { return infeasible_term(x).empty(); }

  /// Returns the gradients of all terms. `friction` replaces the friction of the objective.
  TermGradients term_gradients(const Iterate& iterate, const FrictionPotential<dim>& friction);
  /// Return a gradient, or the sum of `gradients`, in Newton's unknowns; zero in fixed ones.
  VecX free_part(const LocalCoordinates<dim>& coordinates, const VecX& x, const VecX& gradient) const;
  VecX free_sum(const LocalCoordinates<dim>& coordinates, const VecX& x, const TermGradients& gradients) const;
  /// True if `gradients` contain no forces but elastic ones.
  bool is_unloaded(const TermGradients& gradients) const;
  /// Returns the gradient of `friction`; empty if no contact has friction.
  VecX friction_gradient(const Iterate& iterate, const FrictionPotential<dim>& friction) const;

  /// Sets the barrier stiffness at the start of a step.
  void choose_kappa();
  /// Sets the barrier stiffness where the solver chooses it, to that of a nearby step.
  void choose_kappa_like(double kappa);
  /// Doubles kappa while contacts closer than d_eps approach [Fer23, app. A.6]; returns such a contact of `after` if it
  /// did.
  const Contact* adapt_kappa(const Iterate& before, const Iterate& after);

  /// Makes forces that are not the gradient of an energy agree with their energies at x from here on
  /// (Potential::refer_to). False if that changes nothing.
  bool refer_to(const VecX& x);

  const InertialTarget& target() const { return target_; }
  /// Returns the surface vertices [m] at the start of the step.
  const VecX& x_surface_t0() const { return x_surface_t0_; }

  /// True if contacts can have friction.
  bool has_friction() const { return has_friction_; }
  /// Sets the friction from here on: its sliding directions and, at `kappa`, its normal forces are those of `iterate`,
  /// whose unknowns have moved by `displacement` in the time of a step. With `share` < 1 the present friction keeps the
  /// rest.
  void lag_friction(const Iterate& iterate, const VecX& displacement, double kappa, double share = 1.0);
  /// Returns the friction that agrees with the present contact forces and sliding directions.
  FrictionPotential<dim> fresh_friction(const Iterate& iterate, const VecX& x_t0) const;
  /// Moves the duals of friction by the whole Newton direction `dx` [m] of the unknowns at `from`.
  void move_friction_duals(const Iterate& from, const VecX& dx);
  const FrictionPotential<dim>& friction() const { return friction_.potential(); }

  double kappa() const { return contact_.kappa(); }
  const ContactPotential<dim>& contacts() const { return contact_.potential(); }
  /// Forecast of contacts to come, which is in the matrix alone.
  ContactForecast<dim>& forecast() { return forecast_; }
  const ContactForecast<dim>& forecast() const { return forecast_; }
  AugmentedLagrangian<dim>& augmented() { return pull_.augmented(); }
  const AugmentedLagrangian<dim>& augmented() const { return pull_.augmented(); }
  const std::vector<char>& is_fixed() const { return is_fixed_; }
  /// Held components of blocks that are fixed in part, see clear_components; empty if there are none.
  const std::vector<char>& held_components() const { return held_components_; }
  /// Pulls scripted nodes to their targets from here on. Those whose targets are where they stand are held.
  void pull_prescribed();
  /// Holds all scripted nodes where they are from here on.
  void fix_prescribed();
  /// Holds all blocks outside `part` (1 for blocks in it) from here on and leaves out their own energy. An empty part
  /// releases all of them.
  void restrict_to(const std::vector<char>& part);

 private:
  enum class HeldTargets { none, standing, all };
  void fix_held();
  FrictionPotential<dim> make_friction(std::shared_ptr<ContactHessians<dim>> hessians) const;
  VecX surface_motion(const Iterate& iterate, const VecX& displacement) const;

  const Model& model_;
  const ContactModel<dim>& contact_model_;
  const SolverOptions& options_;
  const InertialTarget& target_;
  const PrescribedTargets& targets_;
  VecX x_t0_, x_surface_t0_;  // [m] at the start of the step
  const std::vector<StickVertex>& stick_t0_;
  const VecX free_motion_;  // of the surface, h v_t0; empty without radii
  InertiaTerm<dim> inertia_;
  std::vector<PotentialTerm<dim>> potentials_;
  BarrierStiffness stiffness_;
  ContactTerm<dim> contact_;
  ContactForecast<dim> forecast_;
  FrictionTerm<dim> friction_;
  std::vector<char> stands_;  // per target: it is where the node is at the start of the step
  PullTerm<dim> pull_;
  std::vector<ObjectiveTerm<dim>*> terms_;  // all of these, in the order of every sum
  bool has_friction_;
  HeldTargets held_ = HeldTargets::none;
  std::vector<char> is_fixed_;  // per block
  std::vector<char> held_components_;
};

}  // namespace clearance
