// The matrix blocks of a joint's Hessian.
#pragma once

#include "clearance/bodies/affine/joint_link.h"

namespace clearance {

/// Calls visit(k, l, row, column) for the pairs k >= l of blocks of a link that are unknowns. The block (row, column)
/// of a matrix is that of (k, l), or that of (l, k) if the second body comes first.
template <int dim, class Visit>
void for_each_pair(const JointLink<dim>& link, const Visit& visit) {
  for (int k = 0; k < JointLink<dim>::num_blocks; ++k) {
    for (int l = 0; l <= k; ++l) {
      const int a = link.block_of(k), b = link.block_of(l);
      if (a < 0 || b < 0) continue;
      if (a >= b) {
        visit(k, l, a, b);
      } else {
        visit(l, k, b, a);
      }
    }
  }
}

}  // namespace clearance
