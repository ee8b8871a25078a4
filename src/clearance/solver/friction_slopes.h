// How the friction of a step, and what its contacts remember of sticking, follow from where the step starts and ends.
//
// Friction that agrees with the contact forces at the end is no gradient of an energy, and its derivative is not
// symmetric: derivatives of a run in reverse mode need it as a matrix, to transpose it.
#pragma once

#include "clearance/solver/sparse_slopes.h"
#include "clearance/solver/step.h"

namespace clearance {

/// Rows: the gradient of friction in the unknowns x, times the scale of the objective, or the sticking at the end,
/// three numbers a vertex of the list. Columns: the unknowns at the end or the start, or the sticking at the start.
/// All are empty matrices where nothing has friction.
struct FrictionSlopes {
  VecX gradient;                   ///< of friction at the end
  std::vector<StickVertex> stick;  ///< at the end
  SparseMatrix force_by_end, force_by_start, force_by_stick;
  SparseMatrix stick_by_end, stick_by_start, stick_by_stick;

  bool is_empty() const { return gradient.size() == 0; }
};

/// Returns the displacements of a list, three numbers a vertex of `like`; zero for vertices that it has not.
VecX displacements(const std::vector<StickVertex>& list, const std::vector<StickVertex>& like);

/// Returns the slopes at the end of `step`.
template <int dim>
FrictionSlopes find_friction_slopes(const StepInputs<dim>& in, const Step<dim>& step);

extern template FrictionSlopes find_friction_slopes<2>(const StepInputs<2>&, const Step<2>&);
extern template FrictionSlopes find_friction_slopes<3>(const StepInputs<3>&, const Step<3>&);

}  // namespace clearance
