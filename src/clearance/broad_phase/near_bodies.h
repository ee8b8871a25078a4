// Bodies of a surface and those of them that are near another one: the first half of every query of a forest.
#pragma once

#include <span>
#include <vector>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/broad_phase/tree_join.h"

namespace clearance {

/// Pairs of bodies whose swept boxes overlap, with the boxes of their vertices. A body is all that shares
/// SurfaceTopology's body and group.
class NearBodies {
 public:
  explicit NearBodies(const SurfaceTopology& surface);

  int num_bodies() const { return static_cast<int>(bodies_.group.size()); }
  const std::vector<int>& body_of_vertex() const { return bodies_.of_vertex; }

  /// Finds the pairs of bodies, and computes the boxes of their vertices. Of most scenes of stiff bodies few are near
  /// another one, and the boxes of all vertices took a fifth of the time of a robot's steps.
  void find(const VertexBoxes& boxes);

  // The last `find` sets the following.
  /// Pairs whose boxes overlap, the smaller one first; with itself where a body touches itself.
  const std::vector<std::array<int, 2>>& pairs() const { return pairs_; }
  /// Returns all pairs of trees of two kinds of primitives, or of one kind with itself.
  std::vector<std::array<int, 2>> tree_pairs(bool is_one_kind) const;
  /// Bodies that occur in the pairs, in order.
  const std::vector<int>& bodies() const { return near_bodies_; }
  /// Returns the number of vertices of `bodies`.
  std::size_t num_vertices() const;
  /// Boxes of all vertices; only those of `bodies` are up to date.
  const std::vector<Box>& vertex_boxes() const { return vertex_boxes_; }
  /// Boxes of all bodies.
  const std::vector<Box>& body_boxes() const { return body_boxes_; }

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
  void find_pairs();
  bool is_ignored(int a, int b) const;
  void update_body_boxes(const VertexBoxes& boxes);
  void compute_boxes_of_near(const VertexBoxes& boxes);
  std::span<const int> vertices_of(const Part& part) const;
  int parts_per_task() const;

  Bodies bodies_;
  std::vector<Part> parts_;
  PackTrees<1> body_tree_;
  std::vector<Box> vertex_boxes_;
  std::vector<Box> part_boxes_;
  std::vector<Box> body_boxes_;
  std::vector<int> near_bodies_;
  std::vector<std::array<int, 2>> pairs_;
  PairCollector collector_;
};

/// Returns the numbers 0 to count - 1 as primitives of one vertex.
std::vector<std::array<int, 1>> single_vertices(int count);

}  // namespace clearance
