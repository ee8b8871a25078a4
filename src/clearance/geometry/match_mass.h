// Densities of the elements of a coarse mesh that give it the mass, the centre of mass and the moments of inertia of
// the body that it stands for, so that it balances and tumbles alike [Fer23, fig. 5.12].
//
// Of all densities rho_e >= min_density that do, those with the least sum over elements of V_e (rho_e - mean)^2: a
// quadratic programme with at most ten equalities. Its solution is rho = max(min_density, p(x)), where p is a
// polynomial of the moments' degree (averaged over the element), the same for any fineness of the mesh.
#pragma once

#include <optional>
#include <vector>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// What is to be matched; each includes those before.
enum class MassMoments { mass, center, inertia };

struct MassMatch {
  std::vector<double> densities;  ///< [kg/m^3], 2D: [kg/m^2]
  MassProperties reached;         ///< of the mesh with these densities: measure is mass [kg]
  /// The first that no densities can match: `reached` is as near to it as can be while those before are matched, by the
  /// sum of the squares of its components; those after it do not count. Absent: all match.
  std::optional<MassMoments> unmatched;
};

/// `elements`: of unit density and positive measure; at least one. `target`: measure is mass [kg] >= 0. In 2D (dim 2)
/// inertia is that about z, one number. `min_density` >= 0.
MassMatch match_mass(int dim, const std::vector<MassProperties>& elements, const MassProperties& target,
                     MassMoments moments, double min_density);

}  // namespace clearance
