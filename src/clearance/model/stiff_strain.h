// How far stiff bodies are from keeping their shape.
#pragma once

#include <vector>

#include "clearance/math/types.h"

namespace clearance {

struct Model;

/// What a stiff body may be strained by to count as one.
inline constexpr double stiff_strain_limit = 1e-3;

/// Of the stiff body that is strained most.
struct StiffStrain {
  double strain = 0.0;  ///< largest principal strain, Green's, without its sign; 0: none is above stiff_strain_limit
  int body = -1;
};

/// At the unknowns x; stiff bodies whose centre is one of the blocks `without`, ascending, do not count.
template <int dim>
StiffStrain find_stiff_strain(const Model& model, const VecX& x, const std::vector<int>& without = {});

extern template StiffStrain find_stiff_strain<2>(const Model&, const VecX&, const std::vector<int>&);
extern template StiffStrain find_stiff_strain<3>(const Model&, const VecX&, const std::vector<int>&);

}  // namespace clearance
