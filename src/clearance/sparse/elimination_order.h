// Fill-reducing orders of the blocks of a symmetric matrix.
#pragma once

#include <vector>

#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

/// Both return the blocks in the order in which to eliminate them; empty if memory runs out.
/// Approximate minimum degree: ten times faster than nested dissection and as good for thin bodies and small systems.
std::vector<int> compute_amd_order(const BlockSparseMatrix& matrix);
/// Nested dissection by METIS: a third to two thirds fewer operations than minimum degree for thick bodies.
std::vector<int> compute_dissection_order(const BlockSparseMatrix& matrix);

}  // namespace clearance
