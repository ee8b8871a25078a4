#include "clearance/meshing/deviation.h"

#include <gtest/gtest.h>

#include "meshing/surfaces.h"

namespace clearance {
namespace {

using namespace test;

double deviation(const Mesh& from, const Mesh& to, double tolerance) {
  return largest_distance(from.vertices, from.triangles, TriangleTree(to.vertices, to.triangles), tolerance);
}

TEST(Deviation, OfTheSameSurfaceIsZero) {
  const Mesh sphere = sphere_surface(1.0, 4);
  EXPECT_LE(deviation(sphere, sphere, 1e-3), 1e-12);
  // The two surfaces have different triangles of the same box.
  const Mesh coarse = box_surface({1, 2, 3}), fine = surface_of(make_box({1, 2, 3}, {3, 4, 5}));
  EXPECT_LE(deviation(fine, coarse, 1e-3), 1e-3);
  EXPECT_LE(deviation(coarse, fine, 1e-3), 1e-3);
}

TEST(Deviation, IsThatOfTheFarthestPointUpToTheTolerance) {
  const Mesh box = box_surface({1, 1, 1});
  // For the larger box the farthest point is a corner; for the smaller one it is the middle of a face and everywhere.
  const Mesh large = box_surface({1.2, 1.2, 1.2});
  EXPECT_NEAR(deviation(large, box, 1e-4), 0.1 * std::sqrt(3.0), 1e-4);
  EXPECT_NEAR(deviation(box, large, 1e-4), 0.1, 1e-4);
  // A tip stands in the middle of a face, far from all corners of the other.
  Mesh tip;
  tip.vertices = {{0.5, 0.1, 0.0}, {0.5, -0.1, 0.0}, {0.9, 0.0, 0.0}};
  tip.triangles = {{0, 1, 2}};
  EXPECT_NEAR(deviation(tip, box, 1e-4), 0.4, 1e-4);
  EXPECT_GE(deviation(tip, box, 1e-4), 0.4 - 1e-12);
}

TEST(Deviation, TreeFindsWhatASearchOfAllFinds) {
  const Mesh sphere = sphere_surface(1.0, 3);
  const TriangleTree tree(sphere.vertices, sphere.triangles);
  for (int i = 0; i < 200; ++i) {
    const Vec<3> x(0.013 * i - 1.3, 0.7 - 0.009 * i, 0.3 + 0.002 * i);
    double best = infinity;
    for (int f = 0; f < static_cast<int>(sphere.triangles.size()); ++f) best = std::min(best, tree.distance_sq(x, f));
    EXPECT_EQ(tree.nearest(x).distance_sq, best);
  }
}

}  // namespace
}  // namespace clearance
