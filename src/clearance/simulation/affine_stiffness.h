// How hard affine bodies and stiff parts resist deformation where the scene does not say: hard enough that nobody sees
// a strain, and not so hard that rounding hides the inertia beside it.
#pragma once

#include <vector>

#include "clearance/simulation/body_instance.h"
#include "clearance/simulation/stiff_units.h"

namespace clearance {

/// Sets StiffUnit::stiffness, kappa [Pa] of [Lan22, eq. 6], of every unit that has none:
///
///   kappa = max(rho c^2, rho R^2 / (8 e_i h^2), F R / (16 e_l V), 10 E), at most 1e11 rho R^2 / h^2
///
/// with the body's mean density rho (of its mass, over its volume V), its radius R, the time step h, c = 10 km/s,
/// e_i = 1e-4 and e_l = 1e-5. A body of kappa has the elastic modulus 8 kappa.
///
/// - rho c^2: 1e11 Pa at 1000 kg/m^3. It is in proportion to the mass, so that bodies of any mass move alike.
/// - rho R^2 / (8 e_i h^2): an impact that ends the motion of a body by its own radius within one step strains it by
///   e_i.
/// - F R / (16 e_l V): F [N], the weight of all bodies together and the given loads, strains it by e_l.
/// - 10 E: eighty times as stiff as the stiffest deformable body that it may press on, of Young's modulus E.
/// - The bound leaves the inertia of the body five digits beside the stiffness.
///
/// Quasi-static scenes have neither the second term nor the bound, because their step is no time.
void choose_stiffness(const SceneDesc& scene, const std::vector<BodyInstance>& bodies, std::vector<StiffUnit>& units);

}  // namespace clearance
