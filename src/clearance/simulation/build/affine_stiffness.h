// Default stiffness of affine bodies and stiff parts: high enough that strains stay invisible, and low enough that
// rounding does not hide the inertia beside it.
#pragma once

#include <vector>

#include "clearance/simulation/build/stiff_unit.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// Sets StiffUnit::stiffness, kappa [Pa] of [Lan22, eq. 6], of every unit that has none:
///
///   kappa = max(rho c^2, rho R^2 / (8 e_i h^2), F R / (16 e_l V), 10 E), at most 1e11 rho R^2 / h^2
///
/// with the body's mean density rho (its mass over its volume V), its radius R, the time step h, c = 10 km/s,
/// e_i = 1e-4 and e_l = 1e-5. A body with this kappa has the elastic modulus 8 kappa.
///
/// - rho c^2: 1e11 Pa at 1000 kg/m^3. This term is proportional to the mass, so that bodies of any mass move alike.
/// - rho R^2 / (8 e_i h^2): an impact that stops a body within one step in which it would move by its own radius
///   strains it by e_i.
/// - F R / (16 e_l V): the force F [N], the sum of the weights of all bodies and of the given loads, strains it by e_l.
/// - 10 E: the body is eighty times as stiff as the stiffest deformable body that it may press on, of Young's modulus
///   E.
/// - The upper bound keeps five digits for the inertia of the body beside the stiffness.
///
/// The second term and the bound do not apply to quasi-static scenes, because their step is no time.
void choose_stiffness(const SceneDesc& scene, const std::vector<BodyInstance>& bodies, std::vector<StiffUnit>& units);

/// Returns the sum of the weights of all bodies and of the given loads [N], each at its largest. `thin_masses` [kg] per
/// body: of shells, rods and particles; 0 for others.
double sum_of_loads(const SceneDesc& scene, const std::vector<BodyInstance>& bodies,
                    const std::vector<StiffUnit>& units, std::vector<double> thin_masses);

}  // namespace clearance
