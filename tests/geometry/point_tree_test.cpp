#include "clearance/geometry/point_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "clearance/geometry/weld.h"

namespace clearance {
namespace {

std::vector<int> found_in(const PointTree& tree, const Vec<3>& min, const Vec<3>& max) {
  std::vector<int> found;
  tree.visit_box(min, max, [&](int i) { found.push_back(i); });
  std::sort(found.begin(), found.end());
  return found;
}

TEST(PointTree, FindsWhatBruteForceFinds) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> coordinate(0.0, 1.0);
  for (const int num_points : {0, 1, 8, 9, 500}) {
    Vertices points;
    // The points lie on a coarse grid: many share coordinates, some a place.
    for (int i = 0; i < num_points; ++i) {
      points.push_back({std::round(8 * coordinate(random)), std::round(8 * coordinate(random)), 3.0});
    }
    const PointTree tree(points);
    for (int query = 0; query < 100; ++query) {
      const Vec<3> min(std::round(8 * coordinate(random)), std::round(8 * coordinate(random)), 2.5);
      const Vec<3> max = min + Vec<3>(std::round(3 * coordinate(random)), std::round(3 * coordinate(random)), 0.5);
      std::vector<int> expected;
      for (int i = 0; i < num_points; ++i) {
        const Vec<3>& x = points[i];
        if ((x.array() >= min.array()).all() && (x.array() <= max.array()).all()) expected.push_back(i);
      }
      EXPECT_EQ(found_in(tree, min, max), expected);
    }
  }
}

TEST(Weld, VerticesInOnePlaceAreTheFirstOfThem) {
  EXPECT_EQ(weld({{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 1e-300}, {1, 0, 0}}), (std::vector<int>{0, 1, 0, 3, 1}));
}

}  // namespace
}  // namespace clearance
