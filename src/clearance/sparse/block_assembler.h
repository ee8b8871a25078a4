// Sums the local Hessians of many small stencils (elements, contacts) into a BlockSparseMatrix, in place and in a fixed
// order: the same bits for any number of threads, without triplets or hash maps.
//
// Each stencil touches up to `max_nodes` blocks of unknowns. Its local Hessian is given as the blocks of its lower
// triangle in the order (0,0) (1,0) (1,1) (2,0) (2,1) (2,2) (3,0) ..., each dim x dim, column-major: block (a, b) is
// d2E/dx_a dx_b. Where the global order of nodes a and b is the opposite, the assembler transposes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

inline constexpr int max_stencil_nodes = 4;
inline constexpr int max_stencil_blocks = max_stencil_nodes * (max_stencil_nodes + 1) / 2;

/// The blocks of unknowns a stencil depends on; the first `count` are used. A block may not occur twice.
struct Stencil {
  std::array<int, max_stencil_nodes> nodes{};
  int count = 0;
};

/// Stencils of any size. The local Hessian of stencil s has count (count + 1) / 2 blocks from block
/// first_local_block[s] on.
struct StencilList {
  std::vector<int> nodes;                             ///< of all stencils, one after the other
  std::vector<int> first_node = {0};                  ///< per stencil, into nodes, and one past the last
  std::vector<std::int64_t> first_local_block = {0};  ///< per stencil, and one past the last

  int count() const { return static_cast<int>(first_node.size()) - 1; }
  std::span<const int> nodes_of(int s) const {
    return {nodes.data() + first_node[s], nodes.data() + first_node[s + 1]};
  }
  void add(std::span<const int> stencil);
};

class BlockAssembler {
 public:
  BlockAssembler() = default;
  /// Finds the matrix blocks that the stencils touch and, for each, which local blocks sum into it.
  explicit BlockAssembler(std::span<const Stencil> stencils);
  explicit BlockAssembler(const StencilList& stencils);

  int num_stencils() const { return num_stencils_; }
  /// Sorted and unique keys of all touched blocks.
  const std::vector<BlockKey>& keys() const { return keys_; }

  /// Looks up where the blocks are stored in `matrix`; false if one is missing from its pattern. Needed again whenever
  /// the pattern changes.
  [[nodiscard]] bool bind(const BlockSparseMatrix& matrix);

  /// matrix += scale * sum of local Hessians. `locals` holds max_stencil_blocks * dim * dim numbers a stencil, those of
  /// a StencilList as many as they have blocks.
  template <int dim>
  void add_to(BlockSparseMatrix& matrix, std::span<const double> locals, double scale) const;

 private:
  template <class Stencils>
  void build(const Stencils& stencils);

  int num_stencils_ = 0;
  std::vector<BlockKey> keys_;
  std::vector<std::int64_t> contribution_offsets_;  // per key, into contributions_
  // 2 (number of the local block) + is_transposed; 214 million stencils of four nodes fit
  std::vector<std::uint32_t> contributions_;
  std::vector<std::int64_t> slots_;  // per key, after bind()
  std::vector<int> strides_;
};

}  // namespace clearance
