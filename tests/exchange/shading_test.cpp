// Edges that are drawn sharp.
#include "clearance/exchange/shading.h"

#include <gtest/gtest.h>

namespace clearance::exchange {
namespace {

using Triangles = std::vector<std::array<std::uint32_t, 3>>;

const std::vector<Vec<3>> cube = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
const Triangles faces_of_cube = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                 {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

TEST(Shading, ACubeHasThreeNormalsAtEachCorner) {
  const Shading shading(cube, faces_of_cube);
  EXPECT_EQ(shading.sources().size(), 24u);
  const std::vector<Vec<3>> normals = shading.normals(cube);
  for (std::size_t t = 0; t < faces_of_cube.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t drawn = shading.triangles()[t][k];
      EXPECT_EQ(shading.sources()[drawn], faces_of_cube[t][k]);
      const auto& [a, b, c] = faces_of_cube[t];
      const Vec<3> exact = (cube[b] - cube[a]).cross(cube[c] - cube[a]).normalized();
      EXPECT_LT((normals[drawn] - exact).norm(), 1e-15);
    }
  }
}

TEST(Shading, ARoundSurfaceHasOneNormalAtEachVertex) {
  // A ring of 24 quadrilaterals has an angle of 15 degrees at each edge.
  std::vector<Vec<3>> ring;
  Triangles triangles;
  for (std::uint32_t i = 0; i < 24; ++i) {
    const double angle = i * std::atan(1.0) / 3.0;
    for (const double z : {0.0, 0.3}) ring.emplace_back(std::cos(angle), std::sin(angle), z);
    const std::uint32_t a = 2 * i, b = 2 * ((i + 1) % 24);
    triangles.push_back({a, b, b + 1});
    triangles.push_back({a, b + 1, a + 1});
  }
  const Shading shading(ring, triangles);
  EXPECT_EQ(shading.sources().size(), ring.size());
  const std::vector<Vec<3>> normals = shading.normals(ring);
  for (std::size_t v = 0; v < normals.size(); ++v) {
    const Vec<3>& x = ring[shading.sources()[v]];
    EXPECT_GT(normals[v].dot(Vec<3>(x[0], x[1], 0)), 0.99);
  }
}

TEST(Shading, WhatHasNoAreaHasAUnitNormalAllTheSame) {
  const std::vector<Vec<3>> flat = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  const Shading shading(flat, Triangles{{0, 1, 2}});
  for (const Vec<3>& normal : shading.normals(flat)) EXPECT_EQ(normal.norm(), 1.0);
}

}  // namespace
}  // namespace clearance::exchange
