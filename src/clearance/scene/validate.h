// Validation of a scene: every value must be in its range and agree with the others. Needs no files.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Returns every problem of the scene; `place` is a path such as `bodies[2].material.density`. Warnings do not stop a
/// run.
Issues validate(const SceneDesc& scene);

/// Gives every unnamed body a unique name: the mesh's file name without extension or the kind of the generator,
/// followed by a number if that name is taken; `body 3` if it has neither.
void name_bodies(SceneDesc& scene);

/// Returns the number of time steps: ceil(duration / step), where a quotient within rounding of a whole number counts
/// as that number. Returns 0 for invalid numbers, and at most the largest int.
int num_steps(const TimeDesc& time);

}  // namespace clearance
