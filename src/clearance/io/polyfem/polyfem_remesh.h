// `space.remesh` of a PolyFEM scene: elements that adapt within a step.
#pragma once

#include "clearance/scene/foreign_object.h"
#include "clearance/scene/scene.h"

namespace clearance {

/// Sets `remesh` of the scene, if it is enabled there. Their tolerances are energies [J], as ours: PolyFEM multiplies
/// them by what it multiplies potentials by (h^2 for implicit Euler), and so do tables of [Fer23, ch. 6] (in J s^2).
void read_polyfem_remesh(const ForeignObject& root, SceneDesc& scene);

}  // namespace clearance
