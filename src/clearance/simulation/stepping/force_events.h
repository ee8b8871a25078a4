// Forces that begin or end to act between two steps, and velocities that jump.
#pragma once

#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// Lets the integrator start anew for the bodies on which a load, an attachment or a spring begins or ends to act at
/// the start of the step, or on which a program applies forces in it: differences of the past know nothing of the
/// change, and velocities would stay half a step of it behind. Velocities would also swing about a prescribed one that
/// jumps (velocity_jumps.h): what a link pulls at once would be pulled twice as fast, and pushed back in the next step.
void forget_past_at_events(const SceneDesc& desc, const SceneModel& scene, State& state);

/// Lets the integrator start anew after a step in which a program has applied forces, as these end with it: BDF2 would
/// carry on their change of the velocity, and a push of one step would have one and a half times its impulse.
void forget_past_of_applied_forces(const SceneModel& scene, State& state);

}  // namespace clearance
