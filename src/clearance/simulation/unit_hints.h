// Sizes and masses that tell of millimetres read as metres, densities of g/cm^3 and moduli of MPa.
#pragma once

#include "clearance/simulation/hint.h"
#include "clearance/simulation/scene_model.h"

namespace clearance {

/// Bodies that are no obstacles and are above 1 km or below 0.01 mm, of a file without `units` above 100 m or below
/// 0.1 mm, or above 1e7 kg under gravity; a given mass of a stiff 3D body
/// that no material has in its volume; and a body beside another one a thousand times as large. Densities below 25
/// kg/m^3 of stiff 3D bodies without `mass`, and of deformable ones that carry sound faster than 700 m/s; deformable
/// bodies above 2000 kg/m^3 that carry it at 3 to 7 m/s.
void warn_of_units(const SceneDesc& desc, const SceneModel& scene, Issues& hints);

}  // namespace clearance
