// Directions of jointed bodies, corrected so that they follow the arcs of the joints.
//
// Newton's direction closes the gaps of joints to first order in how far bodies turn. What is left is of second order,
// and joints are so stiff that it decides how far a line search goes (the Maratos effect). A second-order correction
// [Noc06, sec. 18.3] takes it out: the forces of the gaps beyond those of the linear system are solved for with the
// factor at hand, again and again, as the forces change with the correction.
#pragma once

#include <optional>
#include <vector>

#include "clearance/model/joint_gaps.h"
#include "clearance/solver/newton_system.h"

namespace clearance {

template <int dim>
class JointCorrection {
 public:
  JointCorrection(const StepInputs<dim>& in, const StepProblem<dim>& problem, NewtonSystem<dim>& newton);

  bool has_joints() const { return !gaps_.empty(); }
  /// Returns a direction whose end, bent (LocalCoordinates::bent), has the gaps that `dy` has in the linear system.
  /// `dy` is a part of the last direction that was solved for, at its iterate. No value without joints or a factor, or
  /// if bodies turn too far for a correction.
  std::optional<VecX> corrected(const VecX& x, const VecX& dy) const;

 private:
  const StepInputs<dim>& in_;
  const StepProblem<dim>& problem_;
  NewtonSystem<dim>& newton_;
  std::vector<const JointGaps*> gaps_;
  long iterations_t0_;  // of linear solvers, before the step
};

}  // namespace clearance
