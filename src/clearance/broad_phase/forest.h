// The trees behind make_broad_phase, with the numbers that its tests and benchmark read.
#pragma once

#include <optional>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/broad_phase/tree_join.h"

namespace clearance {

/// One tree each over the vertices, edges and triangles of every body, and one over the bodies: pairs of bodies first,
/// primitives of near bodies only. A body is all that shares SurfaceTopology's body and group.
class Forest final : public BroadPhase {
 public:
  Forest(int dim, const SurfaceTopology& surface);

  Candidates find_candidates(const VecX& x_t0, const VecX& x_t1, double inflation,
                             const std::vector<double>& deviation = {}) override;
  std::vector<std::array<int, 2>> find_intersection_candidates(const VecX& x) override;

  /// Returns how often the edge tree that was sorted most has been sorted; the other queries only refitted it.
  int num_sorts() const;

 private:
  struct Bodies {
    std::vector<int> of_vertex;
    std::vector<int> number;                        // of each body: SurfaceTopology's
    std::vector<int> group;                         // of each body
    std::vector<std::array<int, 2>> ignored_pairs;  // SurfaceTopology's
    std::vector<int> vertices;                      // body by body
    std::vector<int> vertex_begin;                  // in `vertices`, one more than bodies
    int count() const { return static_cast<int>(group.size()); }
    bool touches_itself(int body) const { return group[body] < 0; }
  };
  /// Some of the vertices of a body, worth a task.
  struct Part {
    int body, begin, end;  // in Bodies::vertices
  };

  static Bodies find_bodies(const SurfaceTopology& surface);
  static std::vector<Part> divide(const Bodies& bodies);
  void find_near_bodies(const VertexBoxes& boxes);
  void find_body_pairs();
  bool is_ignored(int a, int b) const;
  void update_body_boxes(const VertexBoxes& boxes);
  void compute_boxes_of_near(const VertexBoxes& boxes);
  std::span<const int> vertices_of(const Part& part) const;
  int parts_per_task() const;
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
  Bodies bodies_;
  std::vector<Part> parts_;
  PackTrees<1> body_tree_;
  PackTrees<1> vertices_;
  PackTrees<2> edges_;
  PackTrees<3> triangles_;
  LonePrimitives lone_;
  PackTrees<1> lone_vertices_;
  PackTrees<2> lone_edges_;        // 3D
  std::vector<Box> vertex_boxes_;  // of bodies that are near another one or touch themselves
  std::vector<Box> part_boxes_;
  std::vector<Box> body_boxes_;
  std::vector<int> near_bodies_;                // those of body_pairs_, in order
  std::vector<std::array<int, 2>> body_pairs_;  // whose boxes overlap; with itself: self contact
  std::vector<std::array<int, 2>> tree_pairs_;
  PairCollector collector_;
};

}  // namespace clearance
