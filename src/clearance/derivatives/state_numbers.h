// The real numbers of a state as one vector, so that states can be differentiated.
#pragma once

#include "clearance/base/methods.h"
#include "clearance/model/model.h"

namespace clearance::derivatives {

/// Returns a state of changes or derivatives, zero by the numbers of `state`.
State zero_like(const State& state);

/// The numbers of a state that a change of a parameter may change continuously: positions, rates, the past of the
/// integrator, anchors of motions, controls, elastic sliding and what potentials remember.
class StateNumbers {
 public:
  /// Accelerations count only for the integrator that goes on from them.
  explicit StateNumbers(TimeIntegrator method) : has_accelerations_(method == TimeIntegrator::implicit_newmark) {}

  /// Returns the numbers of `state` in the order of `like`, a state of the same step. Sliding that `state` does not
  /// have is zero.
  VecX of(const State& state, const State& like) const;
  /// Returns the place of the first number of sliding in that vector; each vertex has three.
  Eigen::Index first_of_sliding(const State& like) const;
  /// Returns `state` with `change` added to its numbers, in the order of of(state, state).
  State changed(const State& state, const VecX& change) const;
  /// Returns the largest length [m] that a change of the numbers of `state` stands for in a step of h [s]: positions,
  /// rates times h, and sliding; other numbers count as `size` [m] times their share of themselves.
  double length_of(const VecX& change, const State& state, double h, double size) const;

 private:
  template <class AnyState, class Visit>
  void for_each_array(AnyState& state, const Visit& visit) const;

  bool has_accelerations_;
};

}  // namespace clearance::derivatives
