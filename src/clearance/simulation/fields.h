// The arrays of frames that a scene asks for (output.fields).
#pragma once

#include "clearance/io/mesh/vtu.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// Does any of them need the forces of contacts?
bool needs_forces(const std::vector<OutputField>& fields);

/// Per vertex of frame_mesh, from dim numbers per surface vertex; zero of vertices inside.
std::vector<Vec<3>> vectors_of_vertices(const SceneModel& scene, const VecX& of_surface);

/// What fields are made of. Forces [N] per surface vertex, flat; empty: not known.
struct FieldSource {
  const State& state;
  VecX normal_forces;
  VecX friction_forces;
};

/// Appends the arrays to the frame, each once. Those of forces that are not known are left out.
void add_fields(const SceneModel& scene, const std::vector<OutputField>& fields, const FieldSource& source,
                Frame& frame);

}  // namespace clearance
