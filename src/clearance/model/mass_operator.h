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
  /// Returns a copy for a workspace, like Potential::clone.
  virtual std::unique_ptr<MassOperator> clone() const = 0;
  /// From now on multiplies the mass of every body by a factor, given for each of its blocks; empty means 1.
  virtual void set_factors(const std::vector<double>& of_blocks) = 0;
  /// Returns the sorted, unique keys of the blocks that M touches.
  virtual const std::vector<BlockKey>& keys() const = 0;
  /// Returns 1/2 d^T M d.
  virtual CompensatedSum energy(const VecX& d) const = 0;
  /// Adds scale * M d to `result`.
  virtual void add_product(const VecX& d, double scale, VecX& result) const = 0;
  /// Adds scale * M to `matrix`.
  virtual void add_to(double scale, BlockSparseMatrix& matrix) = 0;
};

}  // namespace clearance
