// The incremental potential of one step (eq. 2.5): inertia, potentials, barriers and the augmented Lagrangian of
// scripted nodes, with its assembled derivatives.
#pragma once

#include <memory>
#include <optional>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/contact/barrier_potential.h"
#include "clearance/solver/feasible_step.h"
#include "clearance/solver/options.h"
#include "clearance/solver/prescribed.h"
#include "clearance/solver/time_integrator.h"
#include "clearance/sparse/linear_solver.h"

namespace clearance {

/// The matrix with a pattern that outlives contact sets, and its solver.
class SystemMatrix {
 public:
  SystemMatrix(const Model& model, const SolverOptions& options);

  /// Nothing of earlier steps, not even the order of eliminations, has an influence on the results from here on: a run
  /// that is resumed gives the same bits.
  void begin_step();
  /// A zero matrix whose pattern holds the model's blocks and `contact_keys`.
  BlockSparseMatrix& reset(const std::vector<BlockKey>& contact_keys);
  BlockSparseMatrix& matrix() { return matrix_; }
  LinearSolver& solver() { return *solver_; }

 private:
  bool has_all(const std::vector<BlockKey>& keys) const;

  int dim_;
  int num_blocks_;
  std::vector<BlockKey> model_keys_;    // of the potentials
  std::vector<BlockKey> contact_keys_;  // in the current pattern, beyond model_keys_
  bool is_first_of_step_ = true;
  BlockSparseMatrix matrix_;
  std::unique_ptr<LinearSolver> solver_;
};

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
  /// Derivative of the objective along dx.
  double slope(const Iterate& iterate, const VecX& dx) const;
  /// Gradient and projected Hessian; rows of fixed blocks are zero and those of the identity.
  void assemble(const Iterate& iterate, SystemMatrix& system, VecX& gradient);

  /// Barrier stiffness at the start of a step (app. A.6).
  void choose_kappa(const Iterate& iterate);
  /// Doubles kappa while contacts closer than d_eps approach (app. A.6); true if it did.
  bool adapt_kappa(const Iterate& before, const Iterate& after);

  double kappa() const { return kappa_; }
  const BarrierPotential<dim>& barrier() const { return barrier_; }
  AugmentedLagrangian<dim>& augmented() { return augmented_; }
  std::vector<char>& is_fixed() { return is_fixed_; }
  void fix_prescribed();
  void free_prescribed();

 private:
  void add_smooth_gradient(const VecX& x, VecX& gradient) const;
  void zero_fixed(VecX& gradient) const;
  double kappa_lower_bound() const;

  const Model& model_;
  const SolverOptions& options_;
  const InertialTarget& target_;
  const PrescribedTargets& targets_;
  BarrierPotential<dim> barrier_;
  AugmentedLagrangian<dim> augmented_;
  std::vector<char> is_fixed_;  // per block
  double kappa_ = 0.0;
};

}  // namespace clearance
