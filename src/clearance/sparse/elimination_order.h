// Fill-reducing orders and partitions of the blocks of a symmetric matrix.
#pragma once

#include <vector>

#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

/// Returns the blocks in their order of elimination by approximate minimum degree; empty if memory runs out. It is ten
/// times faster than nested dissection and as good for thin bodies and small systems.
std::vector<int> compute_amd_order(const BlockSparseMatrix& matrix);
/// Returns the blocks in their order of elimination by nested dissection (METIS); empty if memory runs out. It saves a
/// third to two thirds of the operations of minimum degree for thick bodies.
std::vector<int> compute_dissection_order(const BlockSparseMatrix& matrix);

/// Cuts the blocks into patches of about `blocks_per_patch` neighbours, through weak couplings rather than strong ones.
/// `strengths` has one number per stored block. Returns the patch of every block; no patch is empty.
std::vector<int> compute_partition(const BlockSparseMatrix& matrix, const std::vector<double>& strengths,
                                   int blocks_per_patch);

}  // namespace clearance
