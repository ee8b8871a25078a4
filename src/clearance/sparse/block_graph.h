// The graph of blocks of a matrix in the form that CHOLMOD reads: one row and column per block instead of `dim`, which
// makes ordering and symbolic factorisation dim^2 times cheaper.
#pragma once

#include <cholmod.h>

#include <vector>

#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

/// CHOLMOD's settings and work space; silent.
class CholmodCommon {
 public:
  CholmodCommon() {
    cholmod_l_start(&common_);
    common_.print = 0;
    common_.error_handler = nullptr;
  }
  ~CholmodCommon() { cholmod_l_finish(&common_); }
  CholmodCommon(const CholmodCommon&) = delete;
  CholmodCommon& operator=(const CholmodCommon&) = delete;
  cholmod_common* get() { return &common_; }

 private:
  cholmod_common common_{};
};

/// The lower triangle of the pattern of blocks.
class BlockGraph {
 public:
  explicit BlockGraph(const BlockSparseMatrix& matrix);
  cholmod_sparse* get() { return &view_; }

 private:
  std::vector<SuiteSparse_long> starts_;
  std::vector<SuiteSparse_long> rows_;
  cholmod_sparse view_{};
};

}  // namespace clearance
