// Motions, attachments and drives of joints whose prescribed velocities jump.
#pragma once

#include <vector>

#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// Sets `found` to 1 for each body of which a motion, an attachment or the drive of a joint prescribes a velocity that
/// jumps in the step from `state` or in one of the two before, whose differences know of it. Velocities jump where a
/// motion begins or ends, where a formula has a kink, between poses, and at the scene's start where a body has another
/// velocity than its motion. Controls that a program sets between steps, and sequences of meshes, are not read for
/// jumps.
///
/// A formula is read at eight times a step. Where it is smooth, its velocity changes by about as much from each of them
/// to the next; at a kink most of the change is at one of them. Poses are read at the ends of the four steps before and
/// after.
void find_velocity_jumps(const SceneDesc& desc, const SceneModel& scene, const State& state, std::vector<char>& found);

}  // namespace clearance
