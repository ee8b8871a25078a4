// Warnings about sizes and masses that suggest millimetres read as metres, densities in g/cm^3 and moduli in MPa.
#pragma once

#include "clearance/simulation/build/scene_model.h"
#include "clearance/simulation/load/hint.h"

namespace clearance {

/// Warns of the following bodies that are no obstacles:
/// - bodies above 1 km or below 0.01 mm, and bodies from a file without `units` above 100 m (STL: 2 m) or below 0.1 mm;
/// - bodies above 1e7 kg under gravity;
/// - stiff 3D bodies with a given mass that no material has in their volume;
/// - bodies beside another one that is a thousand times as large or a hundred million times as heavy;
/// - stiff 3D bodies without `mass` below 25 kg/m^3, and deformable ones below it that carry sound faster than 700 m/s;
/// - deformable bodies above 2000 kg/m^3 that carry sound at 3 to 7 m/s;
/// - deformable bodies that their own weight crushes;
/// - bodies that move by more than thirty times their size per step;
/// - bodies that are small beside an absolute dhat;
/// - in a scene that names a system of units: densities, moduli and a gravity that look like those of SI.
/// All of these limits are in SI; numbers of the scene are converted for them.
void warn_of_units(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints);

}  // namespace clearance
