// Search for nearby things: boxes, and lists of boxed things in groups.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "clearance/math/types.h"

namespace clearance {

/// Sorts numbers in ascending order and removes duplicates.
inline void make_unique(std::vector<int>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

/// The bounding boxes of something at the positions x1 and x0.
template <int dim>
struct Extent {
  Vec<dim> low_x1 = Vec<dim>::Constant(infinity), high_x1 = Vec<dim>::Constant(-infinity);
  Vec<dim> low_x0 = low_x1, high_x0 = high_x1;

  void extend(const Vec<dim>& x1, const Vec<dim>& x0) {
    low_x1 = low_x1.cwiseMin(x1);
    high_x1 = high_x1.cwiseMax(x1);
    low_x0 = low_x0.cwiseMin(x0);
    high_x0 = high_x0.cwiseMax(x0);
  }
  void extend(const Extent& other) {
    low_x1 = low_x1.cwiseMin(other.low_x1);
    high_x1 = high_x1.cwiseMax(other.high_x1);
    low_x0 = low_x0.cwiseMin(other.low_x0);
    high_x0 = high_x0.cwiseMax(other.high_x0);
  }
  bool is_empty() const { return low_x1[0] > high_x1[0]; }
  Extent inflated(double reach) const {
    return {(low_x1.array() - reach).matrix(), (high_x1.array() + reach).matrix(), (low_x0.array() - reach).matrix(),
            (high_x0.array() + reach).matrix()};
  }
  /// True if the boxes overlap at x1 or at x0.
  bool meets(const Extent& other) const {
    return ((low_x1.array() <= other.high_x1.array()) && (other.low_x1.array() <= high_x1.array())).all() ||
           ((low_x0.array() <= other.high_x0.array()) && (other.low_x0.array() <= high_x0.array())).all();
  }
  static Extent everything() {
    Extent all;
    all.low_x1 = all.low_x0 = Vec<dim>::Constant(-infinity);
    all.high_x1 = all.high_x0 = Vec<dim>::Constant(infinity);
    return all;
  }
};

/// Numbers with extents, sorted along the axes and searched group by group.
template <int dim>
class ExtentGroups {
 public:
  struct Item {
    int number;
    Extent<dim> extent;
  };

  ExtentGroups() = default;
  explicit ExtentGroups(std::vector<Item> items) : items_(std::move(items)) {
    for (const Item& item : items_) all_.extend(item.extent);
    const auto middle = [](const Item& item, int axis) { return item.extent.low_x1[axis] + item.extent.high_x1[axis]; };
    // Sort along x, cut into slabs, and sort each slab along y.
    const auto sort = [&](auto begin, auto end, int axis) {
      std::sort(begin, end, [&](const Item& a, const Item& b) {
        const double at_a = middle(a, axis), at_b = middle(b, axis);
        return at_a != at_b ? at_a < at_b : a.number < b.number;
      });
    };
    sort(items_.begin(), items_.end(), 0);
    for (std::size_t i = 0; i < items_.size(); i += slab) {
      sort(items_.begin() + static_cast<std::ptrdiff_t>(i),
           items_.begin() + static_cast<std::ptrdiff_t>(std::min(i + slab, items_.size())), 1);
    }
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (i % size == 0) groups_.emplace_back();
      groups_.back().extend(items_[i].extent);
    }
  }

  /// Calls visit(number) for every item that meets the region, in an unspecified order.
  template <class Visit>
  void visit(const Extent<dim>& region, const Visit& visit) const {
    if (items_.empty() || !all_.meets(region)) return;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!groups_[g].meets(region)) continue;
      for (std::size_t i = g * size; i < std::min((g + 1) * size, items_.size()); ++i) {
        if (items_[i].extent.meets(region)) visit(items_[i].number);
      }
    }
  }

 private:
  static constexpr std::size_t size = 16, slab = 512;
  std::vector<Item> items_;
  std::vector<Extent<dim>> groups_;
  Extent<dim> all_;
};

}  // namespace clearance
