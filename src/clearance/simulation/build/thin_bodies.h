// The shells, rods and particles of a scene.
#pragma once

#include <memory>

#include "clearance/bodies/rod/rod_mesh.h"
#include "clearance/bodies/shell/shell_mesh.h"
#include "clearance/model/model.h"
#include "clearance/scene/controls.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/build/unknowns.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Returns the triangles and edges of all shells, with the clamps of their motions.
ShellMesh collect_shells(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                         const std::shared_ptr<const Controls>& controls);

/// Appends an error for each shell of the model of which triangles are stretched beyond its strain limit at the
/// unknowns x.
void check_strain_limits(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Model& model,
                         const VecX& x, Issues& issues);

/// Returns the segments and joints of all rods, with the clamps of their motions.
RodMesh collect_rods(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                     const std::shared_ptr<const Controls>& controls);

/// Lets friction turn the segments of rods: adds vertices for their angles to the surface map, and
/// Model::segment_turns. Clamped segments turn as their motions say, and not here.
void add_segment_turns(Model& model);

/// Sets the energies that shells and rods with clamps store at the start, because clamps have turned when the account
/// of the first step opens. The other entries of State::stored become NaN: unknown.
void set_stored_by_clamped(const Model& model, State& state);

/// Sets the rates of the rods' angles at the start, which turn with their bodies at `angular_velocity`.
void set_rod_spins(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Model& model, State& state);

/// Adds to `mass` [kg] the particles of a scene, whose diameter is the thickness of their body.
void add_particle_mass(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                       VecX& mass);

}  // namespace clearance
