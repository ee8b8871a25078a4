// Exact test of whether a simplex has positive volume.
#pragma once

#include <array>

#include "clearance/math/predicates.h"

namespace clearance {

template <int dim>
bool is_positive(const std::array<Vec<dim>, dim + 1>& x) {
  if constexpr (dim == 2) {
    return orient2d(x[0], x[1], x[2]) > 0;
  } else {
    return orient3d(x[0], x[1], x[2], x[3]) > 0;
  }
}

}  // namespace clearance
