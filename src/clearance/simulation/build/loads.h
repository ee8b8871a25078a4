// The loads of a scene as potentials.
#pragma once

#include <memory>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/model/potential.h"
#include "clearance/scene/controls.h"
#include "clearance/scene/scene.h"
#include "clearance/simulation/build/body_terms.h"
#include "clearance/simulation/build/unknowns.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// True if the load acts in the step of `h` [s] that ends at `time_t1`.
bool is_acting(const LoadDesc& load, double h, double time_t1);

/// Makes the potentials of dead loads, of pressures and of torques on stiff bodies, those that the scene has. Appends a
/// warning to `idle` for each load that finds no node or face.
std::vector<std::shared_ptr<const Potential>> make_loads(const SceneDesc& desc, const std::vector<BodyInstance>& bodies,
                                                         const Unknowns& unknowns, const BodyTerms& terms,
                                                         const std::shared_ptr<const Controls>& controls, Issues& idle);

}  // namespace clearance
