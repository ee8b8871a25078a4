// Largest values of the given loads of a scene.
#pragma once

#include "clearance/scene/controls.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Returns the largest magnitude of each component of a load's value at times spread over the run, at the middle of the
/// body. A formula that cannot be evaluated there counts as zero; the run will report it.
Vec<3> largest_value(const LoadDesc& load, const BodyInstance& body, double duration, const Controls& controls);

/// Returns the largest magnitude of a pressure [Pa] at times spread over the run.
double largest_pressure(const LoadDesc& load, double duration, const Controls& controls);

}  // namespace clearance
