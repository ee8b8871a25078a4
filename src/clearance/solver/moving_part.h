// The part of a scene that still moves.
//
// In dense contact most Newton iterations of a step move little of it: a fold that buckles, an edge that slips off
// another, while everything else stays in balance. Each of them would assemble and factorise everything. Instead, after
// a direction of everything that moved few blocks noticeably, the next directions move only these blocks and their
// neighbours, with everything else held, until they have come to rest. Then a direction of everything follows. That is
// nonlinear elimination [Lan96]: the objective falls in every direction as before. It also saves directions of
// everything, which the strongest nonlinearity alone used to keep short. Convergence is never judged by the directions
// of a part.
#pragma once

#include <vector>

#include "clearance/sparse/block_sparse_matrix.h"

namespace clearance {

template <int dim>
class MovingPart {
 public:
  bool is_everything() const { return blocks_.empty(); }
  /// Blocks of the part in ascending order; empty if the part is everything.
  const std::vector<int>& blocks() const { return blocks_; }
  /// Marks per block: 1 for the blocks of the part; empty if the part is everything.
  const std::vector<char>& marks() const { return marks_; }

  /// Chooses the blocks that move next, after the direction `dy` of the present part. `matrix` defines which blocks are
  /// neighbours. A part whose directions are shorter than `tolerance` [m] has come to rest.
  void choose(const VecX& dy, const BlockSparseMatrix& matrix, double tolerance);
  void choose_everything();

 private:
  std::vector<int> blocks_;
  std::vector<char> marks_;
  int num_everywhere_ = 0;          // directions of everything
  double length_everywhere_ = 0.0;  // [m] of the last of them
  int num_directions_ = 0;          // of parts since then
};

extern template class MovingPart<2>;
extern template class MovingPart<3>;

}  // namespace clearance
