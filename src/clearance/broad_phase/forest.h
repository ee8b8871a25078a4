// The trees behind make_broad_phase, with the numbers that its tests and benchmark read.
#pragma once

#include <optional>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/broad_phase/near_bodies.h"
#include "clearance/broad_phase/tree_join.h"

namespace clearance {

/// One tree each over the vertices, edges and triangles of every body, and one over the bodies: pairs of bodies first,
/// primitives of near bodies only.
class Forest final : public BroadPhase {
 public:
  Forest(int dim, const SurfaceTopology& surface);

  Candidates find_candidates(const VecX& x_t0, const VecX& x_t1, double inflation,
                             const std::vector<double>& deviation = {}) override;
  std::vector<std::array<int, 2>> find_intersection_candidates(const VecX& x) override;

  // The two halves of a query.
  /// Finds near bodies.
  void prepare(const VertexBoxes& boxes) { near_.find(boxes); }
  const NearBodies& near() const { return near_; }
  /// Finds the pairs of find_candidates, or of find_intersection_candidates, among the near bodies.
  Candidates find_prepared();
  std::vector<std::array<int, 2>> find_prepared_intersections();

  /// Returns how often the edge tree that was sorted most has been sorted; the other queries only refitted it.
  int num_sorts() const;

 private:
  template <class... Trees>
  void update_trees(Trees&... trees);
  template <int first_arity, int second_arity>
  std::optional<std::vector<std::array<int, 2>>> join(const PackTrees<first_arity>& first,
                                                      const PackTrees<second_arity>& second, std::size_t most_pairs);
  template <int first_arity, int second_arity>
  void join_into(Candidates& candidates, std::vector<std::array<int, 2>>& pairs, const PackTrees<first_arity>& first,
                 const PackTrees<second_arity>& second);
  void join_lone_primitives(Candidates& candidates);

  int dim_;
  NearBodies near_;
  PackTrees<1> vertices_;
  PackTrees<2> edges_;
  PackTrees<3> triangles_;
  LonePrimitives lone_;
  PackTrees<1> lone_vertices_;
  PackTrees<2> lone_edges_;  // 3D
  PairCollector collector_;
};

}  // namespace clearance
