// How the rebounds at the end of a step (rebound.h) follow from where and how fast bodies start and end it.
//
// The impulses of a step are a small problem of their own, with few bodies in each island of contacts. Their
// derivatives are differences of it: islands are changed at the same time, contacts and their order are held.
#pragma once

#include "clearance/solver/sparse_slopes.h"
#include "clearance/solver/step_tangent.h"

namespace clearance {

template <int dim>
class ReboundSlopes {
 public:
  /// The tangent says how far differences reach.
  ReboundSlopes(const StepInputs<dim>& in, const Step<dim>& step, const StepTangent<dim>& tangent);
  /// True if nothing has hit anything in the step.
  bool is_empty() const { return bodies_.empty(); }
  /// Replaces the derivatives `of_v` by the velocities after the rebounds by those by the velocities before them, and
  /// adds those by the state at the start and by the end.
  void pull_back(VecX& of_v, State& start, VecX& of_end) const;
  /// Replaces the change `dv` of the velocities before the rebounds by that of the velocities after them, with the
  /// changes of the state at the start and of the end.
  void push_forward(const State& start, const VecX& dx_end, VecX& dv) const;

 private:
  VecX velocities(const State& from, const VecX& x_t1, const VecX& v_t1, bool has_moved) const;
  SlopePattern pattern(const std::vector<int>& islands) const;

  const StepInputs<dim>& in_;
  const Step<dim>& step_;
  VecX v_t1_, forces_t0_;
  std::vector<int> bodies_;  // first blocks of the bodies in islands with an impact
  SparseMatrix by_x_t0_, by_v_t0_, by_x_t1_, by_v_t1_;
};

extern template class ReboundSlopes<2>;
extern template class ReboundSlopes<3>;

}  // namespace clearance
