// The loads of a scene as potentials.
#pragma once

#include <memory>

#include "clearance/bodies/fem/load_potential.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// In the step of `h` [s] that ends at `time_t1`.
bool is_acting(const LoadDesc& load, double h, double time_t1);

/// The dead loads of all bodies but torques; null if the scene has none. A load that finds no node or face is a warning
/// in scene.issues. The masses of the model must be known.
std::shared_ptr<LoadPotential> make_loads(const SceneDesc& desc, SceneModel& scene);

/// The pressures on all bodies; likewise.
std::shared_ptr<Potential> make_pressures(const SceneDesc& desc, SceneModel& scene);

/// The torques on all stiff bodies; null if the scene has none.
std::shared_ptr<Potential> make_torques(const SceneDesc& desc, const SceneModel& scene);

}  // namespace clearance
