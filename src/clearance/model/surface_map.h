// How surface vertices follow from the unknowns.
#pragma once

#include <span>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// Surface vertex i is at sum_j weight_ij * x[block_ij]: the operator Phi of the high-order paper, J of the affine
/// paper. Exact for FEM of any order and for affine bodies (blocks: translation and columns of A, weights [1, x_rest]).
/// Rigid bodies are maps of the same form whose unknowns move on curves (LocalCoordinates).
class SurfaceMap {
 public:
  struct Term {
    int block;
    double weight;
  };

  explicit SurfaceMap(int dim) : dim_(dim) {}

  /// Appends a surface vertex that coincides with one block of unknowns.
  void add_vertex(int block);
  /// Appends a surface vertex that is a weighted sum of blocks.
  void add_vertex(std::span<const Term> terms);

  int dim() const { return dim_; }
  int num_vertices() const { return static_cast<int>(offsets_.size()) - 1; }
  std::span<const Term> terms(int vertex) const {
    return {terms_.data() + offsets_[vertex], terms_.data() + offsets_[vertex + 1]};
  }
  /// True if every vertex is one block with weight 1, so that local derivatives need no pull-back.
  bool is_selection() const { return is_selection_; }

  /// World positions of all surface vertices, flat, from the unknowns x.
  VecX apply(const VecX& x) const;
  /// gradient += J^T surface_gradient
  void add_transposed(const VecX& surface_gradient, VecX& gradient) const;

 private:
  int dim_;
  bool is_selection_ = true;
  std::vector<int> offsets_ = {0};
  std::vector<Term> terms_;
};

}  // namespace clearance
