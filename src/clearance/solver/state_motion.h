// How the formulas of the time integrator move a state from the start of a step to its end.
#pragma once

#include <optional>

#include "clearance/solver/prescribed.h"
#include "clearance/solver/time_integrator.h"

namespace clearance {

/// Returns the target of a step from `state`. `marks` are those of restarted BDF2; other methods have none.
template <int dim>
InertialTarget target_of(const Model& model, const IntegratorOptions& options, const State& state,
                         const std::optional<RestartMarks>& marks);

/// Advances `state` to the unknowns x_t1 [m]: positions, velocities and accelerations of the integrator, corrected for
/// stiff bodies and prescribed nodes.
template <int dim>
void move_state(const Model& model, const IntegratorOptions& options, const PrescribedTargets& targets,
                const InertialTarget& target, const VecX& x_t1, State& state);

extern template InertialTarget target_of<2>(const Model&, const IntegratorOptions&, const State&,
                                            const std::optional<RestartMarks>&);
extern template InertialTarget target_of<3>(const Model&, const IntegratorOptions&, const State&,
                                            const std::optional<RestartMarks>&);
extern template void move_state<2>(const Model&, const IntegratorOptions&, const PrescribedTargets&,
                                   const InertialTarget&, const VecX&, State&);
extern template void move_state<3>(const Model&, const IntegratorOptions&, const PrescribedTargets&,
                                   const InertialTarget&, const VecX&, State&);

}  // namespace clearance
