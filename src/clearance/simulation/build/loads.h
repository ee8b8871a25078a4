// The loads of a scene as potentials.
#pragma once

#include <memory>

#include "clearance/bodies/fem/load_potential.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance {

/// True if the load acts in the step of `h` [s] that ends at `time_t1`.
bool is_acting(const LoadDesc& load, double h, double time_t1);

/// Makes the dead loads of all bodies, without torques; null if the scene has none. Appends a warning to
/// scene.empty_regions for each load that finds no node or face. The masses of the model must be known.
std::shared_ptr<LoadPotential> make_loads(const SceneDesc& desc, SceneModel& scene);

/// Makes the pressures on all bodies; null if the scene has none. Appends a warning to scene.empty_regions for each
/// pressure that finds no face.
std::shared_ptr<Potential> make_pressures(const SceneDesc& desc, SceneModel& scene);

/// Makes the torques on all stiff bodies; null if the scene has none.
std::shared_ptr<Potential> make_torques(const SceneDesc& desc, const SceneModel& scene);

}  // namespace clearance
