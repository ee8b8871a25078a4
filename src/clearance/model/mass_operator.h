// A mass matrix that couples blocks: the consistent mass of finite elements.
#pragma once

#include <memory>
#include <vector>

#include "clearance/base/parallel.h"
#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

class MassOperator {
 public:
  virtual ~MassOperator() = default;
  /// A copy for a workspace, like Potential::clone.
  virtual std::unique_ptr<MassOperator> clone() const = 0;
  /// From here on M is that of every body times a factor, given for all of its blocks; empty: 1.
  virtual void set_factors(const std::vector<double>& of_blocks) = 0;
  /// Sorted, unique keys of the blocks that M touches.
  virtual const std::vector<BlockKey>& keys() const = 0;
  /// 1/2 d^T M d
  virtual CompensatedSum energy(const VecX& d) const = 0;
  /// result += scale * M d
  virtual void add_product(const VecX& d, double scale, VecX& result) const = 0;
  /// matrix += scale * M
  virtual void add_to(double scale, BlockSparseMatrix& matrix) = 0;
};

}  // namespace clearance
