// A potential that is the inertia of coordinates: rotors that turn with joints. Their kinetic energy is no sum over the
// masses of blocks, so that the incremental potential of the time integrator becomes a term of its own for each.
#pragma once

#include <functional>
#include <span>

#include "clearance/model/model.h"

namespace clearance {

/// How a time integrator goes on with a number q that depends on the positions: without forces it would come to
/// q + of_prev (q_prev - q) + of_v q' + of_v_prev q'_prev + of_a q''. A mass m adds the energy m weight / 2 times the
/// square of the distance from there. Where q comes to q_t1, its rate is rate (q_t1 - q) + rate_prev (q_prev - q) +
/// rate_v q' + rate_a q''.
struct InertialFormula {
  double of_prev = 0.0, of_v = 0.0, of_v_prev = 0.0, of_a = 0.0;   ///< 1, [s], [s], [s^2]
  double rate = 0.0, rate_prev = 0.0, rate_v = 0.0, rate_a = 0.0;  ///< [1/s], [1/s], 1, [s]
  double weight = 0.0;                                             ///< [1/s^2]; 0: no inertia
};

/// Interface that a Potential of such inertia has besides. Its energy and forces are zero until set_targets is called.
///
/// A coordinate moves by the integrator's formulas, and so has a rate of its own. The velocities of the unknowns give
/// another one where these move on circles: of a body that turns by 0.1 rad a step it differs by a hundredth, always to
/// the same side, and a rotor that followed it would speed up by itself. What the own rate exceeds that of the unknowns
/// by is the history of the potential (State::history). Velocities that change at once, as in rebounds, change both.
class CoordinateInertia {
 public:
  virtual ~CoordinateInertia() = default;
  /// Sets the targets of the step begun last, which starts from `state`. `formula_of` has the formula of a block.
  virtual void set_targets(const State& state, const std::function<InertialFormula(int block)>& formula_of) = 0;
  /// Ends the step begun last at the state `end`, before its velocities change at once: writes the history.
  virtual void end_motion(const State& end, std::span<double> history) const = 0;
  /// Adds the kinetic energy [J] of unknowns x with the rates v and with a history (empty: none) to
  /// sums[body_of_block[b]], b a block of each coordinate, and returns all of it. An empty `body_of_block` leaves the
  /// sums as they are.
  virtual double add_kinetic_energy(const VecX& x, const VecX& v, std::span<const double> history,
                                    const std::vector<int>& body_of_block, VecX& sums) const = 0;
  /// Adds the mass matrix at x, which has all blocks of Potential::pattern.
  virtual void add_mass(const VecX& x, BlockSparseMatrix& matrix) = 0;

  double kinetic_energy(const VecX& x, const VecX& v, std::span<const double> history) const {
    VecX none;
    return add_kinetic_energy(x, v, history, {}, none);
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
