// The transposed derivative of a step, for derivatives of a run in reverse mode (docs/derivatives.md).
//
// A step maps its start z to its end: g(y; z) = 0 gives the unknowns, and the formulas of the integrator and the memory
// of friction the rest. Of a number L that depends on the end by z_end', its derivative by the start is
//   z' = (dz_end/dz)^T z_end' + (dg/dz)^T lam,   (dg/dy)^T lam = -(dz_end/dy)^T z_end'.
// Inertia enters through the formulas, which are linear in every block, or those of a stiff body of its own; friction
// and what potentials keep of the start (damping) by sparse matrices, and what potentials remember by derivatives of
// their own (smooth_memory.h). Nothing else depends on z.
#pragma once

#include <optional>

#include "clearance/solver/friction_slopes.h"
#include "clearance/solver/step_tangent.h"

namespace clearance {

/// Derivatives of a number by a step.
struct StepCotangent {
  /// By the numbers of the state at the start: those of its members x, v, a, x_prev, v_prev, stick and history; others
  /// are empty.
  State start;
  VecX targets;  ///< by the positions of the prescribed blocks, PrescribedTargets::positions
  VecX motion;   ///< lam, in Newton's unknowns
  VecX end;      ///< by Newton's unknowns at the end, if these were free to move
};

template <int dim>
class StepTranspose {
 public:
  /// `tangent` is that of `step`, prepared or polished.
  StepTranspose(Step<dim>& step, StepTangent<dim>& tangent);

  /// Returns the derivatives of a number that depends on the state at the end by `end`, whose members have the sizes of
  /// that state or none. No value if the derivative of the balance is singular.
  std::optional<StepCotangent> pull_back(const State& end);

 private:
  void add_lagged(const VecX& force, VecX& start);
  void add_history(const State& end, State& start, VecX& of_end);
  void add_remembered(const VecX& force, State& start);

  Step<dim>& step_;
  StepTangent<dim>& tangent_;
  const StepInputs<dim>& in_;
};

extern template class StepTranspose<2>;
extern template class StepTranspose<3>;

}  // namespace clearance
