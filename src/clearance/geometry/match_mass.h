// Densities of the elements of a coarse mesh that give it the mass, the centre of mass and the moments of inertia of
// the body that it represents, so that it balances and tumbles alike [Fer23, fig. 5.12].
//
// Among all densities rho_e >= min_density that match, the result minimises the sum over elements of V_e (rho_e -
// mean)^2. This is a quadratic programme with at most ten equalities. Its solution is rho = max(min_density, p(x)),
// where p is a polynomial of the moments' degree (averaged over the element), the same for any fineness of the mesh.
#pragma once

#include <optional>
#include <vector>

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// The moments to be matched. Each value includes the ones before it.
enum class MassMoments { mass, center, inertia };

struct MassMatch {
  std::vector<double> densities;  ///< [kg/m^3], 2D: [kg/m^2]
  MassProperties reached;         ///< properties of the mesh with these densities: measure is mass [kg]
  /// The first moment that no densities can match. `reached` then matches the moments before it, and is as near to this
  /// one as possible by the sum of the squares of its components; later moments do not count. Absent if all match.
  std::optional<MassMoments> unmatched;
};

/// Finds the densities. `elements` holds at least one element, of unit density and positive measure. The measure of
/// `target` is its mass [kg] >= 0. In 2D (dim 2), the inertia is the one about z, one number. `min_density` >= 0.
MassMatch match_mass(int dim, const std::vector<MassProperties>& elements, const MassProperties& target,
                     MassMoments moments, double min_density);

}  // namespace clearance
