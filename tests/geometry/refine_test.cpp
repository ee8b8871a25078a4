// Uniform refinement: counts, volumes and shared vertices.
#include "clearance/geometry/refine.h"

#include <gtest/gtest.h>

#include "clearance/geometry/generators.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/geometry/surface.h"

namespace clearance {
namespace {

double volume(const Mesh& mesh, std::size_t t) {
  const auto at = [&](int v) { return mesh.vertices[v]; };
  const auto& [a, b, c, d] = mesh.tets[t];
  return tet_volume(at(a), at(b), at(c), at(d));
}

TEST(Refine, PartsOfATetrahedronHaveAnEighthOfItsVolume) {
  const Mesh coarse = make_sphere(1.0, 2), fine = refine_uniformly(coarse);
  ASSERT_EQ(fine.tets.size(), 8 * coarse.tets.size());
  for (std::size_t t = 0; t < fine.tets.size(); ++t) {
    EXPECT_NEAR(volume(fine, t), volume(coarse, t / 8) / 8, 1e-15);
  }
  EXPECT_TRUE(is_closed_manifold(boundary_triangles(fine.tets)));
  EXPECT_EQ(boundary_triangles(fine.tets).size(), 4 * boundary_triangles(coarse.tets).size());
}

TEST(Refine, TrianglesKeepTheirOrientationAndOldVerticesTheirNumbers) {
  const Mesh coarse = make_rectangle(2.0, 1.0, 2, 1), fine = refine_uniformly(coarse);
  ASSERT_EQ(fine.triangles.size(), 4 * coarse.triangles.size());
  EXPECT_TRUE(find_element_defects(fine).empty());
  EXPECT_EQ(fine.vertices.size(), 5u * 3u);
  for (std::size_t v = 0; v < coarse.vertices.size(); ++v) EXPECT_EQ(fine.vertices[v], coarse.vertices[v]);
}

TEST(Refine, EdgesAreHalvedAndPointsStay) {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {2, 0, 0}, {5, 5, 5}};
  mesh.edges = {{0, 1}};
  mesh.points = {2};
  const Mesh fine = refine_uniformly(mesh);
  EXPECT_EQ(fine.edges, (std::vector<std::array<int, 2>>{{0, 3}, {3, 1}}));
  EXPECT_EQ(fine.vertices[3], Vec<3>(1, 0, 0));
  EXPECT_EQ(fine.points, std::vector<int>{2});
}

}  // namespace
}  // namespace clearance
