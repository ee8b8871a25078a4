// The strain of stiff bodies.
#pragma once

#include <vector>

#include "clearance/math/types.h"

namespace clearance {

struct Model;

/// Largest strain of a body that counts as stiff.
inline constexpr double stiff_strain_limit = 1e-3;

/// The strain of the stiff body with the largest strain.
struct StiffStrain {
  double strain = 0.0;  ///< largest absolute principal Green strain; 0 if none is above stiff_strain_limit
  int body = -1;
};

/// Returns the largest strain at the unknowns x. Ignores stiff bodies whose centre is one of the blocks `without`,
/// which are ascending.
template <int dim>
StiffStrain find_stiff_strain(const Model& model, const VecX& x, const std::vector<int>& without = {});

extern template StiffStrain find_stiff_strain<2>(const Model&, const VecX&, const std::vector<int>&);
extern template StiffStrain find_stiff_strain<3>(const Model&, const VecX&, const std::vector<int>&);

}  // namespace clearance
