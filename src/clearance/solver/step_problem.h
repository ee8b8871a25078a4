// The incremental potential of one step (eq. 2.5 and 2.16): inertia, potentials, barriers, lagged friction and the
// augmented Lagrangian of scripted nodes, with its assembled derivatives.
#pragma once

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/contact/barrier_potential.h"
#include "clearance/contact/friction_potential.h"
#include "clearance/solver/feasible_step.h"
#include "clearance/solver/options.h"
#include "clearance/solver/prescribed.h"
#include "clearance/solver/system_matrix.h"
#include "clearance/solver/time_integrator.h"

namespace clearance {

/// 1/2 d^T M d: the kinetic energy [J] for d = v.
template <int dim>
CompensatedSum inertial_energy(const Model& model, const VecX& d);

/// An iterate: positions with what was computed there.
struct Iterate {
  VecX x;          ///< [m] unknowns
  VecX x_surface;  ///< [m] surface vertices
  ContactSet contacts;
};

template <int dim>
class StepProblem {
 public:
  StepProblem(const Model& model, const SolverOptions& options, const InertialTarget& target,
              const PrescribedTargets& targets, const State& state);

  /// Contacts at x among `candidates`.
  Iterate make_iterate(VecX x, const Candidates& candidates) const;

  /// Objective of the step; infinity outside of its domain.
  CompensatedSum energy(const Iterate& iterate) const;
  /// Sum of the sizes of the objective's terms: what the rounding of their evaluation is relative to.
  double energy_magnitude(const Iterate& iterate) const;
  /// Derivative of the objective along dx; fixed blocks do not count.
  double slope(const Iterate& iterate, const VecX& dx) const;
  /// Gradient and projected Hessian in the unknowns of the system; rows of fixed blocks are zero and those of the
  /// identity. With `is_exact` the Hessian is not projected.
  void assemble(const Iterate& iterate, SystemMatrix<dim>& system, VecX& gradient, bool is_exact = false);

  /// Gradients of the objective's terms in x, a column each: inertia, potentials, barriers, friction, scripted nodes.
  /// Friction is `friction`, which may be another one than the objective's.
  std::vector<VecX> term_gradients(const Iterate& iterate, const FrictionPotential<dim>& friction) const;

  /// Barrier stiffness at the start of a step (app. A.6).
  void choose_kappa(const Iterate& iterate);
  /// Doubles kappa while contacts closer than d_eps approach (app. A.6); returns such a contact of `after` if it did.
  const Contact* adapt_kappa(const Iterate& before, const Iterate& after);

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
  double secant_share() const { return secant_share_; }
  void set_secant_share(double share) { secant_share_ = share; }
  const FrictionPotential<dim>& friction() const { return friction_; }

  double kappa() const { return kappa_; }
  const BarrierPotential<dim>& barrier() const { return barrier_; }
  AugmentedLagrangian<dim>& augmented() { return augmented_; }
  const std::vector<char>& is_fixed() const { return is_fixed_; }
  std::vector<char>& is_fixed() { return is_fixed_; }
  void fix_prescribed();
  void free_prescribed();

 private:
  void add_smooth_gradient(const VecX& x, VecX& gradient) const;
  std::vector<BlockKey> contact_keys(const Iterate& iterate);
  void zero_fixed(VecX& gradient) const;
  double kappa_lower_bound() const;
  double inertial_kappa() const;

  const Model& model_;
  const SolverOptions& options_;
  const InertialTarget& target_;
  const PrescribedTargets& targets_;
  VecX x_surface_t0_;  // [m] at the start of the step
  const std::vector<StickVertex>& stick_t0_;
  BarrierPotential<dim> barrier_;
  FrictionPotential<dim> friction_;
  bool has_friction_;
  double secant_share_ = 0.0;
  AugmentedLagrangian<dim> augmented_;
  std::vector<char> is_fixed_;  // per block
  double kappa_ = 0.0;
};

}  // namespace clearance
