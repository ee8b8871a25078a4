// The time that a wave takes through the elements of bodies in contact: a force cannot change faster.
#pragma once

#include <map>
#include <string>

#include "clearance/scene/scene.h"

namespace clearance {

struct SceneModel;

/// Returns the time [s] for each probe of a contact of a deformable body, by the name of the probe: the mean length of
/// the elements' edges over the speed of waves in a bar and the order. Of two bodies the longer time counts.
std::map<std::string, double> find_wave_times(const SceneDesc& desc, const SceneModel& scene);

}  // namespace clearance
