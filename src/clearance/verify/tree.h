// A tree of boxes for `clearance verify`. It has its own search, so that a fault of the solver's broad phase cannot
// hide itself.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "clearance/math/types.h"

namespace clearance::verify {

struct Box {
  Vec<3> min = Vec<3>::Constant(infinity);
  Vec<3> max = Vec<3>::Constant(-infinity);

  void add(const Vec<3>& p) {
    min = min.cwiseMin(p);
    max = max.cwiseMax(p);
  }
  void add(const Box& other) {
    min = min.cwiseMin(other.min);
    max = max.cwiseMax(other.max);
  }
  bool touches(const Box& other) const {
    return (min.array() <= other.max.array() && other.min.array() <= max.array()).all();
  }
  /// Returns the squared distance [m^2] of the boxes, 0 where they overlap.
  double distance_sq(const Box& other) const {
    return (min - other.max).cwiseMax(other.min - max).cwiseMax(0.0).squaredNorm();
  }
  Vec<3> center() const { return 0.5 * (min + max); }
};

class BoxTree {
 public:
  BoxTree() = default;
  explicit BoxTree(std::vector<Box> boxes) : boxes_(std::move(boxes)), order_(boxes_.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    if (!boxes_.empty()) build(0, static_cast<int>(boxes_.size()));
  }

  /// visit(i) for every box that has a point in common with `box`.
  template <class Visit>
  void visit_touching(const Box& box, const Visit& visit) const {
    visit_nodes([&](const Box& b) { return b.touches(box) ? 0.0 : infinity; }, [] { return 0.0; }, visit);
  }

  /// visit(i) for every box closer to `box` than the square root of bound_sq(), which may shrink; near ones first.
  template <class Bound, class Visit>
  void visit_near(const Box& box, const Bound& bound_sq, const Visit& visit) const {
    visit_nodes([&](const Box& b) { return b.distance_sq(box); }, bound_sq, visit);
  }

 private:
  struct Node {
    Box box;
    int begin = 0, end = 0;  ///< range of order_
    int right = 0;           ///< second child; the first follows its parent. 0: a leaf
  };
  static constexpr int leaf_size = 4;

  int build(int begin, int end) {
    const int index = static_cast<int>(nodes_.size());
    nodes_.push_back({{}, begin, end, 0});
    Box centers;
    for (int i = begin; i < end; ++i) {
      nodes_[index].box.add(boxes_[order_[i]]);
      centers.add(boxes_[order_[i]].center());
    }
    if (end - begin <= leaf_size) return index;
    // Halves of equal count along the longest side: at most log2(count) levels, whatever the input.
    int axis = 0;
    (centers.max - centers.min).maxCoeff(&axis);
    const int middle = (begin + end) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](int a, int b) { return boxes_[a].center()[axis] < boxes_[b].center()[axis]; });
    build(begin, middle);
    const int right = build(middle, end);
    nodes_[index].right = right;
    return index;
  }

  template <class Distance, class Bound, class Visit>
  void visit_nodes(const Distance& distance, const Bound& bound, const Visit& visit) const {
    if (nodes_.empty()) return;
    std::array<std::pair<int, double>, 128> stack;
    int size = 0;
    stack[size++] = {0, distance(nodes_[0].box)};
    while (size > 0) {
      const auto [index, node_distance] = stack[--size];
      if (node_distance > bound()) continue;
      const Node& node = nodes_[index];
      if (node.right == 0) {
        for (int i = node.begin; i < node.end; ++i) {
          if (distance(boxes_[order_[i]]) <= bound()) visit(order_[i]);
        }
        continue;
      }
      std::pair<int, double> left = {index + 1, distance(nodes_[index + 1].box)};
      std::pair<int, double> right = {node.right, distance(nodes_[node.right].box)};
      if (left.second < right.second) std::swap(left, right);
      stack[size++] = left;
      stack[size++] = right;
    }
  }

  std::vector<Box> boxes_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

}  // namespace clearance::verify
