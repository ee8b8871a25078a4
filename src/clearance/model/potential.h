// The interface of a term of the incremental potential: an energy of the unknowns with two derivatives.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "clearance/base/parallel.h"
#include "clearance/base/result.h"
#include "clearance/model/history.h"
#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

/// The limit of a step, for the report of a slow or failed step.
struct StepLimit {
  double alpha = 1.0;          ///< largest feasible fraction of the step, in [0, 1]
  int element = -1;            ///< the element of the potential that limits the step, or -1
  int block = -1;              ///< a block of that element, if `what` is given
  const char* what = nullptr;  ///< what limits the body, as "the strain limit"; null: the element's number tells it
};

/// An energy E(x) [J] of the unknowns x [m]. x is flat, `dim` numbers per block.
///
/// The potentials of a model are constant. A step evaluates copies that belong to its workspace. Copies have their own
/// scratch memory (the functions that are not const) and, from begin_step on, a snapshot of the start of the step.
class Potential {
 public:
  virtual ~Potential() = default;
  /// Returns a copy for a workspace; large constant parts are shared.
  virtual std::unique_ptr<Potential> clone() const = 0;
  /// Returns the key in the `energy` object of stats.jsonl: `elastic`, `gravity`, ...
  virtual std::string name() const = 0;

  /// Prepares lagged and time-dependent quantities. Called once before each step with the positions at its start, the
  /// step size h and the time of its end [s]. If it returns no value, the step is not taken, for the reason given.
  virtual Result<Done> begin_step(const VecX& /*x_t0*/, double /*h*/, double /*time_t1*/) { return Done{}; }

  /// Returns how many numbers the potential remembers from one step to the next; constant during a run.
  virtual std::size_t history_size() const { return 0; }
  /// Returns the points that these numbers belong to, for a change of elements. Its size is history_size().
  virtual HistoryLayout history_layout() const { return {}; }
  /// Sets what the potential remembers of the steps before; called before begin_step. Empty: nothing has happened yet.
  virtual void set_history(std::span<const double> /*history*/) {}
  /// Ends the step begun last, whose solution is x: writes what the potential remembers from now on into `history`,
  /// which has history_size() numbers. Called once after each step that is accepted.
  virtual void end_step(const VecX& /*x_t1*/, std::span<double> /*history*/) const {}

  /// Moves the reference to x. A force that is not the derivative of an energy acts through an energy that agrees with
  /// it at the reference. Returns false if the move changes nothing.
  virtual bool refer_to(const VecX& /*x*/) { return false; }
  /// True if the derivative of the gradient at the reference, which moves with x, is minus its transpose.
  virtual bool has_skew_slopes() const { return false; }

  /// Restricts the potential to a part of the blocks (1 in `part`). From now on energies, limits and verdicts may omit
  /// terms that no block of the part changes, and derivatives are needed in these blocks only. An empty part removes
  /// the restriction.
  virtual void restrict_to(const std::vector<char>& /*part*/) {}

  /// Returns E(x) [J]; infinity where it is undefined (an inverted element of a barrier energy).
  virtual CompensatedSum energy(const VecX& x) const = 0;
  /// Returns the part [J] of energy(x) that belongs to forces given for the step: -f . x. The rest is stored in the
  /// system.
  virtual double load_energy(const VecX& /*x*/) const { return 0.0; }
  /// True if its force is the same at every x and at all times, like weight.
  virtual bool has_constant_force() const { return false; }
  /// True if the work of its force is lost: E is a potential of a lagged dissipation and stores nothing.
  virtual bool is_dissipative() const { return false; }
  /// True if its forces are no more than rounding while nothing acts from outside.
  virtual bool is_elastic() const { return false; }
  /// True if drives change the rest state of its energy; at the start of a run it stores nothing.
  virtual bool is_driven() const { return false; }
  /// Adds the energy of each body to sums[body_of_block[b]], if the potential is a sum over bodies.
  virtual void add_body_energies(const VecX& /*x*/, const std::vector<int>& /*body_of_block*/, VecX& /*sums*/) const {}
  virtual bool has_body_energies() const { return false; }
  /// Adds scale * dE/dx to the gradient.
  virtual void add_gradient(const VecX& x, double scale, VecX& gradient) = 0;
  /// Adds scale * the part of dE/dx that belongs to given loads, if the potential also holds the forces that resist
  /// them: the forces at work are then the two parts separately. Returns false if there is no such part.
  virtual bool add_load_gradient(const VecX& /*x*/, double /*scale*/, VecX& /*gradient*/) const { return false; }

  /// Returns the sorted, unique keys of the blocks that the Hessian may touch; constant during a run.
  virtual std::vector<BlockKey> pattern() const { return {}; }
  /// Adds scale * P(d2E/dx2) with every local Hessian projected to PSD; the matrix has all blocks of pattern().
  virtual void add_hessian(const VecX& /*x*/, double /*scale*/, BlockSparseMatrix& /*matrix*/) {}
  /// Adds gradient and Hessian, in one pass if that saves work.
  virtual void add_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) {
    add_gradient(x, scale, gradient);
    add_hessian(x, scale, matrix);
  }

  /// Adds the gradient and the exact Hessian, which may be indefinite: for the end of Newton's iteration.
  virtual void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) {
    add_derivatives(x, scale, gradient, matrix);
  }

  /// Returns the largest alpha <= 1 such that no element inverts anywhere on x + s alpha dx, s in [0, 1], with some
  /// room left.
  virtual StepLimit max_feasible_step(const VecX& /*x*/, const VecX& /*dx*/) { return {}; }
  /// True if x is feasible, by an exact test: no element is inverted or has zero volume.
  virtual bool is_feasible(const VecX& /*x*/) const { return true; }

  /// Sets the number of whole turns of each hinge at x, the start of the step (State::turns); called before begin_step.
  virtual void set_turns(const VecX& /*x*/, const std::vector<int>& /*turns*/) {}
  /// Writes the whole turns of the potential's hinges at x, the end of the step begun last.
  virtual void count_turns(const VecX& /*x*/, std::vector<int>& /*turns*/) const {}

  /// Marks bodies that something other than a contact stops at x: the limit of a joint.
  virtual void mark_stopped_bodies(const VecX& /*x*/, const std::vector<int>& /*body_of_block*/,
                                   std::vector<char>& /*is_stopped*/) const {}
};

}  // namespace clearance
