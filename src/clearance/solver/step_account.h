// Keeps the accounts of energy and momentum of one step.
#pragma once

#include "clearance/model/blocks.h"
#include "clearance/solver/energy_account.h"
#include "clearance/solver/free_turn.h"
#include "clearance/solver/step_problem.h"

namespace clearance {

template <int dim>
class StepAccount {
 public:
  StepAccount(const Model& model, const WorkingCopies<dim>& copies, const LocalCoordinates<dim>& coordinates,
              const InertialTarget& target, const IntegratorOptions& integrator)
      : model_(model),
        potentials_(copies.potentials),
        coordinates_(coordinates),
        target_(target),
        h_(integrator.h),
        has_free_turns_(has_free_turns(integrator.method)) {}

  /// Opens the account after the potentials have begun the step. `barrier` is the energy [J] of the barriers at the
  /// start, with the stiffness of this step.
  void open(const State& state, double barrier);
  /// Records the blocks of bodies that something hits in the step (find_impacts).
  void note_struck(const std::vector<char>& blocks);
  /// True once the account has been closed, which steps that are only evaluated do not need.
  bool is_closed() const { return energy_t1_.size() > 0; }
  /// Accounts for all terms at the last iterate, whose gradients are `forces`.
  void close(StepProblem<dim>& problem, const Iterate& end, TermGradients forces);
  /// Settles the account once the state at the end is known but for its ledgers, and updates these.
  void settle(State& end);

  /// Accounts for a change of the velocity at the end by rebounds. The energy that bodies exchange in them does not
  /// enter their ledgers.
  void add_rebound(const VecX& v_before, const State& after);

  const EnergyAccount& energy() const { return energy_; }
  const MomentumAccount& momentum() const { return momentum_; }
  const IntegratorShare& gained() const { return gained_; }
  const IntegratorShare& lost() const { return lost_; }
  /// Returns the stored energy [J] per potential and of the barriers at the end, for State::stored.
  const VecX& stored() const { return stored_; }
  /// Returns the energy [J] per potential and of the barriers at the end.
  const VecX& energies() const { return energy_t1_; }

 private:
  /// [N] Of the terms closed so far: of all, and of those from outside; [J] what their work exceeds their energy by.
  struct Sums {
    VecX total, external;
    double gaps = 0.0;
  };
  void close_potential(Eigen::Index k, const VecX& gradient, const Iterate& end, Sums& sums);
  void close_contacts(StepProblem<dim>& problem, const Iterate& end, const TermGradients& forces, Sums& sums);
  bool knows_stored(const State& state, Eigen::Index k) const;
  void find_jumps(const State& state);
  void leave_out_gaps(const Potential& potential, const VecX& gradient, const VecX& x_t1);
  void begin_sums(const VecX& x_t1);
  void mark_contacts(const Iterate& end);
  void add_contact_gaps(StepProblem<dim>& problem, const Iterate& end);
  void close_prescribed(const Iterate& end, const VecX& pull, Sums& sums);
  struct UnbalancedForces;
  UnbalancedForces divide_unbalanced(const VecX& pull, Sums& sums);
  void add_pull(const VecX& pull, UnbalancedForces& unbalanced, Sums& sums);
  void divide_held_blocks(UnbalancedForces& unbalanced);
  struct BodyMotion;
  std::vector<BodyMotion> body_motions(const State& end, const VecX& p_t0, const VecX& p_t1,
                                       const VecX& rotors_t1) const;
  void update_ledger(std::size_t k, const BodyMotion& body, EnergyLedger& ledger);
  double turning_energy(std::size_t k, const State& end) const;
  double lost_in_turning(std::size_t k, const BodyMotion& body, const EnergyLedger& ledger, const State& end,
                         double least) const;
  void note_largest(std::size_t k, const BodyMotion& body, const EnergyLedger& ledger, const State& end, double least);

  std::vector<int> free_points() const;
  std::vector<double> least_energies() const;
  // Bodies that joints connect have one ledger, that of the first: what they hand to each other is no one's gain.
  std::size_t ledger_of_body(int body) const {
    return model_.mechanism_of_body.empty() ? body : model_.mechanism_of_body[body];
  }
  std::size_t ledger_of_block(int block) const { return ledger_of_body(body_of_block(model_, block)); }
  /// Adds up values per body to values per ledger.
  VecX rotor_energies(const State& state, const VecX& v) const;
  VecX per_ledger(const VecX& per_body) const;
  VecX body_energies(const VecX& x) const;
  void close_friction(const VecX& friction, const Iterate& end, Eigen::Index term);
  void add_work(const VecX& gradient, Eigen::Index term);
  void note_drive(const VecX& gradient);
  bool has_only_flown(const EnergyLedger& ledger) const;
  bool is_impact(std::size_t body, double gain, double kinetic_t0, double kinetic_t1) const;

  const Model& model_;
  const std::vector<std::unique_ptr<Potential>>& potentials_;
  const LocalCoordinates<dim>& coordinates_;
  const InertialTarget& target_;
  double h_;
  bool has_free_turns_;
  VecX x_t0_, v_t0_, dx_;
  VecX rotors_t0_;              // [J] per body: kinetic energies of coordinates at the start
  VecX energy_t0_, energy_t1_;  // [J] per potential and of the barriers, with the parameters of this step
  VecX jump_t0_;                // [J] per potential: what its parameters add at once
  VecX load_energy_t0_;         // [J] the part of given forces, per potential
  VecX inertial_gradient_;      // [N]
  double barrier_gap_ = 0.0;
  VecX body_energy_t0_, body_energy_t1_;  // [J] of potentials that are sums over bodies
  VecX body_gain_;  // [J] per body: what the integrator makes of these potentials and of what keeps bodies rigid
  /// [J] Per body: what work on barriers and elastic sticking exceeds what they store by. It is no gain of the body,
  /// and no loss either: what is pressed together is hit, if softly.
  VecX contact_gaps_;
  std::vector<char> has_contact_;  // per body, at the end
  std::vector<char> is_driven_;    // per body: a drive or a prescribed motion acts on it
  std::vector<char> is_given_;     // per potential: weight, or given loads
  int step_ = 0;                   // steps before this one
  std::vector<char> is_stiff_;     // per body: it is affine or rigid, and so are those in its ledger
  std::vector<char> is_struck_;    // per body: something hits it in the step; empty: not known
  /// [J] Per body (row) and term (column): potentials, barriers, friction, prescribed motion, and what is rubbed out at
  /// the body. What acts inside of a body has none: on an arc its forces at the end do work that is none, and hundreds
  /// of turns would sum that up.
  MatX work_;
  IntegratorShare gained_, lost_;
  std::vector<char> is_fixed_;
  std::vector<char> held_components_;
  VecX stored_;
  EnergyAccount energy_;
  MomentumAccount momentum_;
};

}  // namespace clearance
