// Assembles the local Hessians of many small stencils (elements, contacts) into a BlockSparseMatrix, in place and in a
// fixed order: the same bits for any number of threads, without triplets or hash maps.
//
// Each stencil touches any number of blocks of unknowns. Its local Hessian is given as the blocks of its lower triangle
// in the order (0,0) (1,0) (1,1) (2,0) (2,1) (2,2) (3,0) ..., each dim x dim, column-major: block (a, b) is d2E/dx_a
// dx_b. If the global order of nodes a and b is the opposite, the assembler transposes the block.
//
// Local Hessians of large stencils need not exist all at once (an element of 35 nodes has 630 blocks): the assembler
// cuts the stencils into batches, which are computed and added one after the other.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

/// Returns the number of blocks in the lower triangle of a stencil of `num_nodes` nodes.
constexpr int num_stencil_blocks(int num_nodes) {
  return num_nodes * (num_nodes + 1) / 2;
}

/// A range of consecutive stencils.
struct StencilRange {
  int begin = 0, end = 0;
};

/// The blocks of unknowns that stencils depend on; no stencil contains a block twice. The local Hessian of stencil s
/// has num_stencil_blocks(its nodes) blocks from block first_local_block[s] on.
struct StencilList {
  std::vector<int> nodes;                             ///< of all stencils, one after the other
  std::vector<int> first_node = {0};                  ///< per stencil, into nodes, and one past the last
  std::vector<std::int64_t> first_local_block = {0};  ///< per stencil, and one past the last

  int count() const { return static_cast<int>(first_node.size()) - 1; }
  std::span<const int> nodes_of(int s) const {
    return {nodes.data() + first_node[s], nodes.data() + first_node[s + 1]};
  }
  void add(std::span<const int> stencil);
  /// Returns the stencils of a range with a block in the part (1 in `part`), in order; all of them if the part is
  /// empty.
  std::vector<int> within(const std::vector<char>& part, StencilRange range) const;
};

class BlockAssembler {
 public:
  BlockAssembler() = default;
  /// Finds the matrix blocks that the stencils touch and, for each, the local blocks that sum into it. A batch has at
  /// most `max_local_blocks` blocks, but at least one stencil.
  explicit BlockAssembler(const StencilList& stencils,
                          std::int64_t max_local_blocks = std::numeric_limits<std::int64_t>::max());

  /// Returns the sorted and unique keys of all touched blocks.
  const std::vector<BlockKey>& keys() const { return plan_->keys; }
  int num_batches() const { return static_cast<int>(plan_->batches.size()); }
  StencilRange stencils_of(int batch) const { return plan_->batches[batch].stencils; }

  /// Looks up where the blocks are stored in `matrix`, unless it did so for this pattern last; returns false if one is
  /// missing.
  [[nodiscard]] bool bind(const BlockSparseMatrix& matrix);

  /// Lets `add_to` add only the blocks whose row and column are both in the part (Potential::restrict_to). An empty
  /// part removes the restriction. Ignored if there are several batches.
  void restrict_to(const std::vector<char>& part);
  /// Adds scale * sum of the local Hessians of a batch, which follow each other in `locals`.
  template <int dim>
  void add_to(BlockSparseMatrix& matrix, std::span<const double> locals, double scale, int batch = 0) const;

  /// Returns for each key the sum of the factors of its local blocks, which follow each other in `locals`. For stencils
  /// whose local blocks are all multiples of the identity; there must be at most one batch.
  std::vector<double> sum_factors(std::span<const double> locals) const;
  /// Adds scale * `sums` times the identity to the block of each key.
  template <int dim>
  void add_identities(BlockSparseMatrix& matrix, std::span<const double> sums, double scale) const;

 private:
  struct Batch {
    StencilRange stencils;
    std::vector<std::int32_t> keys;                  // touched keys, as numbers in Plan::keys; empty: all, in order
    std::vector<std::int64_t> contribution_offsets;  // per touched key, into contributions
    // 2 (number of the local block in the batch) + is_transposed; 214 million stencils of four nodes fit
    std::vector<std::uint32_t> contributions;
  };
  /// The data that depends on the stencils alone; shared by copies.
  struct Plan {
    std::vector<BlockKey> keys;
    std::vector<Batch> batches;
  };
  template <int dim>
  void add_block(BlockSparseMatrix& matrix, std::span<const double> locals, double scale, const Batch& batch,
                 int k) const;
  static Batch make_batch(const StencilList& stencils, StencilRange range, std::vector<BlockKey>& keys);

  std::shared_ptr<const Plan> plan_ = std::make_shared<const Plan>();
  std::vector<std::int64_t> slots_;  // per key, after bind()
  std::vector<int> strides_;
  std::uint64_t bound_pattern_ = 0;  // 0: none
  bool is_restricted_ = false;
  std::vector<int> active_keys_;  // numbers in keys(), if restricted
};

}  // namespace clearance
