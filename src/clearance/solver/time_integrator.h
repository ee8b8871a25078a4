// Time integrators as incremental potentials: a step minimises 1/2 |x - x_tilde|_M^2 + scale * (sum of potentials) +
// barrier ([Fer23, eq. 2.5] for implicit Euler), and the velocity follows from the minimiser.
#pragma once

#include "clearance/model/coordinate_inertia.h"
#include "clearance/solver/options.h"

namespace clearance {

/// Formulas of restarted BDF2, in ascending order of what a body needs for them.
enum class StepFormula : char {
  implicit_euler,
  without_past,  ///< second order, for what nothing touches
  bdf2,
};

struct InertialTarget {
  VecX x_tilde;  ///< [m]
  double scale =
      1.0;  ///< [s^2] factor of the potentials: h^2 (Euler), beta h^2 (Newmark), (2h/3)^2 (BDF2), 1 (quasi-static)
  bool has_inertia = true;
  /// Per block, a factor of its mass: scale over that of its formula, if restarted BDF2 has several. Empty: all 1.
  std::vector<double> mass_factors = {};
  std::vector<char> is_hit = {};           ///< per block, of restarted BDF2: 1 if it forgets what was before the step
  std::vector<StepFormula> formulas = {};  ///< per block, of restarted BDF2: what gives its velocity

  double mass_factor(int block) const { return mass_factors.empty() ? 1.0 : mass_factors[block]; }
};

InertialTarget predict(const IntegratorOptions& options, const State& state);

/// Blocks that restarted BDF2 treats apart.
struct RestartMarks {
  std::vector<char> is_hit;          ///< per block: takes a step of implicit Euler and forgets what was before it
  std::vector<char> is_led = {};     ///< per block: wholly prescribed, so that its velocity may jump; empty: none
  VecX x_led = {};                   ///< [m] where the blocks that are led end the step; others are not read
  std::vector<char> is_flying = {};  ///< per block: of a stiff body that nothing can touch in this step; empty: none
};

/// Sets `target` to that of restarted BDF2.
///
/// A body has one formula, because a consistent mass couples its blocks: the lowest that one of them needs. What is hit
/// needs implicit Euler, and so does what has no history, unless it flies. `body_of_block` numbers the bodies; if it is
/// empty, every block is on its own. A block that is led has the acceleration of implicit Euler in any case, that is,
/// the change of its velocity.
///
/// Backward differences extrapolate: a body at v that something stops at once would have -v / 2 after the step, and a
/// part of the impact once more in the next. With a step of implicit Euler, of the impact, and another one after it
/// there is neither; bodies that glide, roll, rest or fly keep their second order. bdf2_in_flight has no step of the
/// first order in the first step of a scene, nor where a stiff body flies away after an impact.
void restart(const IntegratorOptions& options, const State& state, const std::vector<int>& body_of_block,
             RestartMarks marks, InertialTarget& target);

/// True if the method restarts where bodies hit something.
constexpr bool has_restarts(TimeIntegrator method) {
  return method == TimeIntegrator::bdf2_restarted || method == TimeIntegrator::bdf2_in_flight;
}

/// Makes BDF2 start anew after a step in which bodies have hit something. It forgets what was before that, which its
/// formula for the velocity would carry through the impact, and starts with a step of implicit Euler.
void start_anew(const IntegratorOptions& options, const VecX& x_t0, State& state);

/// The formula of a block as a linear function of its past, which counts positions from the present one: the target is
/// of_prev x_prev + of_v v + of_v_prev v_prev, and the velocity at the end rate x_t1 + rate_prev x_prev + rate_v v.
struct LinearFormula {
  double of_prev = 0.0, of_v = 0.0, of_v_prev = 0.0;
  double rate = 0.0, rate_prev = 0.0, rate_v = 0.0;
};
/// Returns the formula of a block in the step from `state` with this target. Not for Newmark and quasi-static steps.
LinearFormula formula_of(const IntegratorOptions& options, const State& state, const InertialTarget& target, int block);

/// Returns the formula for coordinates of a block, by any method.
InertialFormula inertial_formula(const IntegratorOptions& options, const State& state, const InertialTarget& target,
                                 int block);

/// Advances `state` to the positions x_t1 that minimise the incremental potential of `target`.
void commit(const IntegratorOptions& options, const InertialTarget& target, const VecX& x_t1, State& state);

/// Sets the accelerations at the end of the step from `before` to `after`, as the integrator has them. Blocks that were
/// hit have those of implicit Euler.
void set_accelerations(const IntegratorOptions& options, const State& before, State& after);

}  // namespace clearance
