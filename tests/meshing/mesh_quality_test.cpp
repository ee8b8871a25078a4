#include "clearance/meshing/mesh_quality.h"

#include <gtest/gtest.h>

#include <cmath>

namespace clearance {
namespace {

TEST(MeshQuality, AnglesOfRegularElements) {
  Mesh tet;
  tet.vertices = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  tet.tets = {{0, 1, 2, 3}};
  EXPECT_NEAR(smallest_angle(tet), 70.528779365509308, 1e-12);
  Mesh triangle;
  triangle.dim = 2;
  triangle.vertices = {{0, 0, 0}, {1, 0, 0}, {0.5, std::sqrt(0.75), 0}};
  triangle.triangles = {{0, 1, 2}};
  EXPECT_NEAR(smallest_angle(triangle), 60.0, 1e-12);
}

TEST(MeshQuality, FlatAndInvertedElementsCount) {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}};
  mesh.tets = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 2, 4}};
  EXPECT_EQ(num_inverted(mesh), 2);
}

}  // namespace
}  // namespace clearance
