// Search for the points in a box.
#pragma once

#include "clearance/geometry/mass_properties.h"

namespace clearance {

/// A balanced tree. Each node halves its points along the longest side of their box, so that meshes of any grading cost
/// the same.
class PointTree {
 public:
  explicit PointTree(Vertices points);

  /// Calls visit(index) for every point in the closed box, in no particular order.
  template <class Visit>
  void visit_box(const Vec<3>& min, const Vec<3>& max, const Visit& visit) const {
    visit_range(0, order_.size(), min, max, visit);
  }

 private:
  /// Largest number of points that are tested one by one.
  static constexpr std::size_t leaf_size = 8;

  struct Cut {
    Eigen::Index axis = 0;
    double at = 0.0;  ///< the points before have at most this coordinate, the others at least
  };

  void split(std::size_t begin, std::size_t end);
  const Vec<3>& point(std::size_t slot) const { return points_[order_[slot]]; }

  template <class Visit>
  void visit_range(std::size_t begin, std::size_t end, const Vec<3>& min, const Vec<3>& max, const Visit& visit) const {
    if (end - begin <= leaf_size) {
      for (std::size_t slot = begin; slot < end; ++slot) {
        const Vec<3>& x = point(slot);
        if ((x.array() >= min.array()).all() && (x.array() <= max.array()).all()) visit(order_[slot]);
      }
      return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    const Cut& cut = cuts_[middle];
    if (min[cut.axis] <= cut.at) visit_range(begin, middle, min, max, visit);
    if (max[cut.axis] >= cut.at) visit_range(middle, end, min, max, visit);
  }

  Vertices points_;
  std::vector<int> order_;  // points in the order of the leaves
  std::vector<Cut> cuts_;   // cut before each slot
};

}  // namespace clearance
