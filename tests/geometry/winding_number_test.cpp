#include "clearance/geometry/winding_number.h"

#include <gtest/gtest.h>

#include <random>

#include "clearance/geometry/generators.h"

namespace clearance {
namespace {

TEST(WindingNumber, IsOneInsideOfABoxAndZeroOutside) {
  const Mesh box = surface_of(make_box({1, 1, 1}, {3, 3, 3}));
  std::mt19937 random(1);
  std::uniform_real_distribution<double> coordinate(-1.0, 1.0);
  for (int i = 0; i < 1000; ++i) {
    const Vec<3> x(coordinate(random), coordinate(random), coordinate(random));
    const bool is_inside = x.cwiseAbs().maxCoeff() < 0.5;
    EXPECT_EQ(winding_number(x, box.vertices, box.triangles), is_inside ? 1 : 0) << x.transpose();
  }
}

TEST(WindingNumber, PointsInLineWithVerticesAndEdgesAreDecidedToo) {
  const Mesh box = surface_of(make_box({1, 1, 1}, {4, 4, 4}));
  for (double y : {-0.5, -0.25, 0.0, 0.25, 0.5}) {
    for (double z : {-0.5, -0.25, 0.0, 0.25, 0.5}) {
      EXPECT_EQ(winding_number({-0.7, y, z}, box.vertices, box.triangles), 0);
      // (Points of the surface itself have no answer.)
      if (std::abs(y) == 0.5 || std::abs(z) == 0.5) continue;
      EXPECT_EQ(winding_number({0.1, y, z}, box.vertices, box.triangles), 1);
    }
  }
}

TEST(WindingNumber, IsZeroInACavityAndNegativeInASurfaceThatPointsInwards) {
  Mesh shell = surface_of(make_sphere(1.0, 2));
  Mesh hole = surface_of(make_sphere(0.5, 2));
  const int shift = static_cast<int>(shell.vertices.size());
  for (const auto& [a, b, c] : hole.triangles) shell.triangles.push_back({a + shift, c + shift, b + shift});
  shell.vertices.insert(shell.vertices.end(), hole.vertices.begin(), hole.vertices.end());
  EXPECT_EQ(winding_number({0.1, 0, 0}, shell.vertices, shell.triangles), 0);
  EXPECT_EQ(winding_number({0.7, 0, 0}, shell.vertices, shell.triangles), 1);
  for (auto& t : hole.triangles) std::swap(t[0], t[1]);
  EXPECT_EQ(winding_number({0.1, 0, 0}, hole.vertices, hole.triangles), -1);
}

TEST(WindingNumber, OfAnOutlineInThePlane) {
  const Mesh disk = make_disk(1.0, 3);
  const Edges outline = boundary_edges(disk.triangles);
  EXPECT_EQ(winding_number({0, 0, 0}, disk.vertices, outline), 1);
  EXPECT_EQ(winding_number({0.5, -0.5, 0}, disk.vertices, outline), 1);
  EXPECT_EQ(winding_number({-1.5, 0, 0}, disk.vertices, outline), 0);
}

}  // namespace
}  // namespace clearance
