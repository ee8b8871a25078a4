// The arrays of frames that a scene asks for (output.fields).
#pragma once

#include "clearance/io/mesh/vtu.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// True if any of the fields needs the forces of contacts.
bool needs_forces(const std::vector<OutputField>& fields);

/// Returns a vector per vertex of frames, from dim numbers per surface vertex; zero for vertices that are not on
/// the surface.
std::vector<Vec<3>> vectors_of_vertices(const SceneModel& scene, const VecX& of_surface);

/// Data that fields are computed from. Forces [N] are per surface vertex, flat; empty if they are not known.
struct FieldSource {
  const State& state;
  VecX normal_forces;
  VecX friction_forces;
};

/// Appends the arrays to the frame, each once. Leaves out fields whose forces are not known.
void add_fields(const SceneModel& scene, const std::vector<OutputField>& fields, const FieldSource& source,
                Frame& frame);

}  // namespace clearance
