// Search for primitives near each other, for `clearance verify`.
#pragma once

#include <utility>
#include <vector>

#include "clearance/verify/tree.h"

namespace clearance::verify {

/// A tree of the bodies, and a tree of the primitives of each body, so that bodies that may not touch are skipped. A
/// stiff body would otherwise find mostly itself.
class SearchTree {
 public:
  template <class BoxOf>
  SearchTree(int count, const BoxOf& box_of, const std::vector<int>& body) {
    std::vector<int> place;  // of a body in trees_; -1: none yet
    std::vector<std::vector<Box>> boxes;
    for (int i = 0; i < count; ++i) {
      const std::size_t b = body[i];
      if (b >= place.size()) place.resize(b + 1, -1);
      if (place[b] < 0) {
        place[b] = static_cast<int>(boxes.size());
        boxes.emplace_back();
        trees_.push_back({body[i], {}, {}});
      }
      boxes[place[b]].push_back(box_of(i));
      trees_[place[b]].index.push_back(i);
    }
    std::vector<Box> all;
    for (std::size_t t = 0; t < boxes.size(); ++t) {
      Box box;
      for (const Box& part : boxes[t]) box.add(part);
      all.push_back(box);
      trees_[t].tree = BoxTree(std::move(boxes[t]));
    }
    bodies_ = BoxTree(std::move(all));
  }

  /// visit(i) for every box that has a point in common with `box`, of bodies with may_touch(body).
  template <class MayTouch, class Visit>
  void visit_touching(const Box& box, const MayTouch& may_touch, const Visit& visit) const {
    bodies_.visit_touching(box, [&](int t) {
      if (!may_touch(trees_[t].body)) return;
      trees_[t].tree.visit_touching(box, [&](int i) { visit(trees_[t].index[i]); });
    });
  }
  /// visit(i) for every box closer to `box` than the square root of bound_sq(), which may shrink.
  template <class MayTouch, class Bound, class Visit>
  void visit_near(const Box& box, const MayTouch& may_touch, const Bound& bound_sq, const Visit& visit) const {
    bodies_.visit_near(box, bound_sq, [&](int t) {
      if (!may_touch(trees_[t].body)) return;
      trees_[t].tree.visit_near(box, bound_sq, [&](int i) { visit(trees_[t].index[i]); });
    });
  }

 private:
  struct BodyTree {
    int body;
    BoxTree tree;
    std::vector<int> index;
  };
  std::vector<BodyTree> trees_;
  BoxTree bodies_;
};

}  // namespace clearance::verify
