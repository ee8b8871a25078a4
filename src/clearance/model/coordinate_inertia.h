// A potential that is the inertia of coordinates: rotors that turn with joints. Their kinetic energy is no sum over the
// masses of blocks, so that the incremental potential of the time integrator becomes a term of its own for each.
#pragma once

#include <functional>

#include "clearance/model/model.h"

namespace clearance {

/// How a time integrator goes on with a number q that depends on the positions: without forces it would come to
/// q + of_prev (q_prev - q) + of_v q' + of_v_prev q'_prev + of_a q''. A mass m adds the energy m weight / 2 times the
/// square of the distance from there.
struct InertialFormula {
  double of_prev = 0.0, of_v = 0.0, of_v_prev = 0.0, of_a = 0.0;  ///< 1, [s], [s], [s^2]
  double weight = 0.0;                                            ///< [1/s^2]; 0: no inertia
};

/// Interface that a Potential of such inertia has besides. Its energy and forces are zero until set_targets is called.
class CoordinateInertia {
 public:
  virtual ~CoordinateInertia() = default;
  /// Sets the targets of the step begun last, which starts from `state`. `formula_of` has the formula of a block.
  virtual void set_targets(const State& state, const std::function<InertialFormula(int block)>& formula_of) = 0;
  /// Adds the kinetic energy [J] of unknowns x with the rates v to sums[body_of_block[b]], b a block of each
  /// coordinate, and returns all of it. An empty `body_of_block` leaves the sums as they are.
  virtual double add_kinetic_energy(const VecX& x, const VecX& v, const std::vector<int>& body_of_block,
                                    VecX& sums) const = 0;
  /// Adds the mass matrix at x, which has all blocks of Potential::pattern.
  virtual void add_mass(const VecX& x, BlockSparseMatrix& matrix) = 0;

  double kinetic_energy(const VecX& x, const VecX& v) const {
    VecX none;
    return add_kinetic_energy(x, v, {}, none);
  }
};

/// Returns the inertia of a potential, or null if it is none.
inline const CoordinateInertia* coordinate_inertia_of(const Potential& potential) {
  return dynamic_cast<const CoordinateInertia*>(&potential);
}
inline CoordinateInertia* coordinate_inertia_of(Potential& potential) {
  return dynamic_cast<CoordinateInertia*>(&potential);
}

}  // namespace clearance
