// Equilibria that Newton's method alone does not find from the start of a quasi-static step.
#pragma once

#include <optional>
#include <vector>

#include "clearance/scene/scene.h"
#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/stepping/gap_path.h"
#include "clearance/solver/advance.h"

namespace clearance {

/// True if a quasi-static step from `from` [m] has moved something so far, to `to`, that it slides or falls without
/// end. A block on a slope that is steeper than its friction holds counted as balanced after 45 m, where what was left
/// of the forces moved it little beside that.
bool is_carried_away(const SceneModel& scene, const VecX& from, const VecX& to);
/// Makes the report of such a step one without equilibrium.
void note_carried_away(const SceneModel& scene, const VecX& from, const VecX& to, StepReport& report);

/// True if a quasi-static step with this status may have an equilibrium all the same.
bool may_relax(StepStatus status);

/// True if one of the bodies `unheld`, those of find_unheld_bodies, has moved or turned by much from `from` to `to`,
/// the start and the end of a quasi-static step. Newton's method may have led it to another equilibrium than the motion
/// to rest does, since the first lag of friction knows no contact forces: a stack fell over, and balanced on the floor.
bool has_strayed(const SceneModel& scene, const std::vector<int>& unheld, const VecX& from, const VecX& to);

/// Takes the quasi-static step that begins at `state` by way of motion: steps of implicit Euler, each from rest and all
/// under the loads and targets of the end, until the quasi-static step converges from there. Inertia holds bodies while
/// contacts and friction come to bear them: friction is lagged, so that a first Newton iteration without contact forces
/// has none, and a body that only friction holds slides away; and a rigid body that rests on a plane resists no motion
/// along it. `targets` are those of the whole step, `distances` is there if gaps of contacts are narrowed.
///
/// Returns the report of the last step, with the work of all; one with a reason and the status no_equilibrium where
/// bodies move without end. The state is untouched unless that step is converged or stopped; the activation distances
/// of the scene are narrowed as it says, and else not at all.
template <int dim>
StepReport relax(const SceneDesc& desc, SceneModel& scene, const std::optional<ContactDistances>& distances,
                 const PrescribedTargets& targets, const StepHooks& hooks, State& state);

extern template StepReport relax<2>(const SceneDesc&, SceneModel&, const std::optional<ContactDistances>&,
                                    const PrescribedTargets&, const StepHooks&, State&);
extern template StepReport relax<3>(const SceneDesc&, SceneModel&, const std::optional<ContactDistances>&,
                                    const PrescribedTargets&, const StepHooks&, State&);

}  // namespace clearance
