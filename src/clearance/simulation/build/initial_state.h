// The state that a scene starts from.
#pragma once

#include <vector>

#include "clearance/base/result.h"
#include "clearance/model/model.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/build/unknowns.h"
#include "clearance/simulation/load/body_instance.h"
#include "clearance/solver/prescribed.h"

namespace clearance {

/// Returns the positions [m] of all unknowns at the start: at rest, plus the displacements of bodies that start bent.
VecX start_positions(const std::vector<BodyInstance>& bodies, const Unknowns& unknowns);

/// Makes the state that starts at `x` [m] with the scene's velocities; it has no accelerations yet. Appends to `issues`
/// which formulas of velocities cannot be evaluated.
State make_initial_state(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                         VecX x, Issues& issues);

/// Sets the accelerations with which Newmark's method starts: M a = force, without contact, where the components that
/// `held` prescribes have none. The rates of rigid bodies become rigid.
void set_start_accelerations(const Model& model, const PrescribedTargets& held, State& state);
/// Returns the forces [N] of all potentials at the start, where the unknowns are `x` [m].
VecX start_forces(const Model& model, const VecX& x);
/// Returns M^-1 times forces, before the rates of stiff bodies are made rigid.
VecX accelerations(const Model& model, const PrescribedTargets& held, const VecX& forces);

}  // namespace clearance
