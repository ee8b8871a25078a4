// Strain, stress and resultants of shells and rods, per cell of the frames.
#pragma once

#include <vector>

#include "clearance/bodies/fem/element_state.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// State of a triangle or a segment of a thin body.
struct ThinState {
  int cell = 0;  ///< of the frames
  /// That of the face of a shell with the larger equivalent stress, per thickness at rest.
  ElementState state;
  /// The largest principal force [N/m] and the principal moment [N m/m] with the largest size of a shell; tension [N],
  /// bending moment and torque [N m] of a rod.
  Vec<3> resultants = Vec<3>::Zero();
};

/// Returns the states of all triangles of shells and segments of rods at the end of a step.
std::vector<ThinState> find_thin_states(const SceneModel& scene, const State& state);

}  // namespace clearance
