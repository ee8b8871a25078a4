// A potential that is restricted to a part of the blocks (Potential::restrict_to) beside one that is not.
#pragma once

#include <gtest/gtest.h>

#include "clearance/model/blocks.h"
#include "clearance/model/potential.h"

namespace clearance {

/// Claims that within `part` the restricted potential has the bits of the whole one in its derivatives, that its energy
/// changes alike from x to a place that differs from x in the part alone, and that the restriction can be removed.
inline void expect_same_within(const Potential& potential, const std::vector<char>& part, const VecX& x) {
  const auto num_blocks = static_cast<int>(part.size());
  VecX moved = x;
  for (int b = 0; b < num_blocks; ++b) {
    if (part[b] != 0) block<3>(moved, b) += 1e-3 * Vec<3>(1.0, -0.5, 0.25);
  }
  const auto whole = potential.clone(), restricted = potential.clone();
  // Numbers that were written for the whole must not be taken for those of the part.
  VecX scratch = VecX::Zero(x.size());
  BlockSparseMatrix other(3, num_blocks, potential.pattern());
  restricted->add_exact_derivatives(moved, 1.0, scratch, other);
  restricted->restrict_to(part);
  for (const bool is_exact : {false, true}) {
    VecX all = VecX::Zero(x.size()), within = all;
    BlockSparseMatrix matrix(3, num_blocks, potential.pattern()), matrix_within(3, num_blocks, potential.pattern());
    if (is_exact) {
      whole->add_exact_derivatives(x, 2.0, all, matrix);
      restricted->add_exact_derivatives(x, 2.0, within, matrix_within);
    } else {
      whole->add_derivatives(x, 2.0, all, matrix);
      restricted->add_derivatives(x, 2.0, within, matrix_within);
    }
    for (int b = 0; b < num_blocks; ++b) {
      if (part[b] == 0) continue;
      EXPECT_EQ(block<3>(all, b), block<3>(within, b)) << b;
      for (const int row : matrix.column_rows(b)) {
        if (part[row] == 0) continue;
        const std::size_t at = matrix.find_slot(row, b);
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) {
            const std::size_t entry = at + i * matrix.slot_stride(b) + j;
            EXPECT_EQ(matrix.values()[entry], matrix_within.values()[entry]) << row << ", " << b;
          }
        }
      }
    }
  }
  const double change = whole->energy(moved).value() - whole->energy(x).value();
  EXPECT_NEAR(restricted->energy(moved).value() - restricted->energy(x).value(), change, 1e-12 * std::abs(change));
  EXPECT_LT(restricted->energy(x).value(), whole->energy(x).value());
  restricted->restrict_to({});
  EXPECT_EQ(restricted->energy(x).value(), whole->energy(x).value());
}

}  // namespace clearance
