// Is a scene well-formed? Every value in its range, and values that agree with each other. Needs no files.
#pragma once

#include "clearance/base/result.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Every problem of the scene; `place` is a path such as `bodies[2].material.density`. Warnings do not stop a run.
Issues validate(const SceneDesc& scene);

/// Gives every unnamed body a name of its own: the mesh's file name without extension or the kind of the generator,
/// with a number behind it where that is taken; `body 3` where there is neither.
void name_bodies(SceneDesc& scene);

/// Number of time steps: ceil(duration / step), where a quotient within rounding of a whole number counts as it.
/// 0 if the numbers make no sense; at most the largest int.
int num_steps(const TimeDesc& time);

}  // namespace clearance
