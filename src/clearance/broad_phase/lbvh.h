// The tree behind make_lbvh, with what its tests and benchmark look at.
#pragma once

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/broad_phase/tree_join.h"

namespace clearance {

/// One tree each over vertices, edges and triangles; leaves of vertices query triangles (2D: edges), edges query edges.
class Lbvh final : public BroadPhase {
 public:
  Lbvh(int dim, const SurfaceTopology& surface);

  Candidates find_candidates(const VecX& x_t0, const VecX& x_t1, double inflation,
                             const std::vector<double>& deviation = {}) override;
  std::vector<std::array<int, 2>> find_intersection_candidates(const VecX& x) override;

  /// Sorts of the edge tree so far; the other queries only refitted it.
  int num_sorts() const { return edges_.num_sorts(); }

 private:
  int dim_;
  PackTree vertices_;
  PackTree edges_;
  PackTree triangles_;
  std::vector<Box> vertex_boxes_;
  PairCollector collector_;
};

}  // namespace clearance
