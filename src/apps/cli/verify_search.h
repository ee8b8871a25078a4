// Where `clearance verify` looks for primitives near each other.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "apps/cli/verify_surface.h"
#include "apps/cli/verify_tree.h"

namespace clearance::cli {

/// Primitives of deformable bodies and of obstacles apart, so that an obstacle never searches its own neighbourhood.
class SearchTree {
 public:
  template <class BoxOf>
  SearchTree(int count, const BoxOf& box_of, const std::vector<int>& body, const std::vector<VerifyBody>& bodies) {
    std::vector<Box> boxes[2];
    for (int i = 0; i < count; ++i) {
      const int side = bodies[body[i]].is_obstacle ? 1 : 0;
      index_[side].push_back(i);
      boxes[side].push_back(box_of(i));
    }
    for (int side : {0, 1}) tree_[side] = BoxTree(std::move(boxes[side]));
  }
  template <class Visit>
  void visit_touching(const Box& box, bool is_obstacle, const Visit& visit) const {
    for (int side = 0; side < (is_obstacle ? 1 : 2); ++side) {
      tree_[side].visit_touching(box, [&](int i) { visit(index_[side][i]); });
    }
  }
  template <class Bound, class Visit>
  void visit_near(const Box& box, bool is_obstacle, const Bound& bound_sq, const Visit& visit) const {
    for (int side = 0; side < (is_obstacle ? 1 : 2); ++side) {
      tree_[side].visit_near(box, bound_sq, [&](int i) { visit(index_[side][i]); });
    }
  }

 private:
  BoxTree tree_[2];
  std::vector<int> index_[2];
};

}  // namespace clearance::cli
