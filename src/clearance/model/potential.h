// A term of the incremental potential, as the solver sees it: an energy of the unknowns with two derivatives.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clearance/base/parallel.h"
#include "clearance/base/result.h"
#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

/// What limited a step: for the report of a slow or failed step.
struct StepLimit {
  double alpha = 1.0;  ///< largest feasible fraction of the step, in [0, 1]
  int element = -1;    ///< limiting element of that potential, or -1
};

/// An energy E(x) [J] of the unknowns x [m]. x is flat, `dim` numbers per block.
///
/// The potentials of a model are constant. What a step evaluates are copies that belong to its workspace, with scratch
/// of their own (the functions that are not const) and, from begin_step on, a snapshot of what the step starts from.
class Potential {
 public:
  virtual ~Potential() = default;
  /// A copy for a workspace; large constant parts are shared.
  virtual std::unique_ptr<Potential> clone() const = 0;
  /// Key in the `energy` object of stats.jsonl: `elastic`, `gravity`, ...
  virtual std::string name() const = 0;

  /// Called once before each step with the positions at its start, the step size h and the time of its end [s]: for
  /// lagged quantities and those that depend on time. Without a value the step is not taken, for the reason given.
  virtual Result<Done> begin_step(const VecX& /*x_t0*/, double /*h*/, double /*time_t1*/) { return Done{}; }

  /// A force that is no derivative of an energy acts with an energy that agrees with it where it refers to: from here
  /// on to x. False if that changes nothing.
  virtual bool refer_to(const VecX& /*x*/) { return false; }

  /// From here on energies, limits and verdicts may leave out what no block of `part` (1 where in it) changes, and
  /// derivatives are asked for in these blocks only. Empty: everything again.
  virtual void restrict_to(const std::vector<char>& /*part*/) {}

  /// E(x) [J]; infinity where it is not defined (an inverted element of a barrier energy).
  virtual CompensatedSum energy(const VecX& x) const = 0;
  /// [J] The part of energy(x) that forces given for the step have: -f . x. The rest is stored in the system.
  virtual double load_energy(const VecX& /*x*/) const { return 0.0; }
  /// True if its force is the same at every x and at all times, like weight.
  virtual bool has_constant_force() const { return false; }
  /// What its force does work on is lost: E is a potential of a lagged dissipation, and nothing is stored.
  virtual bool is_dissipative() const { return false; }
  /// Where nothing acts from outside, its forces are no more than rounding.
  virtual bool is_elastic() const { return false; }
  /// Drives change what its energy is about; where a run starts it stores nothing.
  virtual bool is_driven() const { return false; }
  /// sums[body_of_block[b]] += the energy of what belongs to one body, if the potential is such a sum.
  virtual void add_body_energies(const VecX& /*x*/, const std::vector<int>& /*body_of_block*/, VecX& /*sums*/) const {}
  virtual bool has_body_energies() const { return false; }
  /// gradient += scale * dE/dx
  virtual void add_gradient(const VecX& x, double scale, VecX& gradient) = 0;
  /// gradient += scale * the part of dE/dx that given loads do, where this potential also holds what resists them: the
  /// forces at work are the two apart. False: there is none.
  virtual bool add_load_gradient(const VecX& /*x*/, double /*scale*/, VecX& /*gradient*/) const { return false; }

  /// Sorted, unique keys of the blocks that the Hessian may touch; constant during a run.
  virtual std::vector<BlockKey> pattern() const { return {}; }
  /// matrix += scale * P(d2E/dx2), every local Hessian projected to PSD; the matrix has all blocks of pattern().
  virtual void add_hessian(const VecX& /*x*/, double /*scale*/, BlockSparseMatrix& /*matrix*/) {}
  /// gradient and Hessian in one pass where that saves work.
  virtual void add_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) {
    add_gradient(x, scale, gradient);
    add_hessian(x, scale, matrix);
  }

  /// The same with the exact Hessian, which may be indefinite: for the end of Newton's iteration.
  virtual void add_exact_derivatives(const VecX& x, double scale, VecX& gradient, BlockSparseMatrix& matrix) {
    add_derivatives(x, scale, gradient, matrix);
  }

  /// Largest alpha <= 1 such that no element inverts anywhere on x + s alpha dx, s in [0, 1], with some room left.
  virtual StepLimit max_feasible_step(const VecX& /*x*/, const VecX& /*dx*/) { return {}; }
  /// Exact verdict at x: false if an element is inverted or has zero volume.
  virtual bool is_feasible(const VecX& /*x*/) const { return true; }

  /// Tells how many whole turns each hinge has made at x, the start of the step (State::turns); called before
  /// begin_step.
  virtual void set_turns(const VecX& /*x*/, const std::vector<int>& /*turns*/) {}
  /// Writes the whole turns that the hinges of this potential have made at x, the end of the step begun last.
  virtual void count_turns(const VecX& /*x*/, std::vector<int>& /*turns*/) const {}

  /// Marks bodies that are stopped at x by something else than a contact: by the limit of a joint.
  virtual void mark_stopped_bodies(const VecX& /*x*/, const std::vector<int>& /*body_of_block*/,
                                   std::vector<char>& /*is_stopped*/) const {}
};

}  // namespace clearance
