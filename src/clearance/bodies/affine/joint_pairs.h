// The matrix blocks of a joint's Hessian.
#pragma once

#include <cstdint>
#include <vector>

#include "clearance/bodies/affine/joint_link.h"
#include "clearance/sparse/block_sparse_matrix.h"

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

/// Appends the keys of the blocks of some links, in the order of for_each_pair.
template <int dim>
void add_keys(const std::vector<JointLink<dim>>& links, std::vector<BlockKey>& keys) {
  for (const JointLink<dim>& link : links) {
    for_each_pair(link, [&](int, int, int row, int column) { keys.push_back(make_block_key(row, column)); });
  }
}

/// Appends the slots of these blocks in a matrix, in the same order.
template <int dim>
void add_slots(const std::vector<JointLink<dim>>& links, const BlockSparseMatrix& matrix,
               std::vector<std::int64_t>& slots) {
  for (const JointLink<dim>& link : links) {
    for_each_pair(link, [&](int, int, int row, int column) { slots.push_back(matrix.find_slot(row, column)); });
  }
}

}  // namespace clearance
